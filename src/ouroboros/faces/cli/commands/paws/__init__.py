"""Bundles in, changes out, work sessions: what `paws` does."""
