"""What a turn costs does not grow with the runs that a session has had."""

from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.events import Event, TaskCompleted, TurnStarted
from ouroboros.store.db import open_database
from ouroboros.store.overview import record
from tests.unit.store.samples import keep, numbered, ready, said


def steps_of_a_run(home: Path, before: int) -> int:
    """Steps of SQLite for the rows of one more run, in a session that has had so many."""
    events: list[Event] = [ready(), said("first")]
    keep(home, numbered(events))
    with closing(open_database(home)) as connection:
        connection.executemany(
            "INSERT INTO runs (session, first_seq, started, ended, last_seq, reason)"
            " VALUES ('ses_1', ?, 0, 1, ?, 'completed')",
            [(n, n) for n in range(before)],
        )
        found = 0

        def count() -> None:
            nonlocal found
            found += 1

        connection.set_progress_handler(count, 1)
        more = numbered([
            *events,
            TurnStarted(turn=1),
            TaskCompleted(reason="completed", final="x"),
        ])
        record(connection, more[2:], {})
        connection.set_progress_handler(None, 1)
    return found


@pytest.mark.proves("sessions-faults")
def test_a_run_is_found_among_many(tmp_path: Path) -> None:
    few, many = steps_of_a_run(tmp_path / "few", 1), steps_of_a_run(tmp_path / "many", 5_000)

    assert few > 0
    assert many < few * 2
