"""The editor face: JSON-RPC over standard streams. Not built yet.

Refuses: to answer an approval by itself.
"""
