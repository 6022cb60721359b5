"""Commands for the person's own files."""
