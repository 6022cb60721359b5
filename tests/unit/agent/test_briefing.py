"""What a model is told of its surroundings, and that it is told only once."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ouroboros.agent.context.briefing import BLOCKS, Surroundings, brief, git_state
from ouroboros.agent.context.instructions import Instructions, added
from ouroboros.agent.prompts import load
from ouroboros.core.events import PermissionRequested, PlanStep
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.core.state.files import Back, Files
from ouroboros.core.state.present import Child

PROMPTS = load()
AROUND = Surroundings(
    cwd=Path("/w"),
    shell="bash",
    system="Linux 6.1 x86_64",
    date="2026-01-02",
    timezone="UTC",
    git="branch main",
    instructions=Instructions(text="Be brief."),
)


HANDED = {"goal": "ship it", "tabs": "2 tabs, t1 in front"}


def busy() -> State:
    """A session in which all kinds of things go on."""
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run  make\nship", input="make ship"
    )
    return State(
        mode="ask",
        plan=(PlanStep(step="x", status="pending"),),
        processes={7: "npm run dev"},
        children={"c1": Child(task="tests", iterations=3), "c2": Child(task="read", kind="leaf")},
        approvals={"r": asked},
        asked={"q": "c2"},
        personality="friendly",
        history=[Message(id="m", role="user", parts=(Text(text="Begin."),))],
        files=Files(back=Back(paths=("a.txt",))),
    )


def told(state: State, around: Surroundings = AROUND, off: tuple[str, ...] = ()) -> str:
    briefing = brief(around, state, PROMPTS, off, handed=lambda: HANDED)
    if briefing is None:
        return ""
    state.told.update(briefing.told)
    return briefing.text


@pytest.mark.proves("A18")
def test_the_first_briefing_names_every_fact() -> None:
    text = told(State(mode="ask"))
    for fact in (
        "<cwd>/w</cwd>",
        "Linux 6.1",
        "2026-01-02",
        "branch main",
        "Be brief.",
        "Mode: ask",
    ):
        assert fact in text
    assert text.index("AGENTS.md instructions") < text.index("<environment_context>")


@pytest.mark.proves("codex-5.3")
def test_the_same_facts_are_not_told_again() -> None:
    state = State(mode="ask")
    told(state)
    assert told(state) == ""


def test_only_what_changed_is_told() -> None:
    state = State(mode="ask")
    told(state)
    assert told(state, replace(AROUND, date="2026-01-03")) == (
        "<environment_context>\n  <current_date>2026-01-03</current_date>\n</environment_context>"
    )
    state.mode = "full-auto"
    assert told(state, replace(AROUND, date="2026-01-03")).startswith(
        "<permissions>\nMode: full-auto"
    )


def test_the_sandbox_and_the_way_out_of_it_are_told_once() -> None:
    state = State(mode="ask")
    caged = replace(AROUND, cage="they write nothing")
    text = told(state, caged)
    assert "Commands run in a sandbox: they write nothing. To run one outside" in text
    assert "require_escalated" in text
    assert told(state, caged) == ""
    assert told(state) == "<permissions>\nCommands run without a sandbox now.\n</permissions>"


@pytest.mark.proves("A24")
def test_where_commands_may_write_is_told_when_they_may() -> None:
    """In plan mode they write nowhere; what was told before it is not told again after it."""
    caged = replace(AROUND, cage="they write nothing")
    first = State(mode="plan")
    assert "sandbox" not in told(first, caged)
    first.mode = "ask"
    assert "sandbox: they write nothing" in told(first, caged)
    second = State(mode="ask")
    told(second, caged)
    second.mode = "plan"
    assert "sandbox" not in told(second, caged)
    second.mode = "ask"
    assert "sandbox" not in told(second, caged)


def test_who_is_alone_hears_that_nobody_can_be_asked() -> None:
    state = State(mode="ask")
    alone = replace(AROUND, cage="they write nothing", attended=False)
    text = told(state, alone)
    assert "what needs approval is refused" in text
    assert "require_escalated" not in text
    assert "The person is here again" in told(state, replace(alone, attended=True))
    assert "Nobody is here" not in told(State(mode="ask"))


def test_instructions_that_go_away_are_called_off() -> None:
    state = State(mode="ask")
    told(state)
    gone = told(state, replace(AROUND, instructions=Instructions()))
    assert "no longer apply" in gone
    assert told(state, replace(AROUND, instructions=Instructions())) == ""


@pytest.mark.proves("A19", "J12")
def test_a_line_that_is_added_to_the_instructions_is_told_alone() -> None:
    state = State(mode="ask")
    old = replace(AROUND, instructions=Instructions(text="# Mine\n\n- one\n\n# Yours\n\n- two"))
    new = replace(
        AROUND, instructions=Instructions(text="# Mine\n\n- one\n- 1\n\n# Yours\n\n- two")
    )
    told(state, old)
    more = brief(new, state, PROMPTS, (), earlier=old)
    assert more is not None
    assert "the rest of them holds as it is.\n\n<INSTRUCTIONS>\n- 1\n</INSTRUCTIONS>" in more.text
    # Where it is not known what was told, and where something went, all of it is told.
    other = replace(AROUND, instructions=Instructions(text="Be long."))
    for around, earlier in ((new, None), (new, other), (other, old)):
        whole = brief(around, state, PROMPTS, (), earlier=earlier)
        assert whole is not None
        assert "have changed; these take their place." in whole.text
        assert f"<INSTRUCTIONS>\n{around.instructions.text}\n</INSTRUCTIONS>" in whole.text


@pytest.mark.proves("A19", "J12")
def test_only_lines_in_one_place_count_as_added() -> None:
    assert added("a\nb", "a\nb\nc") == "c"
    assert added("a\na", "a\na\na") == "a"
    assert added("a\nb", "x\na\nb\ny") == ""
    assert added("a\nb", "a\nc\nd") == ""
    assert added("", "a") == "a"
    assert added("a", "a\n\n") == ""


@pytest.mark.proves("A19")
def test_each_block_can_be_switched_off_alone() -> None:
    marks = {
        "instructions": "Be brief.",
        "environment": "<environment_context>",
        "permissions": "<permissions>",
        "personality": "<personality_spec>",
        "plan": "<plan>",
        "files": "brought back to what they were before or after this point: a.txt.",
        "goal": "<goal>\nship it\n</goal>",
        "pending": "a yes to shell: Run make ship\nan answer to a question",
        "commands": "[session_id 7] npm run dev",
        "children": "c1: tests (in iteration 3)\nc2: read (a plain read)",
        "tabs": "2 tabs, t1 in front",
    }
    assert set(marks) == set(BLOCKS)
    for name, mark in marks.items():
        text = told(busy(), off=(name,))
        assert mark not in text
        assert all(other in text for key, other in marks.items() if key != name)


def test_after_a_compaction_everything_is_told_anew() -> None:
    state = State(mode="ask", plan=(PlanStep(step="write tests", status="in_progress"),))
    told(state)
    anew = brief(AROUND, state, PROMPTS, (), anew=True)
    assert anew is not None
    assert "Be brief." in anew.text
    assert "[in_progress] write tests" in anew.text


@pytest.mark.proves("J08")
def test_what_goes_on_is_told_after_a_compaction_only() -> None:
    state = busy()
    told(state)
    assert "a.txt" in told(state)  # until words go on record with it
    state.files.back = None
    assert told(state) == ""
    anew = brief(AROUND, state, PROMPTS, (), anew=True, handed=lambda: HANDED)
    assert anew is not None
    for line in ("ship it", "npm run dev", "a yes to shell", "c1: tests", "t1 in front"):
        assert line in anew.text


@pytest.mark.proves("J08")
def test_where_nothing_goes_on_nothing_is_told_of_it() -> None:
    first = brief(AROUND, State(mode="ask"), PROMPTS, ())
    assert first is not None
    assert first.text.endswith("</permissions>")


def test_git_state_is_read_without_git(tmp_path: Path) -> None:
    assert git_state(tmp_path) == "not a git repository"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n")
    assert git_state(tmp_path) == "branch feature/x"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef0123\n")
    assert git_state(tmp_path) == "detached at 0123456789ab"
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {tmp_path / '.git'}\n")
    assert git_state(tree) == "detached at 0123456789ab"
