"""Sessions that stay open for any number of faces: who comes, goes and is slow sees the same events."""

import random
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import lowlevel, to_thread

from ouroboros.app.hub import Gap, Room, hub
from ouroboros.app.hub.room import PAGE
from ouroboros.core.commands import Approve, Branch, Interrupt, Queue, SetTitle, Steer, Submit
from ouroboros.core.errors import Misuse, SessionBusy, SessionUnknown
from ouroboros.core.events import Envelope, ModelDelta, PermissionRequested, ToolProgress
from ouroboros.llm.turns import Fault, Turn
from ouroboros.store import resume
from tests.story.hub_stage import durable, hub_stage, idle, outfit
from tests.story.stage import call

LONG = Turn(text="word " * 150, chunk=5, pace_seconds=0.002)
STALLED = Turn(text="Half of it, and more.", fault=Fault(kind="stall", after=11))


async def kept(room: Room, home: Path) -> list[bytes]:
    found = await to_thread.run_sync(resume.read, home, room.id)
    return [msgspec.json.encode(each) for each in found.envelopes]


async def seen(room: Room, kind: type, count: int = 1) -> list[Envelope]:
    """Follows from the beginning until so many events of a kind were shown."""
    found: list[Envelope] = []
    with anyio.fail_after(60):
        async with room.follow() as events:
            async for each in events:
                if not isinstance(each, Gap):
                    found.append(each)
                    if sum(isinstance(one.data, kind) for one in found) >= count:
                        break
    return found


@pytest.mark.proves("T16")
async def test_a_run_goes_on_when_nobody_looks_and_who_comes_back_sees_all_of_it(
    tmp_path: Path,
) -> None:
    turns = [
        Turn(text="I make it.", tool_calls=(call("write", path="a.txt", content="made"),)),
        Turn(text="Made."),
    ]
    async with hub_stage(tmp_path, turns) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Make it."))
        assert room.running
        await idle(room)
        assert (tmp_path / "work" / "a.txt").read_text() == "made"
        everything = await kept(room, tmp_path / "home")
        assert await durable(room, upto=room.state.seq) == everything
        assert await durable(room, after=3, upto=room.state.seq) == everything[3:]


async def test_faces_that_ask_for_one_session_at_the_same_moment_get_one_room(
    tmp_path: Path,
) -> None:
    async with hub_stage(tmp_path, [Turn(text="Yes.")]) as s:
        first = await s.hub.open()
        await first.send(Submit(text="Is it?"))
        await idle(first)
        name = first.id
        await s.hub.close(name)
        assert s.hub.rooms() == ()
        found: list[Room] = []

        async def ask(resume: str) -> None:
            found.append(await s.hub.open(resume=resume, latest=not resume))

        async with anyio.create_task_group() as tasks:
            for words in (name, name[-8:], "Is it?", ""):
                tasks.start_soon(ask, words)
        assert len({id(room) for room in found}) == 1
        assert s.hub.rooms() == (found[0],)
        with pytest.raises(SessionUnknown):
            await s.hub.open(resume="ses_nobody")


@pytest.mark.deep
@pytest.mark.proves("T16")
async def test_who_joins_in_the_middle_of_a_reply_is_told_what_was_said_so_far_and_nothing_twice(
    tmp_path: Path,
) -> None:
    async with hub_stage(tmp_path, [LONG]) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Talk."))
        await seen(room, ModelDelta, 40)
        told: list[Envelope] = []
        async with room.follow() as events:
            await anyio.sleep(0.05)  # what is said meanwhile waits, and is in what was said so far
            async for each in events:
                assert not isinstance(each, Gap)
                told.append(each)
                if each.type == "task.completed":
                    break
        deltas = [each.data for each in told if isinstance(each.data, ModelDelta)]
        assert deltas[0].phase == "start"
        assert len(deltas) < 150
        assert "".join(each.text for each in deltas) == LONG.text
        assert [each.phase for each in deltas].count("end") == 1


@pytest.mark.deep
async def test_who_joins_while_a_command_runs_gets_its_output_once(tmp_path: Path) -> None:
    command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended"
    turns = [Turn(tool_calls=(call("shell", command=command),)), Turn(text="Done.")]
    async with hub_stage(tmp_path, turns) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Run it."))
        await seen(room, ToolProgress)
        told: list[Envelope] = []
        async with room.follow() as events:
            async for each in events:
                assert not isinstance(each, Gap)
                told.append(each)
                if isinstance(each.data, ToolProgress):
                    (tmp_path / "work" / "go").touch()
                if each.type == "task.completed":
                    break
        said = "".join(each.data.text for each in told if isinstance(each.data, ToolProgress))
        assert said == "begun\nended\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-reconnecting")
