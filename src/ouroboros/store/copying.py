"""A session that is made of events which are there already: a fork, or a file that was read."""

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.store import sessions
from ouroboros.store.blobs import refused
from ouroboros.store.db import open_database
from ouroboros.store.layout import Layout, make_private
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode


def put(home: Path, envelopes: Sequence[Envelope]) -> None:
    """Keeps a new session, all of it or nothing; blocks on the disk.

    Args:
        home: Where sessions are kept.
        envelopes: Of one session, numbered from 1 on.

    Raises:
        SessionBusy: Somebody is writing a session of this name.
        StoreFailed: There is one already, or the events cannot be kept.
    """
    session = envelopes[0].session
    with Lease.take(home, session) as lease, closing(open_database(home)) as connection:
        if sessions.is_known(connection, session):
            raise StoreFailed(
                f"There is a session {session!r} already.", hint="Give the new one another name."
            )
        ledger = Ledger(home, connection, is_copy=True)
        ledger.admit(lease)
        ledger.store([Line(envelope=each, encoded=encode(each)) for each in envelopes])


def copy_variables(home: Path, session: str, other: str) -> None:
    """Gives a session the variables that another one's REPL has kept; blocks.

    Raises:
        StoreFailed: They cannot be read, or not be written.
    """
    there, here = Layout(home).variables(session), Layout(home).variables(other)
    try:
        files = [path for path in there.iterdir() if path.is_file()] if there.is_dir() else []
        if files:
            make_private(here)
        for path in files:
            _give(path, here / path.name)
    except OSError as error:
        raise refused(error, there) from error


def _give(path: Path, target: Path) -> None:
    """The same file for another session; earlier ones, called by what they hold, are never written to."""
    if len(path.suffixes) > 1:
        with suppress(OSError):  # not every disk has links
            return os.link(path, target)
    target.write_bytes(path.read_bytes())
    target.chmod(0o600)
