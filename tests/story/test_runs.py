"""Whole runs over real HTTP, in each wire format."""

from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from dirty_equals import IsPartialDict
from msgspec.structs import replace

from ouroboros.app.ouroboros import Outcome
from ouroboros.core.commands import Interrupt, Steer
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    ErrorRaised,
    ModelDelta,
    ModelRetried,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.passing import hurrying, passes, until
from tests.story.inhabitants import inhabitants
from tests.story.stage import FORMATS, call, stage

DONE = Turn(text="All done.")


@pytest.mark.proves("A02", "CF26")
@pytest.mark.parametrize("format", FORMATS)
async def test_a_run_acts_and_answers(tmp_path: Path, format: str) -> None:
    turns = [
        Turn(
            text="First I look.",
            tool_calls=(call("ls", path="."), call("shell", command="echo hi > out.txt")),
        ),
        DONE,
    ]
    async with stage(tmp_path, turns, format=format) as s:
        outcome = await s.run("Say hi in out.txt")
        assert (outcome.reason, outcome.final, outcome.exit_code) == ("completed", "All done.", 0)
        assert (s.cwd / "out.txt").read_text() == "hi\n"
        assert s.types == [
            "session.ready",
            "user.message",
            "user.message",
            "turn.started",
            "agent.message",
            "tool.started",
            "tool.attempted",
            "tool.result",
            "tool.started",
            "checkpoint.created",
            "tool.attempted",
            "tool.result",
            "turn.started",
            "agent.message",
            "checkpoint.created",
            "task.completed",
        ]
        numbers = [envelope.seq for envelope in s.shown if envelope.data.durable]
        assert numbers == list(range(1, len(numbers) + 1))
        assert s.server.connections == 1


async def test_every_event_says_its_turn(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(tool_calls=(call("ls"),)), DONE]) as s:
        await s.run()
        turns = [(e.type, e.turn) for e in s.shown if e.type in {"turn.started", "agent.message"}]
        assert turns == [
            ("turn.started", 1),
            ("agent.message", 1),
            ("turn.started", 2),
            ("agent.message", 2),
        ]


@pytest.mark.deep
async def test_no_delta_overtakes_what_was_recorded_before_it(tmp_path: Path) -> None:
    folders = ["./" * n for n in range(1, 11)]
    turns = [Turn(text="a b c", chunk=1, tool_calls=(call("ls", path=path),)) for path in folders]
    async with stage(tmp_path, [*turns, DONE]) as s:
        await s.run()
        last = 0
        for envelope in s.shown:
            assert envelope.seq == (last + 1 if envelope.data.durable else last), envelope
            last = envelope.seq


async def test_a_face_that_breaks_does_not_end_the_run(tmp_path: Path) -> None:
    heard: list[str] = []

    def broken(envelope: Envelope) -> None:
        heard.append(envelope.type)
        raise RuntimeError("a bug of the face")

    async with stage(tmp_path, [DONE]) as s:
        s.session.listen(broken)
        outcome = await s.run()
        assert (outcome.reason, len(heard)) == ("completed", 1)
        assert s.types[-1] == "task.completed"


@pytest.mark.deep
@pytest.mark.proves("A02")
async def test_the_request_holds_calls_and_results_in_call_order(tmp_path: Path) -> None:
    slow_then_fast = (
        call("shell", command="sleep 0.05; echo slow"),
        call("ls", path="."),
        call("shell", command="echo fast"),
    )
    async with stage(tmp_path, [Turn(tool_calls=slow_then_fast), DONE]) as s:
        await s.run()
        messages = s.body()["messages"]
        calls = next(m for m in messages if m["role"] == "assistant")["tool_calls"]
        results = [m for m in messages if m["role"] == "tool"]
        assert [c["id"] for c in calls] == [r["tool_call_id"] for r in results]
        assert "slow" in results[0]["content"]
        assert "fast" in results[2]["content"]
        assert [m["role"] for m in messages[-5:]] == ["user", "assistant", "tool", "tool", "tool"]


