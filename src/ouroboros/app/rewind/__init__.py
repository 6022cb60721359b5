"""Checkpoints of a session's files: taken before effects, and gone back to, with or without the words."""
