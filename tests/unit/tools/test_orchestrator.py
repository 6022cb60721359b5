import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import cast

import anyio
import pytest
from dirty_equals import IsFloat
from msgspec import Struct

from ouroboros.core.events import (
    PermissionAnswered,
    PermissionBlocked,
    PermissionRequested,
    PlanStep,
    PlanUpdated,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Media, Text, ToolCall
from ouroboros.safety.sandbox import CageDenied, Confined
from ouroboros.tools.approval import Answer, Nobody, Reviewer
from ouroboros.tools.seams import Verdict
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of, written

pytestmark = pytest.mark.real


class Nothing(Struct, frozen=True):
    pass


class Probe:
    """A tool whose behaviour a test writes down."""

    description = "A probe."
    arguments = Nothing
    parallel_safe = True

    def __init__(self, name: str = "probe", kind: str = "write") -> None:
        self.name = name
        self.kind = kind
        self.cages: list[str] = []

    def effect(self, arguments: Nothing, cwd: Path) -> Effect:
        return Effect(kind=self.kind, action="Probe", paths=(cwd / "probed",))

    async def run(
        self, arguments: Nothing, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        self.cages.append(context.sandbox.name)
        yield Result.of("ok")


class Broken(Probe):
    async def run(
        self, arguments: Nothing, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        yield Progress(text="so far")
        raise ZeroDivisionError("on purpose")


class Speechless(Probe):
    async def run(
        self, arguments: Nothing, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        yield Progress(text="nothing follows")


class Pictures(Probe):
    async def run(
        self, arguments: Nothing, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        yield Result(
            parts=(
                Text(text="a" * 20_000),
                Media(media_type="image/png", data="aaaa"),
                Text(text="b"),
            )
        )


class Caged(Probe):
    async def run(
        self, arguments: Nothing, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        self.cages.append(context.sandbox.name)
        if context.sandbox.name != "none":
            raise CageDenied("no writing here")
        yield Result.of("ok")


class Cage:
    name = "cage"
    hides = False

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        return Confined(command=tuple(command))


class Refusing:
    async def before(self, call: ToolCall, effect: Effect) -> Verdict:
        return Verdict(outcome="deny", message="not on a Friday")

    async def after(self, call: ToolCall, result: Result) -> Result:
        return result


@pytest.mark.proves("A06", "D01", "F01")
async def test_a_read_is_shown_then_attempted_then_answered(tmp_path: Path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    spine = Spine(tmp_path, mode="ask")
    result = await spine.call("read", path="a.txt")
    assert spine.journal.events == [
        ToolStarted(
            call_id="call_1", name="read", arguments='{"path": "a.txt"}', title="Read a.txt"
        ),
        ToolAttempted(
            call_id="call_1",
            steps=("validate", "hooks:pass", "rules:allow", "sandbox:none", "attempt"),
            decision="allow",
            rule="mode ask",
            seconds=cast("float", IsFloat()),
        ),
        result,
    ]
    assert text_of(result) == "1\tone\n2\ttwo\n"
    assert result.status == "done"
    assert spine.journal.settled == []


@pytest.mark.proves("spine-store")
async def test_the_start_of_an_effect_is_durable_before_it_happens(tmp_path: Path):
    class Watching(Probe):
        async def run(
            self, arguments: Nothing, context: ToolContext
        ) -> AsyncGenerator[Progress | Result]:
            yield Result.of(f"settled {spine.journal.settled}")

    spine = Spine(tmp_path, tools=[Watching()])
    result = await spine.call("probe")
    assert text_of(result) == "settled [2]"
    assert spine.journal.types() == ["tool.started", "tool.attempted", "tool.result"]


@pytest.mark.proves("A06")
async def test_a_question_comes_after_the_card_and_before_the_effect(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True, scope="session")])
    result = await spine.call("shell", command="echo hi > made")
    assert spine.journal.types() == [
        "tool.started",
        "permission.requested",
        "permission.answered",
        "tool.attempted",
        "tool.result",
    ]
    question = spine.asker.questions[0]
    assert (question.input, question.grant) == ("echo hi > made", "shell(echo hi > made)")
    assert spine.journal.of(ToolAttempted)[0].decision == "asked:allowed"
    assert (result.status, (tmp_path / "made").read_text()) == ("done", "hi\n")


@pytest.mark.proves("A08", "A09")
async def test_a_no_with_words_reaches_the_model_and_nothing_happens(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=False, message="use main.py")])
    result = await spine.call("write", path="x", content="y")
    assert result.status == "denied"
    assert "use main.py" in text_of(result)
    assert not (tmp_path / "x").exists()
    assert spine.journal.of(ToolAttempted) == []


@pytest.mark.proves("E17")
async def test_nobody_there_is_a_no(tmp_path: Path):
    question = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run x", input="x"
    )
    answer = await Nobody().ask(question)
    assert (answer.allowed, answer.decider) == (False, "nobody")


@pytest.mark.proves("E08")
async def test_a_deny_rule_blocks_without_asking(tmp_path: Path):
    spine = Spine(tmp_path, rules=[("deny", "Bash(rm -rf:*)")])
    (tmp_path / "keep").mkdir()
    result = await spine.call("shell", command="true && rm -fr keep")
    blocked = spine.journal.of(PermissionBlocked)
    assert [event.rule for event in blocked] == ["Bash(rm -rf:*)"]
    assert result.status == "denied"
    assert "Bash(rm -rf:*)" in text_of(result)
    assert (tmp_path / "keep").exists()
    assert spine.asker.questions == []


@pytest.mark.proves("F01")
async def test_a_hook_may_refuse(tmp_path: Path):
    spine = Spine(tmp_path, hooks=Refusing())
    result = await spine.call("write", path="x", content="y")
    assert (result.status, "not on a Friday" in text_of(result)) == ("denied", True)
    assert not (tmp_path / "x").exists()


@pytest.mark.proves("A12")
@every(
    ("name", "arguments", "expected"),
    [
        ("read", "{}", "missing required field `path`"),
        ("read", '{"path": 3}', "`$.path`"),
        ("read", '{"path": "x", "offset": 0}', "`$.offset`"),
        ("read", '{"path": "x", "offset": "soon"}', "`$.offset`"),
        ("read", '{"path": "x", "ofset": 1}', "unknown field `ofset`"),
        ("read", '{"path": "x", "file_path": "y"}', "`path` twice"),
        ("read", '{"path": "x"', "Input data was truncated"),
        ("read", "[]", "Expected `object`"),
        pytest.param("read", "[" * 100_000, "recursion", id="deep nesting"),
        ("read", '{"path": "a\\u0000b"}', "not a path"),
        ("read", '{"path": "\\ud800"}', "path"),
        ("shell", '{"command": "  "}', "the command is empty"),
        ("shell", '{"command": "x", "timeout": -1}', "`$.timeout`"),
        ("multi_edit", '{"path": "x", "edits": []}', "`$.edits`"),
        ("multi_edit", '{"path": "x", "edits": [{"old_text": "a"}]}', "`new_text`"),
        ("update_plan", '{"plan": [{"step": "x", "status": "soon"}]}', "`$.plan[0].status`"),
    ],
)
async def test_bad_arguments_name_the_field(
    tmp_path: Path, name: str, arguments: str, expected: str
):
    spine = Spine(tmp_path)
    result = await spine.raw(name, arguments)
    assert result.status == "failed"
    assert expected in text_of(result)
    assert spine.journal.types() == ["tool.started", "tool.result"]


@pytest.mark.proves("A12")
async def test_bad_arguments_say_what_is_expected(tmp_path: Path):
    result = await Spine(tmp_path).raw("read", "")
    assert text_of(result) == (
        "failed to parse function arguments: Object missing required field `path`; "
        "expected {path: string, offset?: integer, limit?: integer}"
    )


@pytest.mark.proves("A13", "divergences-unknown-tool")
async def test_an_unknown_tool_is_answered_with_near_names(tmp_path: Path):
    spine = Spine(tmp_path)
    near = await spine.call("raed", path="x")
    far = await spine.call("zzz")
    assert (near.status, text_of(near)) == (
        "failed",
        "unsupported call: raed; did you mean read?",
    )
    assert "there are read, write" in text_of(far)
    assert spine.journal.of(ToolStarted)[0].name == "raed"


@pytest.mark.proves("D02", "divergences-progress-of-a-tool")
async def test_a_bug_in_a_tool_is_a_failed_result(tmp_path: Path):
    spine = Spine(tmp_path, tools=[Broken(), Speechless(name="mute")])
    result = await spine.call("probe")
    mute = await spine.call("mute")
    assert (result.status, "ZeroDivisionError: on purpose" in text_of(result)) == ("failed", True)
    assert (mute.status, "without a result" in text_of(mute)) == ("failed", True)
    assert spine.journal.of(ToolProgress)[0].text == "so far"


@pytest.mark.proves("D17", "divergences-cut-outputs", "divergences-second-cut-at-1-2")
async def test_a_long_text_is_cut_kept_whole_and_readable_page_by_page(tmp_path: Path):
    (tmp_path / "ws").mkdir()
    spine = Spine(tmp_path / "ws", mode="ask", answers=[Answer(allowed=True)])
    result = await spine.call("shell", command="seq 1 20000")
    text = text_of(result)
    assert len(text.encode()) <= 10_000
    assert "Total output lines: 20000\n" in text
    assert re.search(r"\n\d+\n…\d+ chars truncated…\n\d+\n", text)
    assert text.startswith("Exit code: 0\nWall time: ")
    assert "\nOutput:\nTotal output lines: " in text
    assert len(result.parts) == 1
    assert text.endswith("\n20000\n")
    assert result.truncated
    assert result.original_bytes > 100_000
    assert f"\nFull output in {result.blob} (open it with read offset/limit, or grep)\n" in text
    page = await spine.call("read", path=result.blob, offset=10_003, limit=1)
    assert text_of(page).startswith("10003\t10000\n")


@pytest.mark.proves("D12")
async def test_five_megabytes_are_cut_twice_and_marked(tmp_path: Path):
    (tmp_path / "ws").mkdir()
    spine = Spine(tmp_path / "ws")
    result = await spine.call("shell", command="head -c 5000000 /dev/zero | tr '\\0' y")
    kept = await anyio.Path(result.blob).read_bytes()
    assert len(text_of(result).encode()) <= 10_000
    assert "chars truncated…" in text_of(result)
    assert 1_048_000 < len(kept) < 1_050_000
    assert b"bytes of output dropped here" in kept


async def test_media_is_kept_when_text_is_cut(tmp_path: Path):
    result = await Spine(tmp_path, tools=[Pictures()]).call("probe")
    kinds = [type(part).__name__ for part in result.parts]
    assert kinds == ["Text", "Media", "Text"]
    assert text_of(result).endswith("[omitted 1 text items]")
    assert len(text_of(result).encode()) <= 10_000


async def test_a_cancel_is_recorded_and_goes_on(tmp_path: Path):
    spine = Spine(tmp_path)
    ended = False
    async with anyio.create_task_group() as group:

        async def work() -> None:
            nonlocal ended
            await spine.call("shell", command="echo $$ > pid; sleep 60", timeout=60)
            ended = True

        group.start_soon(work)
        await written(tmp_path / "pid")
        group.cancel_scope.cancel()
    result = spine.journal.of(ToolResulted)[-1]
    assert not ended
    assert result.status == "cancelled"
    assert text_of(result).startswith("aborted by user after ")
    assert len(spine.journal.of(ToolResulted)) == 1


async def test_a_cancel_while_asking_answers_the_question(tmp_path: Path):
    class Waiting:
        reviewer: Reviewer = "person"

        async def ask(self, question: PermissionRequested) -> Answer:
            group.cancel_scope.cancel()
            await anyio.sleep_forever()
            return Answer(allowed=True)

    spine = Spine(tmp_path, mode="ask", asker=Waiting())
    async with anyio.create_task_group() as group:
        group.start_soon(spine.raw, "shell", '{"command": "touch made"}')
    answered = spine.journal.of(PermissionAnswered)
    assert [(event.allowed, event.decider) for event in answered] == [(False, "cancelled")]
    assert spine.journal.of(ToolResulted)[0].status == "cancelled"
    assert not (tmp_path / "made").exists()


@pytest.mark.proves("F01", "F02")
async def test_a_sandbox_that_said_no_is_left_once_after_asking(tmp_path: Path):
    probe = Caged(kind="execute")
    yes = Answer(allowed=True)
    spine = Spine(tmp_path, mode="ask", tools=[probe], sandbox=Cage(), answers=[yes, yes])
    result = await spine.call("probe")
    attempts = [(e.attempt, e.sandbox) for e in spine.journal.of(ToolAttempted)]
    assert (result.status, probe.cages, attempts) == (
        "done",
        ["cage", "none"],
        [(1, "cage"), (2, "none")],
    )
    asked = spine.journal.of(PermissionRequested)[1]
    assert "the sandbox cage stopped it (no writing here)" in asked.reason


@pytest.mark.proves("F02")
async def test_a_sandbox_that_said_no_is_not_left_without_a_yes(tmp_path: Path):
    probe = Caged(kind="execute")
    yes = Answer(allowed=True)
    spine = Spine(tmp_path, mode="ask", tools=[probe], sandbox=Cage(), answers=[yes])
    result = await spine.call("probe")
    assert (result.status, probe.cages) == ("denied", ["cage"])


@pytest.mark.proves("F05")
async def test_a_mode_that_never_asks_leaves_it_at_what_the_sandbox_said(tmp_path: Path):
    probe = Caged(kind="execute")
    spine = Spine(tmp_path, mode="full-auto", tools=[probe], sandbox=Cage())
    result = await spine.call("probe")
    asked = spine.journal.of(PermissionRequested)
    assert (result.status, probe.cages, asked) == ("failed", ["cage"], [])
    assert "the sandbox cage stopped this: no writing here" in text_of(result)


@pytest.mark.proves("F02")
async def test_what_acts_in_our_own_process_is_in_no_cage(tmp_path: Path):
    probe = Caged(kind="write")
    result = await Spine(tmp_path, tools=[probe], sandbox=Cage()).call("probe")
    assert (result.status, probe.cages) == ("done", ["none"])


@pytest.mark.proves("spine-tools", "A24")
async def test_the_plan_is_put_on_record(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask")
    result = await spine.call("update_plan", plan=[{"step": "look", "status": "in_progress"}])
    assert spine.journal.of(PlanUpdated) == [
        PlanUpdated(steps=(PlanStep(step="look", status="in_progress"),))
    ]
    assert text_of(result) == "Plan updated"


@pytest.mark.proves("spine-tools")
async def test_done_is_final(tmp_path: Path):
    result = await Spine(tmp_path).call("done", answer="42")
    assert (result.final, text_of(result)) == (True, "42")


@pytest.mark.proves("A10")
async def test_only_safe_calls_may_overlap(tmp_path: Path):
    overlap = Spine(tmp_path).orchestrator.may_overlap
    answers = {name: overlap(ToolCall(id="1", name=name)) for name in ("read", "write", "Bash")}
    assert answers == {"read": True, "write": False, "Bash": False}


async def test_a_missing_folder_is_a_failed_result(tmp_path: Path):
    spine = Spine(tmp_path / "gone")
    result = await spine.call("shell", command="true")
    assert (result.status, "No such file or directory" in text_of(result)) == ("failed", True)