@pytest.mark.proves("spine-shown-by", "A03", "H25", "CF25", "codex-4.1")
@pytest.mark.deep
async def test_two_hundred_tool_turns_are_not_cut_off(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("ls", path="./" * n),)) for n in range(1, 201)]
    async with stage(tmp_path, [*turns, DONE]) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.turns) == ("completed", 201)
        assert [r.status for r in s.events(ToolResulted)] == ["done"] * 200
        assert s.server.connections == 1


@pytest.mark.deep
@pytest.mark.proves("spine-agent")
async def test_a_call_starts_while_the_reply_still_streams(tmp_path: Path) -> None:
    text = "x" * 1000
    turns = [
        Turn(
            tool_calls=(
                call("shell", command="echo early > early.txt"),
                call("write", path="b", content=text),
            ),
            chunk=4,
            pace_seconds=0.002,
        ),
        DONE,
    ]
    async with stage(tmp_path, turns, format="anthropic") as s:
        await s.run()
        kinds = [
            "first call" if isinstance(e.data, ToolAttempted) else "delta"
            for e in s.shown
            if isinstance(e.data, ToolAttempted)
            or (
                isinstance(e.data, ModelDelta) and e.data.kind == "call" and e.data.phase == "delta"
            )
        ]
        assert "delta" in kinds[kinds.index("first call") :]
        partial, *later = [m for m in s.events(AgentMessage) if m.message.calls]
        assert (partial.partial, later[-1].partial) == (True, False)
        assert partial.message.id == later[-1].message.id
        assert later[-1].message.calls[:1] == partial.message.calls


@pytest.mark.deep
@pytest.mark.proves("A10")
async def test_a_command_that_changes_files_waits_for_those_before_it_and_is_waited_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("first\n")
    words = [
        "until test -e ready; do sleep 0.02; done; cat a.txt",
        "echo here; python3 -c 'import os; os.close(os.open(\"ready\", os.O_CREAT))'",
        "mv a.txt b.txt",
        "cat b.txt",
    ]
    calls = tuple(call("exec_command", cmd=each) for each in words)
    async with stage(tmp_path, [Turn(tool_calls=calls), DONE]) as s:
        await s.run()
        said = {
            e.data.call_id: "".join(p.text for p in e.data.parts if isinstance(p, Text))
            for e in s.shown
            if isinstance(e.data, ToolResulted)
        }
    # The first would never end if the second were not beside it, nor say so if the third were.
    first, _, _, last = (said[each] for each in sorted(said))
    assert "first" in first
    assert "first" in last


