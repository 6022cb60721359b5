"""The only place where rooms are joined: configuration, trust, wiring, the public API, offline verbs.

Refuses: to hold logic that a room could hold; it joins, it does not decide.
"""
