"""Who says yes besides the person: policy files and the guardian, joined with a session."""
