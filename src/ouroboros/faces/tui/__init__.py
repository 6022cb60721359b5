"""The full-screen terminal face: a conversation, its prompt, questions over it, screens beside it.

Refuses: to hold engine state of its own.
"""
