"""Events go in at once, are acknowledged in order once they are on the disk, and come back."""

import asyncio
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope, ModelDelta, ToolResulted
from ouroboros.core.parts import Text
from ouroboros.store import resume
from ouroboros.store.lease import Lease
from ouroboros.store.log import EventLog
from ouroboros.store.writer import Writer
from tests.unit.store.samples import SESSION, a_turn, envelope, keep, numbered, ready, said


async def owned(home: Path, session: str = SESSION) -> Lease:
    return await anyio.to_thread.run_sync(Lease.take, home, session)


async def on_disk(home: Path, session: str = SESSION) -> list[Envelope]:
    return (await anyio.to_thread.run_sync(resume.read, home, session)).envelopes


async def test_what_is_appended_is_read_back_equal(tmp_path: Path) -> None:
    events = numbered([ready(), *a_turn(1), *a_turn(2)])
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, await owned(tmp_path))
        for each in events:
            log.append(each)
        await log.settled()
        assert await on_disk(tmp_path) == events


async def test_faces_get_each_event_once_in_order_and_only_from_the_disk(tmp_path: Path) -> None:
    shown: list[Envelope] = []
    log: EventLog

    def show(envelopes: list[Envelope]) -> None:
        assert envelopes[-1].seq == log.durable
        shown.extend(envelopes)

    events = numbered([said(str(number)) for number in range(2000)])
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, await owned(tmp_path), on_durable=show)
        for each in events:
            log.append(each)
        assert shown == []
        await log.settled(1000)
        assert shown[:1000] == events[:1000]
        await log.settled()
        assert shown == events


async def test_closing_writes_what_was_handed_in(tmp_path: Path) -> None:
    shown: list[Envelope] = []
    events = numbered([said(str(number)) for number in range(700)])
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, await owned(tmp_path), on_durable=shown.extend)
        for each in events:
            log.append(each)
    assert shown == events
    assert await on_disk(tmp_path) == events
    with pytest.raises(StoreFailed, match="closed"):
        log.append(envelope(701, said("late")))


async def test_cancelling_does_not_cut_the_closing_short(tmp_path: Path) -> None:
    events = numbered([said(str(number)) for number in range(300)])
    with anyio.CancelScope() as scope:
        async with Writer(tmp_path) as writer:
            log = EventLog(writer, await owned(tmp_path))
            for each in events:
                log.append(each)
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert await on_disk(tmp_path) == events


async def test_sessions_share_the_writer_without_mixing(tmp_path: Path) -> None:
    names = [f"ses_{number}" for number in range(10)]
    async with Writer(tmp_path) as writer:

        async def produce(session: str) -> None:
            log = EventLog(writer, await owned(tmp_path, session))
            for each in numbered([said(f"{session} {n}") for n in range(20)], session=session):
                log.append(each)
                await log.settled(each.seq)

        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(produce, name)
    for name in names:
        events = [each.data for each in await on_disk(tmp_path, name)]
        assert events == [said(f"{name} {n}") for n in range(20)]


async def test_a_large_event_goes_through_a_blob_unnoticed(tmp_path: Path) -> None:
    large = ToolResulted(call_id="c", name="read", status="done", parts=(Text(text="é" * 200_000),))
    events = numbered([said("small"), large, said("small again")])
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, await owned(tmp_path))
        for each in events:
            log.append(each)
        await log.settled()
    kept = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600]
    assert await on_disk(tmp_path) == events


async def test_an_event_out_of_place_is_a_bug_and_leaves_no_gap(tmp_path: Path) -> None:
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, await owned(tmp_path))
        log.append(envelope(1, said("one")))
        wrong = [
            envelope(1, said("again")),
            envelope(3, said("a gap")),
            envelope(2, said("another session"), session="ses_2"),
            envelope(2, ModelDelta(part=0, text="not for keeping")),
        ]
        for each in wrong:
            with pytest.raises(ValueError, match="is not durable event 2"):
                log.append(each)
        log.append(envelope(2, said("two")))
        await log.settled()
        with pytest.raises(ValueError, match="was not appended"):
            await log.settled(3)
    assert [each.seq for each in await on_disk(tmp_path)] == [1, 2]


async def test_a_resumed_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    first = numbered(a_turn(1))
    lease = await owned(tmp_path)
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, lease)
        for each in first:
            log.append(each)
    found = await anyio.to_thread.run_sync(resume.load, tmp_path, lease)
    second = numbered(a_turn(2), after=found.last)
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, lease, after=found.last)
        for each in second:
            log.append(each)
    assert await on_disk(tmp_path) == first + second


async def test_a_log_that_does_not_know_the_end_is_refused_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    lease = await owned(tmp_path)
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, lease)
        log.append(envelope(1, said("kept")))
    async with Writer(tmp_path) as writer:
        await writer.ready()
        forgetful = EventLog(writer, lease)
        fine = EventLog(writer, await owned(tmp_path, "ses_2"))
        forgetful.append(envelope(1, said("overwriting")))
        fine.append(envelope(1, said("fine"), session="ses_2"))
        await fine.settled()
        with pytest.raises(StoreFailed, match="ends with event 1 on the disk"):
            await forgetful.settled()
        with pytest.raises(StoreFailed, match="ends with event 1 on the disk"):
            forgetful.append(envelope(2, said("later")))
    assert [each.data for each in await on_disk(tmp_path)] == [said("kept")]


async def test_a_breaking_face_does_not_keep_the_others_from_the_event(tmp_path: Path) -> None:
    broken: list[str] = []
    shown: list[Envelope] = []

    def breaks(_: list[Envelope]) -> None:
        raise RuntimeError("a face broke")

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: broken.append(str(context["exception"])))
    async with Writer(tmp_path) as writer:
        await writer.ready()
        first = EventLog(writer, await owned(tmp_path), on_durable=breaks)
        second = EventLog(writer, await owned(tmp_path, "ses_2"), on_durable=shown.extend)
        first.append(envelope(1, said("one")))
        second.append(envelope(1, said("two"), session="ses_2"))
        await first.settled()
        await second.settled()
    assert broken == ["a face broke"]
    assert [each.session for each in shown] == ["ses_2"]


async def test_a_session_changed_elsewhere_meanwhile_goes_on_with_the_same_writer(
    tmp_path: Path,
) -> None:
    def elsewhere() -> None:
        keep(tmp_path, [envelope(2, said("elsewhere"))])

    async with Writer(tmp_path) as writer:
        lease = await owned(tmp_path)
        first = EventLog(writer, lease)
        first.append(envelope(1, said("one")))
        await first.settled()
        await anyio.to_thread.run_sync(elsewhere)
        again = EventLog(writer, lease, after=2)
        again.append(envelope(3, said("three")))
        await again.settled()
    assert [each.seq for each in await on_disk(tmp_path)] == [1, 2, 3]
