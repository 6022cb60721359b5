"""A JavaScript session whose host functions are tools, and the summary of what came out.

Refuses: to show page data to a model; it hands out type, size, schema and a preview.
"""