@pytest.mark.deep
@pytest.mark.proves("A10")
async def test_reads_run_together_and_writes_alone(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("a")
    reads = tuple(call("read", path="a.txt") for _ in range(3))
    writes = tuple(call("shell", command=f"sleep 0.01; echo {n}") for n in range(2))
    async with stage(tmp_path, [Turn(tool_calls=(*reads, *writes)), DONE]) as s:
        await s.run()
        marks = [
            (type(e.data).__name__, e.data.call_id)
            for e in s.shown
            if isinstance(e.data, ToolStarted | ToolResulted)
        ]
        started = [call_id for kind, call_id in marks if kind == "ToolStarted"]
        assert [kind for kind, _ in marks[:3]] == ["ToolStarted"] * 3
        shell = marks[6:]
        assert shell == [
            ("ToolStarted", started[3]),
            ("ToolResulted", started[3]),
            ("ToolStarted", started[4]),
            ("ToolResulted", started[4]),
        ]


@pytest.mark.deep
@pytest.mark.proves("A23")
async def test_a_steer_is_heard_at_the_next_turn(tmp_path: Path) -> None:
    wait = "until [ -e heard ]; do sleep 0.01; done"
    turns = [Turn(tool_calls=(call("shell", command=wait),)), DONE]
    async with stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        await s.until(ToolAttempted)
        await s.session.send(Steer(text="Mind the gap."))
        await anyio.Path(s.cwd / "heard").touch()
    assert s.body()["messages"][-1] == {"role": "user", "content": "Mind the gap."}
    assert [m.message.text for m in s.events(UserMessage) if m.steered] == ["Mind the gap."]


@pytest.mark.deep
@pytest.mark.proves("A23")
async def test_a_steer_after_the_last_word_is_not_lost(tmp_path: Path) -> None:
    turns = [Turn(text="D?", chunk=1, pace_seconds=30), Turn(text="Heard.")]
    async with stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        async with hurrying(1):
            await until(lambda: s.events(ModelDelta))
        await s.session.send(Steer(text="One more thing."))
        async with hurrying(1):
            await until(lambda: s.events(TaskCompleted))
    assert s.events(TaskCompleted)[-1].final == "Heard."


async def test_a_steer_is_heard_that_comes_while_a_run_is_ended(tmp_path: Path) -> None:
    """Its end is on record and not yet on disk, and the person was still shown a run."""
    turns = [DONE, Turn(text="Heard.")]
    async with stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        while not s.session.state.ended:
            await anyio.lowlevel.checkpoint()
        assert not s.events(TaskCompleted)
        await s.session.send(Steer(text="One more thing."))
    assert [event.final for event in s.events(TaskCompleted)] == ["All done.", "Heard."]
    assert s.body()["messages"][-1] == {"role": "user", "content": "One more thing."}


@pytest.mark.deep
@pytest.mark.proves("A11", "codex-4.5")
async def test_a_cancel_ends_the_tool_and_leaves_a_valid_history(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command="echo on; sleep 60"), call("ls"))), DONE]
    async with stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(ToolProgress)
            with anyio.fail_after(60):
                await s.session.send(Interrupt())
                await s.until(TaskCancelled)
        assert not await to_thread.run_sync(inhabitants, s.cwd)
        assert s.session.state.ended == "cancelled"
        assert s.session.state.calls == {}
        outcome = await s.run("Go on.")
        assert outcome.reason == "completed"
        results = [m for m in s.body()["messages"] if m["role"] == "tool"]
        assert len(results) == 2
        assert all("aborted" in result["content"] for result in results)


@pytest.mark.deep
@pytest.mark.proves("A05")
async def test_a_cancel_in_the_stream_keeps_what_was_said(tmp_path: Path) -> None:
    turns = [Turn(text="ab cd ef gh " * 20, chunk=2, pace_seconds=0.05), DONE]
    async with stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(ModelDelta, 4)
            await s.session.send(Interrupt())
        phases = [d.phase for d in s.events(ModelDelta)]
        assert (phases[0], phases[-1]) == ("start", "end")
        assert s.events(AgentMessage)[-1].partial
        assert (await s.run("Go on.")).final == "All done."


@pytest.mark.proves("A04", "CF25")
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_turns": 2}, "limit_reached:max_turns"),
        ({"max_tokens": 150}, "limit_reached:max_tokens"),
        ({"max_time": 600}, "limit_reached:max_time"),
    ],
)
async def test_a_cap_ends_the_run_by_name(
    tmp_path: Path, limits: dict[str, float], reason: str
) -> None:
    usage = ScriptedUsage(input_uncached=90, output_text=10)
    rest = "30" if "max_time" in limits else "0.01"
    turns = [
        Turn(text="on", tool_calls=(call("shell", command=f"sleep {rest}{n}"),), usage=usage)
        for n in range(5)
    ]
    outcomes: list[Outcome] = []
    async with stage(tmp_path, turns, limits=limits) as s:

        async def run() -> None:
            outcomes.append(await s.run())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await s.until(ToolAttempted)
            if "max_time" in limits:
                passes(600)
    (outcome,) = outcomes
    assert (outcome.reason, outcome.exit_code, outcome.final) == (reason, 3, "on")


@pytest.mark.proves("A04")
async def test_a_cap_on_cost_needs_a_price_and_then_holds(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=1_000_000, output_text=0)
    turn = Turn(tool_calls=(call("ls"),), usage=usage)
    prices = {"scripted": {"input": 2.0, "output": 4.0, "window": 10_000_000}}
    async with stage(tmp_path, [turn] * 5, limits={"max_cost": 3.0}, models=prices) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.turns, outcome.spent.cost) == (
            "limit_reached:max_cost",
            2,
            4.0,
        )


