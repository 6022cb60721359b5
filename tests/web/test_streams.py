"""The websockets: who drops and comes back, races, or never reads; each ends with the same events."""

import random
from pathlib import Path

import anyio
import pytest
from websockets.exceptions import ConnectionClosed

from ouroboros.faces.web.patience import Patience
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.serving import Frame, Served, is_durable, web

TURNS = [
    Turn(text="word " * 40, chunk=4, pace_seconds=0.001, tool_calls=(call("read", path="a.txt"),)),
    Turn(text="more " * 40, chunk=4, pace_seconds=0.001, tool_calls=(call("read", path="a.txt"),)),
    Turn(text="last " * 40, chunk=4, pace_seconds=0.001),
]


async def follow_with_drops(s: Served, session: str, chance: random.Random) -> list[Frame]:
    """Reads a session to the end of its run over connections that break at random points."""
    found: list[Frame] = []
    while True:
        after = found[-1]["seq"] if found else 0
        left = chance.randrange(1, 12)
        async with s.follow(session, after) as socket:
            hello = await socket.hear()
            assert (hello["kind"], hello["session"], hello["api"]) == ("hello", session, 1)
            while left:
                frame = await socket.hear()
                left -= 1
                if frame["kind"] == "events":
                    found += [each for each in frame["events"] if is_durable(each)]
                if any(each["type"] == "task.completed" for each in found[-20:]):
                    return found
            if chance.random() < 0.5:
                socket.raw.transport.abort()


async def all_end_alike(tmp_path: Path, readers: int, seed: int) -> None:
    async with web(tmp_path, TURNS) as s:
        (tmp_path / "work" / "a.txt").write_text("a\n")
        session = await s.open()
        lists: list[list[Frame]] = []

        async def read(number: int) -> None:
            chance = random.Random(seed * 1_000 + number)
            await anyio.sleep(chance.random() * 0.3)
            lists.append(await follow_with_drops(s, session, chance))

        with anyio.fail_after(600):
            async with anyio.create_task_group() as tasks:
                for number in range(readers):
                    tasks.start_soon(read, number)
                await s.send(session, "submit", text="Read it.")
        log = await s.log(session)
        assert [each["seq"] for each in log] == list(range(1, len(log) + 1))
        assert len(lists) == readers
        for each in lists:
            assert each == log[: len(each)]
            assert each[-1]["type"] == "task.completed"


@pytest.mark.proves("interfaces-reconnecting")
async def test_five_clients_that_drop_and_come_back_end_with_identical_events(
    tmp_path: Path,
) -> None:
    await all_end_alike(tmp_path, 5, 0)


@pytest.mark.proves("interfaces-reconnecting")
@pytest.mark.soak
async def test_fifty_clients_that_drop_and_come_back_end_with_identical_events(
    tmp_path: Path,
) -> None:
    await all_end_alike(tmp_path, 50, 1)


@pytest.mark.proves("interfaces-reconnecting")
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
async def test_two_hundred_clients_that_drop_and_come_back_end_with_identical_events(
    tmp_path: Path, seed: int
) -> None:
    await all_end_alike(tmp_path, 200, seed)


