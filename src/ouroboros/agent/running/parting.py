"""A run does not end over the heads of children that are at work: its model is told once, then they end."""

from collections.abc import Awaitable, Callable

from ouroboros.agent.context.standing import child_line
from ouroboros.agent.roles import Journal
from ouroboros.agent.running.hooked import Hooks
from ouroboros.core.events import TaskCompleted
from ouroboros.core.events.code import Logged
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.tools.builtin.session import Children

AT_WORK = (
    "Children of yours are still at work:\n{}\nWait for their answers, or end the work with done and "
    "finish_and_close_children. If you say nothing more, they are ended with it."
)


class Parting:
    """The end of one run."""

    def __init__(
        self, state: State, journal: Journal, ids: Ids, *, children: Children, hooks: Hooks
    ) -> None:
        """``hooks`` are asked once nobody is at work, or the model was told of those who are."""
        self._state, self._journal, self._ids = state, journal, ids
        self._children, self._hooks = children, hooks
        self._is_told = False

    async def stopping(self, verdict: TaskCompleted) -> TaskCompleted | Message:
        """How the run ends, or words for the model to go on with."""
        if self._is_told or verdict.reason != "completed" or not self._children.active():
            return await self._hooks.stopping(verdict)
        self._is_told = True
        text = AT_WORK.format("\n".join(map(self._line, self._children.active())))
        return Message(id=self._ids.new("msg"), role="user", kind="nudge", parts=(Text(text=text),))

    async def close(self, then: Callable[[], Awaitable[None]]) -> None:
        """Ends those that are at work and says so, then does what else is due before a run ends."""
        for child in self._children.active():
            line = self._line(child)
            is_closed = await self._children.close(child)
            how = "was ended with the run" if is_closed else "could not be ended with the run"
            self._journal.record(Logged(level="warning", text=f"a child {how}: {line}"))
        await then()

    def _line(self, name: str) -> str:
        child = self._state.children.get(name)
        return f"{name}: {child_line(child)}" if child is not None else name
