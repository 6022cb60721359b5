"""Questions of the model that wait for the person's words: asked once, answered by whoever is first."""

from anyio import Event as Signal
from msgspec import Struct

from ouroboros.core.commands import Answer
from ouroboros.core.errors import Misuse, ToolFailed
from ouroboros.core.events.question import Question, UserAsked

NOBODY = (
    "request_user_input is not available: nobody is here to answer. Decide as you would suggest, "
    "or finish and say what you need to know."
)

type Answers = dict[str, tuple[str, ...]]


class _Waiting(Struct, kw_only=True):
    questions: tuple[Question, ...]
    signal: Signal
    answers: Answers | None = None


class Questions:
    """Lets a tool wait for the person's words."""

    def __init__(self, *, interactive: bool) -> None:
        """Without ``interactive`` nobody is there."""
        self._interactive = interactive
        self._waiting: dict[str, _Waiting] = {}

    def check(self) -> None:
        """Raises ``ToolFailed`` where nobody is there."""
        if not self._interactive:
            raise ToolFailed(NOBODY)

    async def ask(self, asked: UserAsked) -> Answers | None:
        """The answers by question; None when the person did not want to answer."""
        waiting = _Waiting(questions=asked.questions, signal=Signal())
        self._waiting[asked.request_id] = waiting
        try:
            await waiting.signal.wait()
        finally:
            del self._waiting[asked.request_id]
        return waiting.answers or None

    def answer(self, command: Answer) -> bool:
        """Takes an answer; False when nothing of that id waits, or it was answered already.

        Raises:
            Misuse: Not every question has an answer, or there is one too many.
        """
        waiting = self._waiting.get(command.request_id)
        if waiting is None or waiting.signal.is_set():
            return False
        asked = {question.id for question in waiting.questions}
        if command.answers and command.answers.keys() != asked:
            raise Misuse(f"answer each of {', '.join(sorted(asked))}, and nothing else")
        waiting.answers = dict(command.answers)
        waiting.signal.set()
        return True
