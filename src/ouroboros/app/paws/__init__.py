"""Bundles, changes, plans and work sessions, joined with the rest."""
