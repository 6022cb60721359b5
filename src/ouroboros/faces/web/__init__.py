"""The web Command Center. Not built yet.

Refuses: to load anything from outside.
"""