async def test_a_rate_limit_is_waited_out(tmp_path: Path) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=0.05)), DONE]
    async with stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "completed"
        assert [(r.attempt, r.delay_seconds) for r in s.events(ModelRetried)] == [(1, 0.05)]


@pytest.mark.deep
@pytest.mark.proves("A15")
async def test_a_failing_provider_ends_the_run_and_it_can_go_on(tmp_path: Path) -> None:
    turns = [Turn(fault=Fault(kind="auth")), DONE]
    async with stage(tmp_path, turns) as s:
        outcome = await s.run("Hello")
        assert (outcome.reason, outcome.exit_code) == ("failed", 1)
        assert s.events(ErrorRaised)[0].kind == "auth"
        assert (await s.run("")).final == "All done."


@pytest.mark.deep
async def test_a_stream_that_breaks_after_a_call_keeps_the_call(tmp_path: Path) -> None:
    long = call("write", path="b.txt", content="y" * 3000)
    turns = [
        Turn(
            tool_calls=(call("shell", command="echo one >> count.txt"), long),
            chunk=20,
            pace_seconds=0.001,
            fault=Fault(kind="cut", after=900),
        ),
        DONE,
    ]
    async with stage(tmp_path, turns, format="anthropic") as s:
        outcome = await s.run()
        assert outcome.reason == "completed"
        assert (s.cwd / "count.txt").read_text() == "one\n"
        assert [e.fault for e in s.events(ErrorRaised)] == ["stream"]


@pytest.mark.deep
async def test_repeated_call_ids_are_told_apart(tmp_path: Path) -> None:
    twice = [Turn(tool_calls=(call("shell", command=f"echo {n}"),)) for n in ("first", "second")]
    for turn in twice:
        assert turn.tool_calls[0].id == ""
    turns = [
        replace(turn, tool_calls=(replace(turn.tool_calls[0], id="call_0"),)) for turn in twice
    ]
    async with stage(tmp_path, [*turns, DONE]) as s:
        await s.run()
        tools = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
        assert ["first" in tools[0], "second" in tools[1]] == [True, True]


@pytest.mark.deep
@pytest.mark.proves("A07", "D01", "divergences-progress-of-a-tool")
async def test_progress_comes_before_the_result(tmp_path: Path) -> None:
    command = "for i in 1 2 3; do echo $i; sleep 0.1; done"
    async with stage(tmp_path, [Turn(tool_calls=(call("shell", command=command),)), DONE]) as s:
        await s.run()
        kinds = [
            type(e.data).__name__
            for e in s.shown
            if isinstance(e.data, ToolProgress | ToolResulted)
        ]
        assert kinds == ["ToolProgress"] * 3 + ["ToolResulted"]


@pytest.mark.deep
@pytest.mark.proves("H20")
async def test_a_secret_of_the_environment_enters_no_event(tmp_path: Path) -> None:
    secret = "sk-very-secret-value-1"
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text(f"KEY={secret}\n")
    long = f"yes {secret} | head -n 3000"
    turns = [
        Turn(tool_calls=(call("read", path=".env"), call("shell", command=long))),
        Turn(text=f"It is {secret}."),
    ]
    environment = {"OPENAI_API_KEY": secret}
    async with stage(tmp_path, turns, environment=environment) as s:
        await s.run()
        assert s.session.state.final == "It is [REDACTED:OPENAI_API_KEY]."
        assert secret not in s.body()["messages"][-1]["content"]
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


@pytest.mark.proves("spine-tools", "CF26")
async def test_the_done_tool_ends_the_run(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("done", answer="Finished it."),))]
    async with stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "Finished it.")
        assert s.events(TaskCompleted) == [TaskCompleted(reason="completed", final="Finished it.")]


@pytest.mark.proves("divergences-empty-reply")
async def test_an_empty_reply_is_nudged(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text=""), DONE]) as s:
        assert (await s.run()).final == "All done."
        assert s.body()["messages"][-1] == IsPartialDict(role="user")
        assert "empty" in s.body()["messages"][-1]["content"]