async def test_readers_who_are_slow_lose_deltas_and_never_an_event(tmp_path: Path) -> None:
    turns = [
        Turn(text="word " * 60, chunk=5, tool_calls=(call("read", path="a.txt"),))
        for _ in range(12)
    ]
    async with hub_stage(tmp_path, [*turns, Turn(text="Done.")]) as s:
        (tmp_path / "work" / "a.txt").write_text("a\n")
        room = await s.hub.open()
        lists: list[list[int]] = []
        gaps: list[int] = []
        chance = random.Random(7)

        async def read(pause: float) -> None:
            numbers: list[int] = []
            async with room.follow(capacity=4) as events:
                async for each in events:
                    if isinstance(each, Gap):
                        assert each.after == (numbers[-1] if numbers else 0)
                        gaps.append(each.after)
                    elif each.data.durable:
                        numbers.append(each.seq)
                        if each.type == "task.completed":
                            break
                    await anyio.sleep(pause * chance.random())
            lists.append(numbers)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for pause in (0, 0, 0.01, 0.02, 0.03):
                    tasks.start_soon(read, pause)
                await room.send(Submit(text="Read it."))
        assert lists == [list(range(1, room.state.seq + 1))] * 5
        assert gaps


@pytest.mark.deep
async def test_a_long_log_is_read_by_pages(tmp_path: Path) -> None:
    async with hub_stage(tmp_path, [Turn(text="Yes.")]) as s:
        room = await s.hub.open()
        for number in range(PAGE + 20):
            await room.send(SetTitle(title=f"title {number}"))
        last = room.state.seq
        assert last > PAGE
        assert await durable(room, upto=last) == await kept(room, tmp_path / "home")
        assert [each.seq for each in await room.past(PAGE - 2, 3)] == [PAGE - 1, PAGE, PAGE + 1]


@pytest.mark.deep
@pytest.mark.proves("T16")
async def test_a_room_nobody_needs_is_closed_and_the_next_look_opens_it_again(
    tmp_path: Path,
) -> None:
    turns = [Turn(text="I ask.", tool_calls=(call("shell", command="rm -r x"),)), Turn(text="No.")]
    async with hub_stage(tmp_path, turns, mode="ask", close_after=0.2) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Remove it."))
        await seen(room, PermissionRequested)
        await anyio.sleep(0.6)
        assert s.hub.rooms() == (room,), "a question waits for its answer"
        (request,) = room.state.approvals
        async with room.follow():
            await room.send(Interrupt())
            await idle_quietly(room)
            await anyio.sleep(0.5)
            assert s.hub.rooms() == (room,), "somebody looks at it"
        with anyio.fail_after(60):
            await room.gone.wait()
        assert s.hub.rooms() == ()
        with pytest.raises(Misuse, match="being closed"):
            await room.send(Approve(request_id=request))
        again = await s.hub.open(resume=room.id)
        assert again is not room
        assert again.state.history == room.state.history


async def idle_quietly(room: Room) -> None:
    """As ``idle``, without a listener, which would count as a look."""
    with anyio.fail_after(60):
        while True:
            if not room.running:
                return
            await anyio.sleep(0.01)


async def test_words_for_a_run_that_has_just_ended_begin_one(tmp_path: Path) -> None:
    async with hub_stage(
        tmp_path, [Turn(text="One."), Turn(text="Two."), Turn(text="Three.")]
    ) as s:
        room = await s.hub.open()
        await room.send(Steer(text="Say one."))
        await idle(room)
        assert room.state.final == "One."
        await room.send(Queue(text="Say two."))
        await idle(room)
        assert room.state.final == "Two."
        with pytest.raises(Misuse, match="nothing to say"):
            await room.send(Steer(text=" "))
        with pytest.raises(Misuse, match="nothing was cut off"):
            await room.send(Submit(text=""))
        assert not room.running


@pytest.mark.deep
async def test_a_run_that_was_cut_off_goes_on_without_words(tmp_path: Path) -> None:
    async with hub_stage(tmp_path, [STALLED, Turn(text="All of it.")]) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Say all."))
        await seen(room, ModelDelta, 2)
        name = room.id
        await s.hub.close(name)
        again = await s.hub.open(resume=name)
        assert again.state.ended == "cancelled"
        await again.send(Submit(text=""))
        await idle(again)
        assert again.state.final == "All of it."


