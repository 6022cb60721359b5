"""What survives: the event log, the SQLite write-behind, blobs, leases, the resume reader.

Refuses: to decide anything. It is never read on the hot path; memory is authoritative.
"""

from ouroboros.store.blobs import Blobs
from ouroboros.store.lease import Lease
from ouroboros.store.log import EventLog
from ouroboros.store.writer import Writer

__all__ = ["Blobs", "EventLog", "Lease", "Writer"]
