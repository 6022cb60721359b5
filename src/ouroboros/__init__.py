"""Ouroboros: one agent for a person's browser and their code."""

__version__ = "0.1.0"
