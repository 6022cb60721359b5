"""Remembering across sessions: notes, BM25, vectors, the knowledge graph, recall.

Refuses: to put anything into a prompt by itself. Not built yet.
"""
