"""What the model asks, and plans that wait: the answers by their keys."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ouroboros.core.commands import AcceptPlan, Answer, RefusePlan, SetMode, Submit
from ouroboros.faces.tui.cards.slot import CardSlot
from ouroboros.faces.tui.screens.edit import EditScreen
from ouroboros.faces.tui.screens.whole import WholeScreen
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import small

OPTIONS = [
    {"label": "SQLite", "description": "one file, no server"},
    {"label": "PostgreSQL", "description": "for more than one machine"},
]
QUESTION = {"id": "db", "header": "Database", "question": "Which one?", "options": OPTIONS}
WHY = {**QUESTION, "id": "why", "header": "Why", "question": "And why?"}
PLAN = "1. Write [a.txt]\n2. Read it"
PROPOSAL = Turn(text=f"Here it is:\n<proposed_plan>\n{PLAN}\n</proposed_plan>")
DONE = Turn(text="done")


def asks(*questions: Mapping[str, object]) -> Turn:
    arguments = {"questions": list(questions)}
    return Turn(tool_calls=(call("call_tool", name="request_user_input", arguments=arguments),))


@pytest.mark.proves("V05")
async def test_answers_to_questions_by_their_keys(tmp_path: Path) -> None:
    rows: list[tuple[list[str], dict[str, tuple[str, ...]]]] = [
        (["1", "2"], {"db": ("SQLite",), "why": ("PostgreSQL",)}),
        (
            ["down", "enter", "w", *"so it is", "enter"],
            {"db": ("PostgreSQL",), "why": ("so it is",)},
        ),
        (["1", "left", "2", "1"], {"db": ("PostgreSQL",), "why": ("SQLite",)}),
        (["w", "enter", "escape", "1", "3", *"x", "enter"], {"db": ("SQLite",), "why": ("x",)}),
        (["1", "x"], {}),
    ]
    async with small(tmp_path, [*(asks(QUESTION, WHY) for _ in rows), DONE]) as s:
        await s.room.send(Submit(text="go"))
        for at, (keys, answers) in enumerate(rows):
            await s.asked()
            request = next(iter(s.room.state.asked))
            shown = await s.sees("Database (1 of 2): Which one?", "SQLite", "one file, no server")
            assert "In your own words" in shown
            await s.press(*keys)
            await s.until(lambda at=at: len(s.commands) == at + 1)
            assert s.commands[at] == Answer(request_id=request, answers=answers), keys
            await s.until(lambda request=request: request not in s.room.state.asked)
        await s.rested()


@pytest.mark.deep
@pytest.mark.proves("V05")
async def test_a_question_from_before_this_face_looked_is_shown(tmp_path: Path) -> None:
    async with small(tmp_path, [asks(QUESTION), DONE]) as s:
        await s.room.send(Submit(text="go"))
        await s.asked()
        late = CardSlot(id="late", guard_seconds=0)
        await s.app.screen.mount(late)
        late.sync(s.room.state)
        await s.until(lambda: late.card is not None and late.card.has_keys)
        assert "Which one?" in s.text(late)
        await s.press("2")
        await s.rested()

        assert [each.answers for each in s.commands if isinstance(each, Answer)] == [
            {"db": ("PostgreSQL",)}
        ]


@pytest.mark.deep
async def test_an_answer_elsewhere_is_told(tmp_path: Path) -> None:
    async with small(tmp_path, [asks(QUESTION), DONE]) as s:
        await s.room.send(Submit(text="go"))
        await s.asked()
        request = next(iter(s.room.state.asked))
        await s.room.session.send(Answer(request_id=request, answers={"db": ("SQLite",)}))
        await s.rested()

        assert [told.text for told in s.app.told] == ["The question was answered elsewhere"]


@pytest.mark.proves("interfaces-plans-in-the-terminal")
@pytest.mark.parametrize(
    ("keys", "command", "mode"),
    [
        (["y"], AcceptPlan(mode="ask"), "ask"),
        pytest.param(["2"], AcceptPlan(mode="auto-edit"), "auto-edit", marks=pytest.mark.deep),
        pytest.param(["u"], AcceptPlan(mode="full-auto"), "full-auto", marks=pytest.mark.deep),
        (["n", *"shorter", "enter"], RefusePlan(text="shorter"), "plan"),
        pytest.param(["x"], RefusePlan(), "plan", marks=pytest.mark.deep),
    ],
)
async def test_answers_to_a_plan_by_their_keys(
    tmp_path: Path, keys: list[str], command: AcceptPlan | RefusePlan, mode: str
) -> None:
    async with small(tmp_path, [PROPOSAL, DONE], mode="ask") as s:
        await s.room.session.send(SetMode(mode="plan"))
        await s.room.send(Submit(text="plan it"))
        await s.asked()
        await s.sees("Carry out this plan?", "Write [a.txt]")
        await s.until(lambda: not s.room.running)
        await s.press(*keys)
        await s.rested()

        assert s.commands == [command]
        assert s.room.state.mode == mode
        assert s.room.state.proposed == ""


@pytest.mark.proves("interfaces-plans-in-the-terminal")
@pytest.mark.deep
async def test_a_plan_is_read_and_changed_on_the_whole_screen(tmp_path: Path) -> None:
    async with small(tmp_path, [PROPOSAL, DONE], mode="plan") as s:
        await s.room.send(Submit(text="plan it"))
        await s.asked()
        await s.until(lambda: not s.room.running)
        await s.press("i")
        await s.until(lambda: isinstance(s.app.screen, WholeScreen))
        await s.press("q")
        await s.back()
        await s.press("e")
        await s.until(lambda: isinstance(s.app.screen, EditScreen))
        await s.press("0", ".", "ctrl+s")
        await s.rested()

        assert s.commands == [AcceptPlan(text=f"0.{PLAN}")]
