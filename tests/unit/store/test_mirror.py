"""The file beside the database that repeats a session's events."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from anyio import fail_after, to_thread

from ouroboros.core.events import Envelope, Event
from ouroboros.store import EventLog, Lease, Writer, resume, sessions
from ouroboros.store.db import open_database
from ouroboros.store.line import encode
from tests.cases import every
from tests.unit.store.samples import SESSION, a_turn, numbered, ready, said


async def write(
    home: Path, events: list[Event], *, mirrors: bool = True, session: str = SESSION
) -> list[str]:
    """Adds events to a session as a run does; gives what did not work."""
    warnings: list[str] = []
    with await to_thread.run_sync(Lease.take, home, session) as lease:
        async with Writer(home, mirrors=mirrors) as writer:
            await writer.ready()
            after = await to_thread.run_sync(last, home, session)
            log = EventLog(writer, lease, after=after, on_warning=warnings.append)
            for each in numbered(events, session=session, after=after):
                log.append(each)
            await log.settled()
    return warnings


def last(home: Path, session: str) -> int:
    known = {each.id for each in sessions.list_sessions(home)}
    return resume.read(home, session).last if session in known else 0


def mirrored(home: Path, session: str = SESSION) -> bytes:
    return (home / "mirror" / f"{session}.jsonl").read_bytes()


def lines(home: Path, session: str = SESSION) -> bytes:
    envelopes: list[Envelope] = resume.read(home, session).envelopes
    return b"".join(encode(each) + b"\n" for each in envelopes)


@pytest.mark.proves("I03")
async def test_every_event_is_a_line_in_a_private_file(tmp_path: Path) -> None:
    big = said("x" * 200_000)
    assert await write(tmp_path, [ready(), *a_turn(1), big]) == []
    await write(tmp_path, [ready()], session="ses_2")
    await write(tmp_path, a_turn(2))
    assert await to_thread.run_sync(mirrored, tmp_path) == await to_thread.run_sync(lines, tmp_path)
    assert (await to_thread.run_sync(mirrored, tmp_path, "ses_2")).count(b"\n") == 1
    assert (tmp_path / "mirror" / f"{SESSION}.jsonl").stat().st_mode & 0o777 == 0o600


def half_a_line(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def some_lines_less(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))


def one_line_more(path: Path) -> None:
    path.write_bytes(path.read_bytes() + encode(numbered([said("never kept")], after=7)[0]) + b"\n")


def rubbish(path: Path) -> None:
    path.write_bytes(b"\x00" * 100_000)


def of_another_session(path: Path) -> None:
    path.write_bytes(encode(numbered([said("x")], session="ses_9", after=6)[0]) + b"\n")


@pytest.mark.proves("I03")
@every(
    "harm", [Path.unlink, half_a_line, some_lines_less, one_line_more, rubbish, of_another_session]
)
async def test_what_a_crash_left_of_it_is_made_good(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    await write(tmp_path, [ready(), *a_turn(1)])
    await to_thread.run_sync(harm, tmp_path / "mirror" / f"{SESSION}.jsonl")
    await write(tmp_path, [said("after")])
    assert await to_thread.run_sync(mirrored, tmp_path) == await to_thread.run_sync(lines, tmp_path)


async def test_one_that_is_switched_on_later_has_all_that_was_before(tmp_path: Path) -> None:
    await write(tmp_path, [ready(), *a_turn(1)], mirrors=False)
    assert not (tmp_path / "mirror").exists()
    await write(tmp_path, [said("after")])
    assert await to_thread.run_sync(mirrored, tmp_path) == await to_thread.run_sync(lines, tmp_path)


async def test_one_that_cannot_be_written_is_told_once_and_costs_nothing_else(
    tmp_path: Path,
) -> None:
    (tmp_path / "mirror" / f"{SESSION}.jsonl").mkdir(parents=True)
    (told,) = await write(tmp_path, [ready(), *a_turn(1), *a_turn(2)])
    assert f"{SESSION}.jsonl' cannot be written: Is a directory" in told
    assert await to_thread.run_sync(last, tmp_path, SESSION) == 13


async def test_it_goes_with_its_session(tmp_path: Path) -> None:
    await write(tmp_path, [ready()])
    await to_thread.run_sync(sessions.delete, tmp_path, SESSION)
    assert not (tmp_path / "mirror" / f"{SESSION}.jsonl").exists()


async def test_what_another_process_wrote_meanwhile_is_repeated_too(tmp_path: Path) -> None:
    async with Writer(tmp_path, mirrors=True) as writer:
        await writer.ready()
        for after in (0, 2):
            with await to_thread.run_sync(Lease.take, tmp_path, SESSION) as lease:
                log = EventLog(writer, lease, after=after)
                log.append(numbered([ready()], after=after)[0])
                await log.settled()
            if not after:
                await write(tmp_path, [said("elsewhere")])
    assert await to_thread.run_sync(mirrored, tmp_path) == await to_thread.run_sync(lines, tmp_path)


@pytest.mark.parametrize("harm", ["body = NULL", "blob = CAST(x'ff' AS TEXT)"])
async def test_an_event_that_cannot_be_repeated_costs_nothing_else(
    tmp_path: Path, harm: str
) -> None:
    await write(tmp_path, [ready(), said("x")], mirrors=False)
    with await to_thread.run_sync(Lease.take, tmp_path, SESSION) as lease:
        async with Writer(tmp_path, mirrors=True) as writer:
            await writer.ready()
            await to_thread.run_sync(harmed, tmp_path, harm)
            warnings: list[str] = []
            log = EventLog(writer, lease, after=2, on_warning=warnings.append)
            log.append(numbered([said("y")], after=2)[0])
            with fail_after(60):
                await log.settled()
    (told,) = warnings
    assert "cannot be written" in told


def harmed(home: Path, harm: str) -> None:
    with closing(open_database(home)) as connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute(f"UPDATE events SET {harm} WHERE seq = 1")
