"""The full-screen terminal face. Not built yet.

Refuses: to hold engine state of its own.
"""
