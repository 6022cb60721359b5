"""What survives: the event log, the SQLite write-behind, blobs, leases, the resume reader.

Refuses: to decide anything. It is never read on the hot path; memory is authoritative.
"""
