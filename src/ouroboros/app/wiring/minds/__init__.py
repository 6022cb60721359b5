"""The minds of a session: each joined with its prompt and its hands."""