@pytest.mark.deep
async def test_a_cursor_of_an_event_goes_on_right_after_it(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        await s.send(session, "submit", text="Is it?")
        await s.rests(session)
        log = await s.log(session)
        for after in range(len(log)):
            async with s.follow(session, after) as socket:
                found = await socket.events()
            assert found == log[after:]
        for odd in ("-1", "x", "1e3", "9" * 40, "%00"):
            async with s.socket(f"/sessions/{session}/stream?after={odd}") as socket:
                assert await socket.events() == log


async def race(tmp_path: Path, rounds: int, calls: int) -> None:
    """Two clients answer each of ``rounds * calls`` questions at the same moment."""
    turn = Turn(tool_calls=tuple(call("shell", command=f"rm -r x{n}") for n in range(calls)))
    async with web(tmp_path, [*[turn] * rounds, Turn(text="Done.")], mode="ask") as s:
        session = await s.open()
        outcomes: dict[str, dict[str, str]] = {}

        async def answer(name: str) -> None:
            asked: dict[str, str] = {}
            async with s.follow(session) as socket:
                is_over, told = False, 0
                # What the other client is told comes to the other client.
                while not is_over or told < len(asked):
                    frame = await socket.hear()
                    if frame["kind"] in {"done", "refused"}:
                        outcomes.setdefault(asked[frame["id"]], {})[name] = frame["kind"]
                        told += 1
                        if frame["kind"] == "refused":
                            assert "first answer counted" in frame["error"]
                    for each in frame.get("events", ()):
                        if each["type"] == "permission.requested":
                            request = each["data"]["request_id"]
                            wish = {"type": "deny", "request_id": request, "message": name}
                            asked[await socket.say(wish)] = request
                        is_over = is_over or each["type"] == "task.completed"

        with anyio.fail_after(900):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(answer, "left")
                tasks.start_soon(answer, "right")
                await s.send(session, "submit", text="Remove them.")
        log = await s.log(session)
        answered = [each["data"] for each in log if each["type"] == "permission.answered"]
        assert len(answered) == len(outcomes) == rounds * calls
        for each in answered:
            both = outcomes[each["request_id"]]
            assert sorted(both.values()) == ["done", "refused"]
            assert both[each["message"]] == "done"
        assert (await s.look(session))["approvals"] == []


@pytest.mark.deep
@pytest.mark.proves("V14")
async def test_two_clients_race_for_twelve_approvals_with_one_winner_each(tmp_path: Path) -> None:
    await race(tmp_path, 2, 6)


@pytest.mark.proves("V14")
@pytest.mark.deep
async def test_two_clients_race_for_forty_approvals_with_one_winner_each(tmp_path: Path) -> None:
    await race(tmp_path, 4, 10)


@pytest.mark.proves("V14")
@pytest.mark.soak
async def test_two_clients_race_for_a_thousand_approvals_with_one_winner_each(
    tmp_path: Path,
) -> None:
    await race(tmp_path, 50, 20)


@pytest.mark.deep
@pytest.mark.proves("T13")
async def test_clients_know_of_each_other_and_the_first_one_leads(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        async with s.socket("/stream") as first, s.follow(session) as second:
            assert (await first.until("sessions"))["sessions"][0]["id"] == session
            name = (await second.until("hello"))["client"]
            while True:
                here = (await first.until("present"))["clients"]
                if len(here) == 2:
                    break
            assert [each["session"] for each in here] == ["", session]
            assert [each["leads"] for each in here] == [True, False]
            assert here[1]["id"] == name
            async with s.socket("/stream") as third:
                seen = (await third.until("present"))["clients"]
                assert [each["leads"] for each in seen] == [True, False, False]
                await first.raw.close()
                while True:
                    seen = (await third.until("present"))["clients"]
                    if len(seen) == 2:
                        break
                assert (seen[0]["id"], seen[0]["leads"]) == (name, True)
                await s.send(session, "submit", text="Is it?")
                while True:
                    listed = (await third.until("sessions"))["sessions"][0]
                    if listed["title"] and not listed["running"]:
                        break


@pytest.mark.deep
async def test_frames_that_mean_nothing_are_refused_and_the_connection_stays(
    tmp_path: Path,
) -> None:
    nonsense: list[str | bytes] = [
        "",
        "{",
        "nonsense",
        "[]",
        "null",
        '"text"',
        "1e999",
        '{"kind":"odd"}',
        '{"kind":"command"}',
        '{"kind":"command","id":1,"command":{"type":"submit","text":"x"}}',
        '{"kind":"command","id":"1","command":{"type":"explode"}}',
        '{"kind":"command","id":"1","command":{"type":"submit","text":7}}',
        '{"kind":"command","id":"1","command":{"type":"resize","columns":0,"rows":-1}}',
        b"\xff\xfe\x00",
        "[" * 100_000,
        '{"kind":' * 20_000,
    ]
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        async with s.follow(session) as socket:
            for frame in nonsense:
                await socket.raw.send(frame)
                refused = await socket.until("refused")
                assert refused["id"] == ""
                assert refused["error"].startswith("not a frame")
            name = await socket.say({"type": "approve", "request_id": "nobody"})
            refused = await socket.until("refused")
            assert refused["id"] == name
            assert refused["hint"]
            await socket.say({"type": "submit", "text": "Is it?"})
            assert (await socket.events())[-1]["data"]["final"] == "Yes."


@pytest.mark.proves("V14")
async def test_an_answer_to_questions_and_one_wish_said_several_times_are_heard(
    tmp_path: Path,
) -> None:
    again = '{"kind":"command","id":"again","command":{"type":"approve","request_id":"nobody"}}'
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        async with s.follow(session) as socket:
            answer = {"type": "answer", "request_id": "nobody", "answers": {"a": ["x"]}}
            name = await socket.say(answer)
            assert (await socket.until("refused"))["id"] == name
            for _ in range(5):
                await socket.raw.send(again)
            for _ in range(5):
                assert (await socket.until("refused"))["id"] == "again"


@pytest.mark.deep
async def test_a_session_that_is_closed_says_so_and_the_next_look_opens_it(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        await s.send(session, "submit", text="Is it?")
        await s.rests(session)
        async with s.follow(session) as socket:
            await socket.events()
            assert (await s.client.delete(f"/api/v1/sessions/{session}")).status_code == 200
            assert (await socket.until("closed"))["reason"] == "closed"
            with pytest.raises(ConnectionClosed):
                await socket.hear()
        assert (await s.client.get("/api/v1/state")).json()["sessions"] == []
        async with s.follow(session) as socket:
            assert (await socket.hear())["kind"] == "hello"
        async with s.follow("ses_nobody") as socket:
            closed = await socket.hear()
            assert (closed["kind"], closed["reason"]) == ("closed", "failed")
            assert "there is no session" in closed["error"]


@pytest.mark.proves("interfaces-reconnecting")
@pytest.mark.deep
async def test_a_client_that_never_reads_does_not_hold_the_server_and_misses_nothing(
    tmp_path: Path,
) -> None:
    turns = [
        Turn(
            text="x" * 500_000,
            tool_calls=tuple(call("read", path=f"{turn}/{number}.txt") for number in range(20)),
        )
        for turn in range(16)
    ]
    # Who does not read answers no ping either.
    patience = Patience(ping=600)
    async with web(tmp_path, [*turns, Turn(text="Done.")], patience=patience) as s:
        session = await s.open()
        async with s.follow(session) as socket:
            await socket.hear()
            socket.raw.transport.pause_reading()
            await s.send(session, "submit", text="Talk.")
            assert (await s.rests(session, seconds=300))["watched"] == 1
            socket.raw.transport.resume_reading()
            found: list[Frame] = []
            gaps: list[int] = []
            while not found or found[-1]["type"] != "task.completed":
                frame = await socket.hear()
                found += [each for each in frame.get("events", ()) if is_durable(each)]
                if frame["kind"] == "gap":
                    gaps.append(frame["after"])
                    assert frame["after"] == found[-1]["seq"]
        assert gaps
        assert found == await s.log(session)
