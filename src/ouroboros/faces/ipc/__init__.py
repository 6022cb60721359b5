"""The supervisor and agent face over local sockets: a session behind the worker messages of an earlier design.

Refuses: connections from another user; to mean more by a message than one command, question or event.
"""
