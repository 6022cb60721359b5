"""Asking the person: what may be asked, what comes back, and what happens when nobody answers."""

import json
from pathlib import Path

import anyio
import pytest
from anyio import create_task_group

from ouroboros.agent.asking.questions import Questions
from ouroboros.core.commands import Answer
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ToolResulted
from ouroboros.core.events.question import UserAnswered, UserAsked
from ouroboros.tools.builtin.asking import RequestUserInputTool
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

COLOUR = {
    "id": "colour",
    "header": "Colour",
    "question": "Which colour?",
    "options": [
        {"label": "Red", "description": "like a rose"},
        {"label": "Blue", "description": "like the sea"},
    ],
}


class Asking(Spine):
    def __init__(self, folder: Path, *, interactive: bool = True) -> None:
        super().__init__(folder)
        self.desk = Questions(interactive=interactive)
        self.registry.register(RequestUserInputTool(self.desk))
        self.said: list[ToolResulted] = []

    async def ask(self, *questions: object) -> None:
        self.said.append(await self.call("request_user_input", questions=list(questions)))

    async def asked(self) -> UserAsked:
        while not self.journal.of(UserAsked):
            await anyio.lowlevel.checkpoint()
        return self.journal.of(UserAsked)[0]


@pytest.mark.proves("A25")
async def test_the_answers_come_back_by_question(tmp_path: Path) -> None:
    spine = Asking(tmp_path)
    answers = {"colour": ("Red",), "wall": ("as it is",)}
    async with create_task_group() as tasks:
        tasks.start_soon(spine.ask, COLOUR, COLOUR | {"id": "wall", "question": "And the wall?"})
        asked = await spine.asked()
        assert [question.id for question in asked.questions] == ["colour", "wall"]
        with pytest.raises(Misuse, match="colour, wall"):
            spine.desk.answer(Answer(request_id=asked.request_id, answers={"colour": ("Red",)}))
        assert spine.desk.answer(Answer(request_id=asked.request_id, answers=answers))
        assert not spine.desk.answer(Answer(request_id=asked.request_id, answers=answers))
    (said,) = spine.said
    assert json.loads(text_of(said)) == {
        "answers": {"colour": {"answers": ["Red"]}, "wall": {"answers": ["as it is"]}}
    }
    assert spine.journal.of(UserAnswered)[0].answers == answers
    assert not spine.desk.answer(Answer(request_id="ask_other", answers=answers))


@pytest.mark.proves("A25")
async def test_no_answer_is_told_to_the_model(tmp_path: Path) -> None:
    spine = Asking(tmp_path)
    async with create_task_group() as tasks:
        tasks.start_soon(spine.ask, COLOUR)
        spine.desk.answer(Answer(request_id=(await spine.asked()).request_id))
    assert spine.said[0].status == "failed"
    assert "did not answer" in text_of(spine.said[0])


@pytest.mark.proves("A25")
async def test_a_cancel_closes_what_was_asked(tmp_path: Path) -> None:
    spine = Asking(tmp_path)
    async with create_task_group() as tasks:
        tasks.start_soon(spine.ask, COLOUR)
        await spine.asked()
        tasks.cancel_scope.cancel()
    (closed,) = spine.journal.of(UserAnswered)
    assert closed.answers == {}
    assert spine.journal.of(ToolResulted)[0].status == "cancelled"


@pytest.mark.proves("A25")
async def test_where_nobody_is_nothing_is_asked(tmp_path: Path) -> None:
    spine = Asking(tmp_path, interactive=False)
    await spine.ask(COLOUR)
    assert "not available" in text_of(spine.said[0])
    assert spine.journal.of(UserAsked) == []


@pytest.mark.proves("A25", "codex-3.3")
@every(
    ("questions", "words"),
    [
        ([], "questions"),
        ([COLOUR] * 4, "questions"),
        ([COLOUR, COLOUR], "same id"),
        ([COLOUR | {"options": []}], "options"),
        ([{key: COLOUR[key] for key in ("id", "header", "question")}], "options"),
        ([COLOUR | {"id": "Not Snake"}], "id"),
        ([COLOUR | {"options": [{"label": "Red"}]}], "description"),
    ],
)
async def test_what_cannot_be_asked_is_refused(
    tmp_path: Path, questions: list[object], words: str
) -> None:
    spine = Asking(tmp_path)
    await spine.ask(*questions)
    assert spine.said[0].status == "failed"
    assert words in text_of(spine.said[0])
