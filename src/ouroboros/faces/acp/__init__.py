"""The editor face: version 1 of the Agent Client Protocol, as lines of JSON-RPC over standard streams.

Refuses: to answer an approval by itself; to let an editor read or write past the rules of a session.
"""
