"""A model ranks candidates: it may search, answers once, and may mend its answer once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.prompts import load
from ouroboros.agent.speaking.asking import asked
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.errors import OuroborosError
from ouroboros.core.parts import Message, Part, Text, ToolCall, ToolResult
from ouroboros.fleet.curate.answer import Ranked, Unreadable, read
from ouroboros.fleet.curate.candidates import Candidate
from ouroboros.fleet.curate.search import Search, spec
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished

MOST_ROUNDS = 8
"""Replies with searches; the one after them has to be the answer."""

_MOST_CALLS = 6
"""Searches of one reply that are done."""

_AGAIN = (
    "That is no ranking: {why}. Answer again with nothing but one JSON object of the form "
    '{{"ranked_files": [{{"file_path": "...", "relevance": 0.0, "justification": "..."}}]}}.'
)


class CurationFailed(OuroborosError):
    """The model gave no ranking, so no bundle was made."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What is to be ranked, and where the model may search."""

    task: str
    candidates: tuple[Candidate, ...]
    search: Search


def instructions() -> str:
    """What the model is told of its work; blocks."""
    return load(Path(__file__).parent / "prompts")["curate"].text


class Talk:
    """One ranking, from the first request to the last."""

    def __init__(
        self,
        lineup: Lineup,
        system: str,
        paid: Callable[[Speaker, Finished], None],
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``system`` are the ``instructions``; ``paid`` hears of each reply; ``tell`` of each search, as words."""
        self._lineup, self._paid, self._tell = lineup, paid, tell
        self._system = system
        self._messages: list[Message] = []

    async def ranking(self, wanted: Wanted) -> tuple[Ranked, ...]:
        """The model's ranking as it stands in its answer.

        Raises:
            CurationFailed: It is none, also when it was asked for again.
            ModelFailed: No model could be asked.
        """
        self._say(Text(text=_question(wanted.task, wanted.candidates)))
        words = await self._answer(wanted.search)
        try:
            return read(words)
        except Unreadable as wrong:
            why = str(wrong)
        self._tell("the answer is no ranking; asking for it again")
        self._say(Text(text=_AGAIN.format(why=why)))
        try:
            return read(await self._answer(None))
        except Unreadable as wrong:
            raise CurationFailed(
                f"the model gave no ranking of files: {wrong}",
                hint="try another one by --model, or name the files yourself",
            ) from None

    async def _answer(self, search: Search | None) -> str:
        """The words of the first reply without a search."""
        for number in range(MOST_ROUNDS + 1):
            is_last = number == MOST_ROUNDS or search is None
            finished = await self._asked("none" if is_last else "auto")
            reply = Message(
                id=f"reply-{len(self._messages)}",
                role="assistant",
                parts=finished.parts,
                origin=self._lineup.speaker.model.origin,
            )
            self._messages.append(reply)
            if not reply.calls:
                return reply.text
            results = [await self._result(each, search, at) for at, each in enumerate(reply.calls)]
            self._say(*results)
        return ""

    async def _result(self, call: ToolCall, search: Search | None, at: int) -> ToolResult:
        if search is None or call.name != "search":
            text, ok = f"there is no tool {call.name!r} here; answer with the JSON object", False
        elif at >= _MOST_CALLS:
            text, ok = "too many searches at once; this one was not done", False
        else:
            self._tell(f"searching {call.arguments}")
            text, ok = await search.answer(call.arguments)
        return ToolResult(call_id=call.id, name=call.name, parts=(Text(text=text),), ok=ok)

    def _say(self, *parts: Part) -> None:
        self._messages.append(Message(id=f"said-{len(self._messages)}", role="user", parts=parts))

    async def _asked(self, choice: Literal["auto", "none"]) -> Finished:
        def request(speaker: Speaker) -> Request:
            # The tool is named also where it may not be called: there may be calls in what was said.
            made = speaker.request(
                (self._system,), tuple(self._messages), (spec(),), choice=choice, cache_key=""
            )
            return replace(made, web_search="off")

        return await asked(self._lineup, request, paid=self._paid)


def _question(task: str, candidates: Sequence[Candidate]) -> str:
    listed = "\n".join(each.line for each in candidates)
    mark = "candidates"
    while f"</{mark}" in listed:  # a path may hold that
        mark += "_"
    return f"The task:\n<task>\n{task}\n</task>\n\nThe candidates:\n<{mark}>\n{listed}\n</{mark}>"
