"""Answers that say more than yes: remembered, rewritten, given twice, or asked for once more."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from ouroboros.core.commands import Scope
from ouroboros.core.events import (
    PermissionAnswered,
    PermissionBlocked,
    PermissionRemembered,
    PermissionRequested,
    ToolAttempted,
)
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Around, Decision, Policies
from ouroboros.safety.untrusted import Outside
from ouroboros.tools.approval import Answer, Kept
from ouroboros.tools.builtin.shell import ShellArguments
from ouroboros.tools.pace import Pace
from ouroboros.tools.tool import Effect, Result, ToolContext
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real


class Notebook:
    """Remembers what it was told to keep; fails if it is to."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem
        self.kept: list[tuple[Scope, tuple[str, ...], tuple[str, ...]]] = []

    async def scopes(self) -> tuple[Scope, ...]:
        return ("local", "user")

    async def keep(self, scope: Scope, rules: tuple[str, ...], amendment: tuple[str, ...]) -> Kept:
        self.kept.append((scope, rules, amendment))
        return Kept(place="" if self.problem else "config.toml", problem=self.problem)


@pytest.mark.proves("E15")
async def test_the_command_runs_as_the_person_wrote_it(tmp_path: Path):
    answers = [Answer(allowed=True, input="touch second")]
    spine = Spine(tmp_path, mode="ask", answers=answers)
    result = await spine.call("shell", command="touch first", timeout=60)
    assert result.status == "done"
    assert ((tmp_path / "first").exists(), (tmp_path / "second").exists()) == (False, True)
    assert len(spine.asker.questions) == 1
    assert "what was done: touch second" in text_of(result)
    assert spine.journal.of(PermissionAnswered)[0].input == "touch second"


@pytest.mark.proves("E15")
async def test_other_arguments_are_rewritten_whole(tmp_path: Path):
    wanted = json.dumps({"path": "b.txt", "content": "mine"})
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True, input=wanted)])
    await spine.call("write", path="a.txt", content="theirs")
    assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "b.txt").read_text() == "mine"


@pytest.mark.proves("E15")
async def test_an_edit_is_judged_anew_and_a_deny_holds(tmp_path: Path):
    answers = [Answer(allowed=True, input="rm keep")]
    (tmp_path / "keep").touch()
    spine = Spine(tmp_path, mode="ask", answers=answers, rules=[("deny", "Bash(rm:*)")])
    result = await spine.call("shell", command="touch x")
    assert result.status == "denied"
    assert (tmp_path / "keep").exists()
    assert spine.journal.of(PermissionBlocked)[0].rule == "Bash(rm:*)"


@pytest.mark.proves("E15")
@every("text", ["{", "[]", '{"path": 7}', ""])
async def test_an_edit_that_is_no_input_does_nothing(tmp_path: Path, text: str):
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True, input=text)])
    result = await spine.call("write", path="a.txt", content="theirs")
    assert result.status == ("failed" if text else "done")
    assert (tmp_path / "a.txt").exists() is not bool(text)


@pytest.mark.proves("E15", "divergences-remembered-yes")
async def test_a_rewritten_command_is_not_what_a_yes_for_longer_allows(tmp_path: Path):
    answers = [Answer(allowed=True, scope="session", input="touch second")]
    spine = Spine(tmp_path, mode="ask", answers=answers)
    await spine.call("shell", command="touch first")
    answered = spine.journal.of(PermissionAnswered)[0]
    assert (answered.scope, answered.rules) == ("once", ())


@pytest.mark.proves("E14")
async def test_a_yes_for_good_is_written_down(tmp_path: Path):
    notebook = Notebook()
    spine = Spine(
        tmp_path, mode="ask", answers=[Answer(allowed=True, scope="local")], keeper=notebook
    )
    await spine.call("shell", command="touch a && mkdir b")
    question = spine.asker.questions[0]
    assert question.scopes == ("once", "session", "local", "user")
    assert notebook.kept == [("local", ("shell(touch a)", "shell(mkdir b)"), ())]
    assert spine.journal.of(PermissionRemembered) == [
        PermissionRemembered(
            request_id=question.request_id,
            scope="local",
            rules=("shell(touch a)", "shell(mkdir b)"),
            place="config.toml",
        )
    ]


