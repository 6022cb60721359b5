"""Longer text as rows: Markdown, the blocks it streams in, diffs."""
