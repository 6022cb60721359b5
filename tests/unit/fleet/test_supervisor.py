"""A child that does what it should, and children that crash, hang, flood, lie or speak otherwise."""

import os
import signal
import sys
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.core.clock import SystemClock
from ouroboros.core.ipc.codec import Writer
from ouroboros.core.ipc.messages import (
    Initialize,
    Log,
    PermissionRequest,
    PermissionResponse,
    Result,
)
from ouroboros.fleet.supervisor.supervise import AT_ONCE, LOG_CHARACTERS, Limits, Stop, Supervisor
from ouroboros.safety.companion import Companion, companion
from ouroboros.safety.guard import Guard
from tests.cases import every

pytestmark = pytest.mark.real

TASK = Initialize(agent_config_path="/c", system_prompt_path="/p", goal="mend it")
SOON = Limits(start=20, silence=20, grace=20)
TALK = """
import json, sys, time, os
def say(type, id="m1", version="1.0", **payload):
    print(json.dumps(dict(protocolVersion=version, messageId=id, type=type, payload=payload)), flush=True)
def hear():
    return json.loads(sys.stdin.readline() or "null")
first = hear()
say("task:initialized", pid=os.getpid())
"""
DONE = 'say("task:result", status="success", summary="mended", outputArtifactPath="/o")'


class Seat:
    """Says no to what is called ``rm``, waits for ever at ``wait``, and yes to all else."""

    def __init__(self) -> None:
        self.logs: list[Log] = []
        self.asked: list[PermissionRequest] = []
        self.withdrawn = 0
        self.heard = anyio.Event()

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        self.asked.append(request)
        self.heard.set()
        try:
            if request.tool_name == "wait":
                await anyio.sleep_forever()
        finally:
            self.withdrawn += request.tool_name == "wait"
        allowed = request.tool_name != "rm"
        return PermissionResponse(request_id="", behavior="allow" if allowed else "deny")

    def tell(self, log: Log) -> None:
        self.logs.append(log)
        self.heard.set()


@asynccontextmanager
async def started(folder: Path, code: str, head: str = TALK) -> AsyncGenerator[Companion]:
    guard = Guard()
    await anyio.to_thread.run_sync(guard.begin)
    program = [sys.executable, "-I", "-c", head + code]
    async with companion(program, cwd=folder, environment={}, guard=guard) as child:
        yield child


async def ended(
    folder: Path, code: str, *, head: str = TALK, limits: Limits = SOON, seat: Seat | None = None
) -> Result:
    writer = Writer(SystemClock(), lambda: str(uuid.uuid4()))
    async with started(folder, code, head) as child:
        supervisor = Supervisor(child, writer, seat or Seat(), limits)
        with anyio.fail_after(60):
            result = await supervisor.run(TASK, Stop())
        with pytest.raises(ProcessLookupError):
            os.killpg(child.pid, 0)
        return result


@pytest.mark.proves("O10", "O12", "O13", "O15")
async def test_a_result_is_handed_on_and_what_was_said_before(tmp_path: Path) -> None:
    seat = Seat()
    code = 'say("log", message="goal: " + first["payload"]["goal"]); say("task:paused"); say("alive")\n'
    result = await ended(tmp_path, code + DONE, seat=seat)
    assert result == Result(status="success", summary="mended", output_artifact_path="/o")
    assert seat.logs == [Log(message="goal: mend it")]


@pytest.mark.proves("O11")
async def test_questions_are_answered_by_their_ids(tmp_path: Path) -> None:
    seat = Seat()
    code = """
for id, tool in (("q1", "ls"), ("q2", "rm")):
    say("permission:request", id, toolName=tool, input={"n": 1}, permissionResult={"behavior": "ask"})
answers = sorted((a["payload"]["requestId"], a["payload"]["behavior"]) for a in (hear(), hear()))
say("task:result", status="success", summary=str(answers))
"""
    result = await ended(tmp_path, code, seat=seat)
    assert result.summary == "[('q1', 'allow'), ('q2', 'deny')]"
    assert [msgspec.json.decode(asked.input) for asked in seat.asked] == [{"n": 1}, {"n": 1}]


@pytest.mark.proves("O11")
async def test_a_question_that_is_withdrawn_is_asked_no_longer(tmp_path: Path) -> None:
    seat = Seat()
    code = """
say("permission:request", "q1", toolName="wait", input=1, permissionResult={})
say("permission:withdrawn", requestId="q1")
say("permission:request", "q2", toolName="ls", input=1, permissionResult={})
hear()
"""
    assert (await ended(tmp_path, code + DONE, seat=seat)).status == "success"
    assert seat.withdrawn == 1


