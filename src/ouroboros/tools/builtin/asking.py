"""Asking the person something that only they can decide.

Source of the arguments, the bounds and the answer's form: codex, section 3.3.
"""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.events.question import Choice, Question, UserAnswered, UserAsked
from ouroboros.core.parts import Text
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext

REQUEST_USER_INPUT = "request_user_input"


class Inquirer(Protocol):
    """Brings questions to the person.

    Contract: may wait for ever and may be cancelled at any moment; ``None`` when they did not
    want to answer. Raises ``ToolFailed`` where nobody is there.
    """

    def check(self) -> None:
        """Raises ``ToolFailed`` where nobody is there."""
        ...

    async def ask(self, asked: UserAsked) -> dict[str, tuple[str, ...]] | None:
        """The answers by question."""
        ...


class Option(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer to choose."""

    label: Annotated[str, Meta(min_length=1, description="1-5 words")]
    description: str


class QuestionArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question."""

    id: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]*$", description="snake_case")]
    header: Annotated[str, Meta(description="at most 12 characters")]
    question: Annotated[str, Meta(min_length=1)]
    options: Annotated[list[Option], Meta(min_length=1, max_length=9)]


class RequestUserInputArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to ask."""

    questions: Annotated[list[QuestionArguments], Meta(min_length=1, max_length=3)]


class RequestUserInputTool:
    """Asks up to three questions at once and waits for the person."""

    name = REQUEST_USER_INPUT
    description = (
        "Ask the user 1-3 short questions that only they can decide, each with options; they may "
        "also answer in their own words. Waits for the answers."
    )
    usage = (
        "request_user_input([{id, header, question, options: [{label, description}]}]): "
        "{answers: {id: {answers: [string]}}}"
    )
    arguments = RequestUserInputArguments
    parallel_safe = False
    exposure: Exposure = "deferred"

    def __init__(self, inquirer: Inquirer) -> None:
        """Asks through ``inquirer``."""
        self._inquirer = inquirer

    def effect(self, arguments: RequestUserInputArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del cwd
        ids = [question.id for question in arguments.questions]
        if len(set(ids)) < len(ids):
            raise ToolFailed("two questions have the same id; give each its own")
        self._inquirer.check()
        return Effect(kind="none", action=f"Ask: {arguments.questions[0].question}")

    async def run(
        self, arguments: RequestUserInputArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The answers as JSON."""
        asked = UserAsked(
            request_id=f"ask_{context.call_id}",
            call_id=context.call_id,
            questions=tuple(map(_question, arguments.questions)),
        )
        context.publish(asked)
        answers: dict[str, tuple[str, ...]] | None = None
        try:
            answers = await self._inquirer.ask(asked)
        finally:
            context.publish(
                UserAnswered(
                    request_id=asked.request_id, call_id=asked.call_id, answers=answers or {}
                )
            )
        if not answers:
            raise ToolFailed(
                "the user did not answer; go on with what you would suggest, or finish and say "
                "what you need to know"
            )
        found = {"answers": {id: {"answers": said} for id, said in answers.items()}}
        value = msgspec.json.encode(found)
        yield Result(parts=(Text(text=value.decode()),), value=value)


def _question(written: QuestionArguments) -> Question:
    return Question(
        id=written.id,
        header=written.header,
        question=written.question,
        options=tuple(
            Choice(label=option.label, description=option.description) for option in written.options
        ),
    )