async def test_closing_stops_what_runs_and_keeps_it_and_a_closed_hub_opens_nothing(
    tmp_path: Path,
) -> None:
    async with hub_stage(tmp_path, [STALLED]) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Say all."))
        found = await seen(room, ModelDelta, 2)
        rest: list[str] = []

        async def follow() -> None:
            async with room.follow(found[-1].seq) as events:
                rest.extend([each.type async for each in events if isinstance(each, Envelope)])

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(follow)
                await lowlevel.checkpoint()
                await s.hub.close_all()
        assert rest[-1] == "task.cancelled"
        with pytest.raises(Misuse, match="about to end"):
            await s.hub.open()
    log = await to_thread.run_sync(resume.read, tmp_path / "home", room.id)
    assert log.envelopes[-1].type == "task.cancelled"


@pytest.mark.deep
@pytest.mark.proves("T16")
async def test_a_session_that_another_program_has_is_read_along_and_taken_when_that_lets_go(
    tmp_path: Path,
) -> None:
    turns = [Turn(text="First."), Turn(text="Second."), Turn(text="Third.")]
    async with hub_stage(tmp_path, turns) as s:
        async with hub(outfit(tmp_path, s.server.url)) as other:
            theirs = await other.open()
            await theirs.send(Submit(text="One?"))
            await idle(theirs)
            ours = await s.hub.open(resume=theirs.id)
            assert ours.is_read_only
            assert "can only be read here" in ours.session.warnings[0]
            assert ours.state.final == "First."
            assert ours.session.meter().used == ours.state.measured_tokens
            with pytest.raises(Misuse, match="in use by process"):
                await ours.send(Submit(text="Two?"))
            await s.hub.close(ours.id)
            with pytest.raises(SessionBusy):
                await s.hub.open(resume=theirs.id, at="1")
            ours = await s.hub.open(resume=theirs.id)
            seen_here: list[bytes] = []
            async with anyio.create_task_group() as tasks:

                async def watch() -> None:
                    seen_here.extend(await durable(ours, upto=theirs.state.seq + 4))

                tasks.start_soon(watch)
                await theirs.send(Submit(text="Two?"))
                await idle(theirs)
            everything = await kept(theirs, tmp_path / "home")
            assert seen_here == everything[: len(seen_here)]
            assert ours.is_read_only
        with anyio.fail_after(60):
            await ours.gone.wait()
        now = await s.hub.open(resume=theirs.id)
        assert not now.is_read_only
        await now.send(Submit(text="Three?"))
        await idle(now)
        assert now.state.final == "Third."


async def test_a_session_goes_on_by_the_settings_of_its_own_folder_and_from_a_message(
    tmp_path: Path,
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    async with hub_stage(
        tmp_path, [Turn(text="One."), Turn(text="Two."), Turn(text="Other.")]
    ) as s:
        room = await s.hub.open(cwd=own, mode="plan")
        assert (room.state.cwd, room.state.mode) == (str(own), "plan")
        for words in ("Say one.", "Say two."):
            await room.send(Submit(text=words))
            await idle(room)
        same = await s.hub.open(resume=room.id, at="2")
        assert same is room
        assert [each.text for each in room.session.history()][-1] == "One."
        await room.send(Submit(text="Say another."))
        await idle(room)
        assert room.state.final == "Other."
        with pytest.raises(Misuse):
            await room.send(Branch(message_id="msg_nobody"))
        assert (await s.hub.open(latest=True)).id != room.id
        assert (await s.hub.open(cwd=own, latest=True)) is room


async def test_what_happens_to_sessions_is_told_to_who_lists_them(tmp_path: Path) -> None:
    async with hub_stage(tmp_path, [Turn(text="One.")]) as s:
        told: list[tuple[str, bool]] = []

        def note(session: str) -> None:
            told.append((session, any(room.running for room in s.hub.rooms())))

        s.hub.listen(note)
        room = await s.hub.open()
        await room.send(Submit(text="Say it."))
        await idle(room)
        await s.hub.close(room.id)
        s.hub.forget(note)
        assert {session for session, _ in told} == {room.id}
        running = [runs for _, runs in told]
        assert (running[0], running[-1], True in running) == (False, False, True)
        count = len(told)
        await s.hub.open(resume=room.id)
        assert len(told) == count