async def test_too_many_questions_are_answered_no(tmp_path: Path) -> None:
    code = f"""
for n in range({AT_ONCE + 1}):
    say("permission:request", f"q{{n}}", toolName="wait", input=1, permissionResult={{}})
answer = hear()["payload"]
say("task:result", status="success", summary=answer["requestId"] + " " + answer["behavior"])
"""
    assert (await ended(tmp_path, code)).summary == f"q{AT_ONCE} deny"


@pytest.mark.deep
@pytest.mark.proves("O10", "O12", "O15")
@every(
    ("code", "words"),
    [
        ("os.kill(os.getpid(), 9)", "the agent was killed by signal 9 before it had a result"),
        ("sys.exit(3)", "the agent ended with exit code 3 before it had a result"),
        ("raise KeyError('oh')", "with exit code 1 before it had a result: Traceback"),
        ("os.close(1); time.sleep(600)", "closed its line without a result"),
        ("time.sleep(600)", "said nothing for 0.05 seconds"),
        ('say("log", version="2.0", message="hi"); time.sleep(600)', "speaks version '2.0'"),
        ('os.write(1, b\'{"protocolVersion": "1.0", "mess\')', "ended with exit code 0"),
    ],
)
async def test_whatever_becomes_of_it_there_is_a_result(
    tmp_path: Path, code: str, words: str
) -> None:
    silence = 0.05 if "0.05" in words else 20
    limits = Limits(start=20, silence=silence, grace=0.05 if "closed" in words else 20)
    result = await ended(tmp_path, code, limits=limits)
    assert result.status == "failure"
    assert words in result.summary


@pytest.mark.proves("O10", "O12", "O15")
async def test_one_that_never_begins_is_ended(tmp_path: Path) -> None:
    result = await ended(
        tmp_path, "", head="import time; time.sleep(600)", limits=Limits(start=0.05, grace=5)
    )
    assert "did not begin within 0.05 seconds" in result.summary


async def test_a_child_that_is_killed_from_outside_has_failed(tmp_path: Path) -> None:
    writer = Writer(SystemClock(), lambda: str(uuid.uuid4()))
    seat = Seat()
    async with started(tmp_path, 'say("log", message="here"); time.sleep(600)') as child:
        found: list[Result] = []

        async def run() -> None:
            found.append(await Supervisor(child, writer, seat, SOON).run(TASK, Stop()))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await seat.heard.wait()
                assert child.pid != os.getpid()
                os.kill(child.pid, signal.SIGKILL)
        assert "killed by signal 9" in found[0].summary


@pytest.mark.proves("O10", "O12", "O13", "O15")
@pytest.mark.parametrize("obeys", [True, False])
async def test_it_is_told_to_end_and_killed_if_it_does_not(tmp_path: Path, obeys: bool) -> None:
    code = """
say("log", message="here")
told = hear()
say("log", message=told["type"])
"""
    code += (
        'say("task:result", status="failure", summary="left off")' if obeys else "time.sleep(600)"
    )
    writer, seat, stop = Writer(SystemClock(), lambda: str(uuid.uuid4())), Seat(), Stop()
    async with started(tmp_path, code) as child:
        found: list[Result] = []

        async def run() -> None:
            limits = Limits(start=20, silence=60, grace=20 if obeys else 0.05)
            found.append(await Supervisor(child, writer, seat, limits).run(TASK, stop))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await seat.heard.wait()
                stop.soon.set()
        assert seat.logs[-1].message == "task:terminate"
        assert found[0].summary == ("left off" if obeys else "the agent was stopped")


@pytest.mark.deep
@pytest.mark.proves("O15")
async def test_one_that_asks_on_without_hearing_the_answers_is_ended(tmp_path: Path) -> None:
    code = """
for number in range(100_000):
    say("permission:request", f"q{number}", toolName="wait", input=1, permissionResult={})
"""
    result = await ended(tmp_path, code + DONE)
    assert result.status == "failure"
    assert result.summary.startswith("the agent asked on without hearing the answers")


@pytest.mark.deep
@pytest.mark.proves("O10", "O12", "O15")
async def test_floods_of_nonsense_and_of_lines_do_not_end_it(tmp_path: Path) -> None:
    seat = Seat()
    code = """
sys.stdout.write("nonsense\\n" * 20_000)
sys.stdout.write("x" * 40_000_000 + "\\n")
for _ in range(3):
    say("log", message="y" * 100_000)
"""
    assert (await ended(tmp_path, code + DONE, seat=seat)).status == "success"
    assert [len(log.message) for log in seat.logs if log.level == "info"] == [LOG_CHARACTERS] * 3
    assert 0 < len([log for log in seat.logs if log.level == "warning"]) <= 200
