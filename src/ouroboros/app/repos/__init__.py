"""Repositories that a person brings here, and maps of what is in them."""
