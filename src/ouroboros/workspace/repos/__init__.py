"""Repositories that were brought here: named, fetched within bounds, kept in the home, found again.

Refuses: to run anything that a repository brings, and to touch a person's own repository.
"""
