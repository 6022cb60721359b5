"""The routes behind the panels of the page: the past, files, what was kept, spending, settings.

Each module has ``routes(site)``, and ``table`` all of them. What is read from the disk is read in
threads, bounded, and without the secrets that this process knows.
"""
