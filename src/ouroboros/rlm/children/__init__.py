"""Calls of a model that code makes: plain reads of small data, and runs of their own for the rest."""
