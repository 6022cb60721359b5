"""What hooks are told of a session, whatever they are asked."""

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

from ouroboros.core.commands import Command, Mode
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.plugins.hooks.contexts import as_context
from ouroboros.plugins.hooks.moments import Moment

type Beginning = Literal["startup", "resume", "clear", "compact"]

_MODES: dict[Mode, str] = {
    "plan": "plan",
    "ask": "default",
    "auto-edit": "acceptEdits",
    "full-auto": "bypassPermissions",
}


class Facts(Struct, frozen=True, kw_only=True):
    """What hooks are told of the session.

    Attributes:
        transcript: The file that repeats its events; None where there is none.
        never_asks: An approval policy lets nothing be asked.
        model: Who is asked now.
        agent: Name and kind of the child that all of it is about; empty for the session itself.
    """

    state: State
    cwd: str
    transcript: str | None
    never_asks: bool
    model: Callable[[], str]
    ids: Ids
    stop: Callable[[Command], Awaitable[None]]
    beginning: Beginning = "startup"
    agent: tuple[str, str] | tuple[()] = ()

    def common(self, moment: Moment, turn: int | None = -1) -> dict[str, object]:
        """What every payload begins with; ``turn`` is by default the one that runs, None leaves it out."""
        mode = "bypassPermissions" if self.never_asks else _MODES[self.state.mode]
        told: dict[str, object] = {
            "session_id": self.state.session,
            "transcript_path": self.transcript,
            "cwd": self.cwd,
            "hook_event_name": moment,
            "model": self.model(),
            "permission_mode": mode,
        }
        if turn is not None:
            told["turn_id"] = str(self.state.turn if turn < 0 else turn)
        if self.agent:
            told["agent_id"], told["agent_type"] = self.agent
        return told

    def context(self, text: str) -> Message:
        """Words of a hook as a model reads them."""
        parts = (Text(text=as_context(text)),)
        return Message(id=self.ids.new("msg"), role="user", kind="context", parts=parts)
