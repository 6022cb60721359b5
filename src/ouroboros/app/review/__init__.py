"""Reviews of changes: what git says changed, read by a session that may only read."""
