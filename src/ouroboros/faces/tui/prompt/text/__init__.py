"""A text as it is being typed: characters, words, rows, changes. Refuses: keys, screens and files."""
