"""Questions that wait for the person: asked once, answered once, by whichever face is first."""

from typing import Literal

from anyio import Event as Signal
from anyio import get_cancelled_exc_class
from msgspec import Struct

from ouroboros.agent.loop import Journal
from ouroboros.core.clock import Clock
from ouroboros.core.commands import Approve, Deny, Scope
from ouroboros.core.events import PermissionAnswered, PermissionRequested

NOBODY = "Nobody is here to answer. Choose another way, or finish and say what you need."


class Waiting(Struct, kw_only=True):
    """A question, and its answer once there is one."""

    asked: PermissionRequested
    since: float
    signal: Signal
    answer: PermissionAnswered | None = None


class Desk:
    """Puts questions on record and lets the hands wait for the answer."""

    def __init__(self, *, journal: Journal, clock: Clock, interactive: bool) -> None:
        """Without ``interactive`` every question is answered no, by nobody."""
        self._journal, self._clock, self._interactive = journal, clock, interactive
        self._waiting: dict[str, Waiting] = {}
        self.unanswered = 0

    async def ask(self, request: PermissionRequested) -> PermissionAnswered:
        """Asks and waits; a cancel answers no and goes on as a cancel."""
        self._journal.record(request)
        waiting = Waiting(asked=request, since=self._clock.monotonic(), signal=Signal())
        self._waiting[request.request_id] = waiting
        if not self._interactive:
            self.unanswered += 1
            return self._answer(waiting, allowed=False, decider="nobody", message=NOBODY)
        try:
            await waiting.signal.wait()
        except get_cancelled_exc_class():
            self._answer(waiting, allowed=False, decider="cancelled")
            raise
        return waiting.answer or self._answer(waiting, allowed=False, decider="cancelled")

    def answer(self, command: Approve | Deny) -> bool:
        """Takes the person's answer; False when nothing with that id waits for one."""
        waiting = self._waiting.get(command.request_id)
        if waiting is None:
            return False
        match command:
            case Approve(scope=scope):
                self._answer(waiting, allowed=True, decider="person", scope=scope)
            case Deny(message=message):
                self._answer(waiting, allowed=False, decider="person", message=message)
        return True

    def _answer(
        self,
        waiting: Waiting,
        *,
        allowed: bool,
        decider: Literal["person", "nobody", "cancelled"],
        scope: Scope = "once",
        message: str = "",
    ) -> PermissionAnswered:
        answer = PermissionAnswered(
            request_id=waiting.asked.request_id,
            call_id=waiting.asked.call_id,
            allowed=allowed,
            decider=decider,
            scope=scope,
            message=message,
            seconds=self._clock.monotonic() - waiting.since,
        )
        waiting.answer = answer
        self._waiting.pop(waiting.asked.request_id, None)
        self._journal.record(answer)
        waiting.signal.set()
        return answer
