"""Words between two programs of ours, a supervisor and an agent: lines of JSON, read and written; pure.

Refuses: to hold more of a line than it may have, and to guess what an odd line meant.
"""
