"""Verbs that need no network: exchanges, errors, patches, and the request a task would begin with."""
