"""Events of a recorded run in the names and fields of the earlier design, and commands to it."""

from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.commands import Approve, Interrupt, Submit
from ouroboros.core.events import Envelope, PermissionRequested, TaskCompleted
from ouroboros.core.events.aliases import ALIASES
from ouroboros.core.events.code import CodeGenerated
from ouroboros.core.events.earlier import Earlier
from ouroboros.core.events.schema import decode, registry
from ouroboros.core.state import fold
from ouroboros.llm.turns import Turn
from ouroboros.store import resume
from ouroboros.store.lease import Lease
from tests.story.rlm_stage import block, rlm_stage

FIELDS: dict[str, set[str]] = {
    "rlm:iteration-start": {"iteration", "taskGoal"},
    "rlm:stream-token": {"token", "iteration"},
    "rlm:code-generated": {"code", "blockIndex"},
    "rlm:code-result": {"metadata", "blockIndex", "error"},
    "rlm:sub-llm-start": {"prompt"},
    "rlm:sub-llm-complete": {"resultMeta"},
    "rlm:page-changes": {"changes"},
    "rlm:log": {"message"},
    "rlm:error": {"error"},
    "rlm:complete": {"final"},
    "rlm:env-update": {"metadata"},
    "rlm:confirmation-req": {"action", "details"},
}


@pytest.mark.deep
@pytest.mark.proves("B26", "B27", "C14")
async def test_a_recorded_run_is_told_the_old_way(tmp_path: Path) -> None:
    turns = [
        block("const a = await llm_query('Read.', 'x');\nlog(a);\na", "nowhere()"),
        Turn(text="read"),
        block("await write('a.txt', 'x').catch(() => 0);\nsetFinal({done: true})"),
    ]
    async with rlm_stage(tmp_path, turns, mode="ask") as s:
        await s.run("Read it.")
        shown = s.shown
    earlier = Earlier()
    told = [found for envelope in shown if (found := earlier.tell(envelope)) is not None]
    names = {name for name, _ in told}
    assert names == set(FIELDS) - {"rlm:page-changes", "rlm:error"}
    for name, fields in told:
        assert fields.keys() <= FIELDS[name]
        assert FIELDS[name] - fields.keys() <= {"error"}
        assert ALIASES[name] in registry()
    results = [fields for name, fields in told if name == "rlm:code-result"]
    assert [fields["blockIndex"] for fields in results] == [0, 1, 0]
    assert ["error" in fields for fields in results] == [False, True, False]
    asked = next(fields for name, fields in told if name == "rlm:confirmation-req")
    request = next(e.data for e in shown if isinstance(e.data, PermissionRequested))
    assert asked == {"action": request.action, "details": request.input}
    assert "a.txt" in request.action
    assert "a.txt" in request.input
    assert told[-1] == ("rlm:complete", {"final": '{"done":true}'})
    starts = [fields for name, fields in told if name == "rlm:iteration-start"]
    assert starts[1] == {"iteration": 2, "taskGoal": "Read it."}


def kept(home: Path, session: str) -> list[Envelope]:
    with Lease.take(home, session) as lease:
        return resume.load(home, lease).envelopes


@pytest.mark.proves("B27")
async def test_replay_equals_live(tmp_path: Path) -> None:
    turns = [
        block("const a = await llm_query('Read.', 'x');\na", "nowhere()"),
        Turn(text="read"),
        block("setFinal(a)"),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run("Read it.")
        live, session = s.session.state, s.session.id
    assert fold(await to_thread.run_sync(kept, tmp_path / "home", session)) == live
    assert (live.iteration, live.sub_calls, live.mind) == (2, 1, "rlm")


@pytest.mark.deep
@pytest.mark.proves("B28")
async def test_commands_reach_a_run(tmp_path: Path) -> None:
    turns = [
        block("await write('a.txt', 'x');"),
        block("setFinal('written')"),
        block("await sleep(10_000)"),
    ]
    async with rlm_stage(tmp_path, turns, mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Submit(text="Write."))
            await s.until(PermissionRequested)
            assert s.session.state.status == "waiting"
            asked = s.events(PermissionRequested)[0]
            assert asked.tool == "write"
            await s.session.send(Approve(request_id=asked.request_id))
            await s.until(TaskCompleted)
        assert (s.cwd / "a.txt").read_text() == "x"
        assert s.session.state.final == "written"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Submit(text="Wait."))
            await s.until(CodeGenerated, 3)
            await s.session.send(Interrupt())
        assert s.session.state.ended == "cancelled"


@pytest.mark.proves("B27")
def test_old_lines_without_the_new_fields_are_read() -> None:
    line = (
        b'{"v":1,"id":"e","session":"s","turn":1,"seq":1,"ts":0.0,"type":"iteration.started",'
        b'"source":"system","data":{"iteration":3}}'
    )
    assert getattr(decode(line).data, "iteration", 0) == 3
