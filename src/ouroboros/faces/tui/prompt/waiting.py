"""Words that are not said yet: shown over the prompt, changed and taken back."""

from typing import TYPE_CHECKING

from ouroboros.core.commands import Dequeue, Requeue
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.faces.tui.host import Host


class Waiting:
    """Which words wait, and which of them are being changed."""

    def __init__(self, host: "Host") -> None:
        """None is being changed; ``changing`` is its id."""
        self.changing = ""
        self._host = host

    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the model hears at its next step, and what it hears after the run."""
        room = self._host.room
        if room is None:
            return (), ()
        state = room.state
        if self.changing and self.changing not in state.later:
            self.changing = ""  # said or taken away meanwhile
        soon = tuple(each.text for each in state.queued if each.kind == "plain")
        later = tuple(text for id, text in state.later.items() if id != self.changing)
        return soon, later

    @property
    def told(self) -> str:
        """How they are changed, while there are any."""
        return f"{self._host.keys.shown('waiting')} changes what waits" if self.words()[1] else ""

    def take_back(self) -> str | None:
        """The words to change: the latest, and at each further call those before; None for no more."""
        room = self._host.room
        later = dict(room.state.later) if room is not None else {}
        ids = list(later)
        at = ids.index(self.changing) - 1 if self.changing in later else len(ids) - 1
        if at < 0:
            return None
        self.changing = ids[at]
        return later[self.changing]

    def leave(self) -> None:
        """Leaves them as they were."""
        self.changing = ""

    async def change(self, text: str) -> None:
        """Has these said in their place; nothing, where they are empty."""
        room, id = self._host.room, self.changing
        self.changing = ""
        if room is None:
            return
        try:
            await room.send(Requeue(id=id, text=text) if text.strip() else Dequeue(id=id))
        except OuroborosError as problem:
            told = Notice(text=f"error: {problem.message}", level="error", hint=problem.hint)
            self._host.tell(told)