async def test_a_yes_for_the_policy_file_writes_no_rule_of_the_settings(tmp_path: Path):
    notebook = Notebook()
    answer = Answer(allowed=True, scope="policy")
    spine = Spine(
        tmp_path, mode="ask", answers=[answer], keeper=notebook, policies=Policies(book=Book())
    )
    await spine.call("shell", command="touch a")
    question = spine.asker.questions[0]
    assert (question.rules, question.amendment) == (("shell(touch a)",), ("touch", "a"))
    assert [(scope, prefix) for scope, _, prefix in notebook.kept] == [("policy", ("touch", "a"))]
    assert [event.rules for event in spine.journal.of(PermissionRemembered)] == [()]


class Late:
    """A tool that finds out on its way that it also has to fetch something."""

    name = "late"
    description = ""
    parallel_safe = False
    arguments = ShellArguments

    def effect(self, arguments: ShellArguments, cwd: Path) -> Effect:
        return Effect(kind="execute", action="Late", command=arguments.command)

    async def run(self, arguments: ShellArguments, context: ToolContext) -> AsyncGenerator[Result]:
        await context.admit(Effect(kind="fetch", action="Fetch", url="https://a.example/"))
        yield Result.of("fetched")


@every("wish", [True, False])
async def test_what_comes_to_light_after_an_edit_is_asked_about_all_the_same(
    tmp_path: Path, wish: bool
):
    answers = [Answer(allowed=True, input="touch other"), Answer(allowed=wish)]
    spine = Spine(tmp_path, mode="ask", answers=answers, tools=[Late()])
    result = await spine.call("late", command="touch a")
    assert [question.action for question in spine.asker.questions] == ["Late", "Fetch"]
    assert result.status == ("done" if wish else "denied")


@pytest.mark.proves("E16")
async def test_several_rules_of_one_answer_are_written(tmp_path: Path):
    notebook = Notebook()
    rules = ("Bash(touch:*)", "Edit(/docs/**)")
    answer = Answer(allowed=True, scope="user", rules=rules)
    spine = Spine(tmp_path, mode="ask", answers=[answer], keeper=notebook)
    await spine.call("shell", command="touch a")
    assert notebook.kept == [("user", rules, ())]


@pytest.mark.proves("E14")
async def test_a_yes_that_cannot_be_written_counts_once(tmp_path: Path):
    answers = [Answer(allowed=True, scope="user"), Answer(allowed=False)]
    spine = Spine(tmp_path, mode="ask", answers=answers, keeper=Notebook("disk full"))
    assert (await spine.call("shell", command="touch a")).status == "done"
    assert spine.journal.of(PermissionRemembered)[0].problem == "disk full"
    assert (await spine.call("shell", command="touch a")).status == "denied"


@pytest.mark.proves("E13")
@every(
    "answer",
    [
        Answer(allowed=True, scope="project"),
        Answer(allowed=True, scope="user", rules=("no rule at all (",)),
        Answer(allowed=True, scope="policy"),
    ],
)
async def test_a_yes_is_never_longer_than_what_was_offered(tmp_path: Path, answer: Answer):
    notebook = Notebook()
    spine = Spine(tmp_path, mode="ask", answers=[answer], keeper=notebook)
    assert (await spine.call("shell", command="touch a")).status == "done"
    assert notebook.kept == []
    assert spine.journal.of(PermissionAnswered)[0].scope == "once"


@pytest.mark.proves("E28")
async def test_a_question_that_was_open_before_keeps_its_name(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True)])
    spine.standing.open["call_1"] = "req_before"
    await spine.call("shell", command="touch a")
    assert spine.asker.questions[0].request_id == "req_before"
    assert spine.journal.of(PermissionAnswered)[0].request_id == "req_before"


