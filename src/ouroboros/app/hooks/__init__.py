"""Hooks of a session: where they are set up, which of them may run, and where they are called."""
