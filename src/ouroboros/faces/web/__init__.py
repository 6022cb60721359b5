"""The web Command Center: a page, an HTTP and websocket API, both for this machine only.

Refuses: connections that are not from this machine, pages of other places, and to load anything from outside.
"""