@pytest.mark.proves("E13")
async def test_a_write_is_asked_about_with_what_it_changes(tmp_path: Path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    spine = Spine(tmp_path, mode="ask")
    await spine.call("read", path="a.txt")
    await spine.call("edit", path="a.txt", old_text="two", new_text="2")
    await spine.call("write", path="a.txt", content="one\n")
    first, second = (question.detail for question in spine.asker.questions)
    assert "-two\n+2\n" in first
    assert "-two\n" in second
    assert "+++ b/a.txt" in second


@pytest.mark.proves("E26")
async def test_every_decision_is_on_record_with_its_rule_layer_and_time(tmp_path: Path):
    rules = [("deny", "Bash(rm:*)"), ("allow", "Bash(make:*)")]
    spine = Spine(tmp_path, mode="ask", rules=rules, answers=[Answer(allowed=True)])
    for command in ("rm x", "make -v", "touch a"):
        await spine.call("shell", command=command)
    (blocked,) = spine.journal.of(PermissionBlocked)
    assert (blocked.rule, blocked.layer) == ("Bash(rm:*)", "user")
    by_rule, by_person = spine.journal.of(ToolAttempted)
    assert (by_rule.decision, by_rule.rule, by_rule.layer) == ("allow", "Bash(make:*)", "user")
    assert (by_person.decision, by_person.rule) == ("asked:allowed", "mode ask")
    (answered,) = spine.journal.of(PermissionAnswered)
    assert (answered.decider, answered.rule, answered.scope) == ("person", "mode ask", "once")
    assert min(blocked.seconds, by_rule.seconds, answered.seconds) >= 0


async def test_a_result_says_where_its_text_came_from(tmp_path: Path):
    (tmp_path / "a.txt").write_text("hello\n")
    spine = Spine(tmp_path)
    assert (await spine.call("read", path="a.txt")).sources == (f"file {tmp_path / 'a.txt'}",)
    assert (await spine.call("shell", command="cat a.txt")).sources == ("output of cat a.txt",)
    assert (await spine.call("write", path="b.txt", content="x")).sources == ()
    denied = Spine(tmp_path, rules=[("deny", "Read(a.txt)")])
    assert (await denied.call("read", path="a.txt")).sources == ()


async def test_the_question_names_what_was_read(tmp_path: Path):
    spine = Spine(tmp_path)
    spine.standing.around = Around(outside=Outside(sources=("page https://evil.example",)))
    result = await spine.call("shell", command="curl https://x.invalid")
    assert result.status == "denied"
    asked = spine.journal.of(PermissionRequested)[0]
    assert asked.sources == ("page https://evil.example",)
    assert "page https://evil.example" in asked.reason


@pytest.mark.proves("E27")
async def test_a_limit_on_unasked_actions_stops_the_next_one(tmp_path: Path):
    spine = Spine(tmp_path, pace=Pace(1))
    assert (await spine.call("shell", command="touch a")).status == "done"
    assert (await spine.call("read", path="a")).status == "done"
    assert (await spine.call("shell", command="touch b")).status == "denied"
    (blocked,) = spine.journal.of(PermissionBlocked)
    assert (blocked.limit, blocked.rule) == ("actions_per_hour", "actions_per_hour")
    assert not (tmp_path / "b").exists()


@pytest.mark.proves("E27")
def test_an_hour_later_there_is_room_again():
    pace, allowed = Pace(2), Decision(outcome="allow", rule="mode full-auto")
    said = [pace.held(allowed, "write", now).outcome for now in (0.0, 10.0, 20.0, 3601.0, 3602.0)]
    assert said == ["allow", "allow", "ask", "allow", "ask"]
    assert pace.held(allowed, "read", 3603.0).outcome == "allow"


@pytest.mark.proves("Z10")
def test_what_other_sessions_did_in_the_hour_counts_too():
    pace, allowed = Pace(2), Decision(outcome="allow", rule="mode full-auto")
    pace.elsewhere = (-10.0, 50.0)
    said = [pace.held(allowed, "write", now).outcome for now in (60.0, 3595.0, 3596.0, 3651.0)]
    assert said == ["ask", "allow", "ask", "allow"]
