"""Questions that wait for the person: asked once, answered once, by whichever face is first."""

from anyio import Event as Signal
from msgspec import Struct

from ouroboros.agent.asking.questions import Questions
from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested
from ouroboros.tools.approval import Answer, Reviewer

WITHOUT = " Go on without it, or finish and say what you would need"
"""What only a model is told where nobody is there to be asked."""

NOBODY = f"Nobody is here to approve this ({{action}}): {{reason}}.{WITHOUT}{{rule}}."


class Waiting(Struct, kw_only=True):
    """A question, and its answer once there is one."""

    signal: Signal
    answer: Answer | None = None


class Desk:
    """Lets the hands wait for the person's answer."""

    reviewer: Reviewer = "person"

    def __init__(self, *, interactive: bool) -> None:
        """Without ``interactive`` every question is answered no, by nobody."""
        self._interactive = interactive
        self._waiting: dict[str, Waiting] = {}
        self.unanswered = 0
        self.questions = Questions(interactive=interactive)

    @property
    def is_interactive(self) -> bool:
        """Whether a person is there to be asked."""
        return self._interactive

    async def ask(self, question: PermissionRequested) -> Answer:
        """The answer; the question is on record already, the answer will be by the caller."""
        if not self._interactive:
            self.unanswered += 1
            message = NOBODY.format(
                action=question.action,
                reason=question.reason or "it needs approval",
                rule=f"; the rule {question.rules[0]} would allow it" if question.rules else "",
            )
            return Answer(allowed=False, decider="nobody", message=message)
        waiting = Waiting(signal=Signal())
        self._waiting[question.request_id] = waiting
        try:
            await waiting.signal.wait()
        finally:
            del self._waiting[question.request_id]
        return waiting.answer or Answer(allowed=False, decider="cancelled")

    def answer(self, command: Approve | Deny) -> bool:
        """Takes an answer; False when no question of that id waits, or it has one already."""
        waiting = self._waiting.get(command.request_id)
        if waiting is None or waiting.answer is not None:
            return False
        match command:
            case Approve(scope=scope, rules=rules, input=text):
                waiting.answer = Answer(allowed=True, scope=scope, rules=rules, input=text)
            case Deny(message=message):
                waiting.answer = Answer(allowed=False, message=message)
        waiting.signal.set()
        return True
