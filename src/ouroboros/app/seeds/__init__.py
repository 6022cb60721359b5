"""What a person hands in with ``--data``, made into variables.

Refuses: to run, follow or trust anything of it.
"""
