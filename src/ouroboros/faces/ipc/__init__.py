"""The supervisor and agent face over local sockets. Not built yet.

Refuses: connections from another user.
"""
