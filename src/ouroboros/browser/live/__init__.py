"""Tabs as a person sees them from outside the browser, and their hands in them.

What is seen and typed here goes to people only: never into a model's context, never on record.
"""
