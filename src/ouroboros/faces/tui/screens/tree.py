"""Every message of the session, on all branches: going on from one, or in a session of its own."""

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ouroboros.app.past.tree import Twig
from ouroboros.core.commands import Branch
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.parts.around import host_of, room_of
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.screens.frame import BACK, Framed
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.tree import place, rows_of


class TreeScreen(Framed[str]):
    """Gives the session that was forked, to be gone on with; None when it is left."""

    DEFAULT_CSS = "TreeScreen #tree { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [BACK, Binding("f", "fork", show=False)]
    TITLE = "Conversation"
    KEYS = "Enter go on after it   f in a new session   Esc leave   > here   * on the way"

    def body(self) -> ComposeResult:
        """The tree."""
        yield Select(id="tree", numbered=False)

    def begin(self) -> None:
        """Every message, the place of the conversation marked."""
        twigs = room_of(self).session.tree()
        self._twigs: dict[str, Twig] = {twig.id: twig for twig in twigs}
        picks = [Pick(twig.id, line) for twig, line in rows_of(twigs)]
        head = next((twig.id for twig in twigs if twig.is_head), "")
        select = self.query_one(Select)
        select.show(picks, name=head)
        select.focus()
        self.told("" if picks else "Nothing was said yet.")

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """Goes on after a message."""
        event.stop()
        self.run_worker(partial(self._jump, event.name), group="jump", exclusive=True)

    def action_fork(self) -> None:
        """Goes on after it in a session of its own."""
        pick = self.query_one(Select).chosen
        if pick is not None:
            self.run_worker(partial(self._fork, pick.name), group="jump", exclusive=True)

    async def _jump(self, node: str) -> None:
        try:
            await room_of(self).send(Branch(message_id=node))
        except OuroborosError as problem:
            self.told(problem.message)
            return
        host_of(self).tell(Notice(text=f"after message {place(self._twigs[node])}"))
        self.dismiss(None)

    async def _fork(self, node: str) -> None:
        try:
            child = await room_of(self).session.fork(node)
        except OuroborosError as problem:
            self.told(problem.message)
            return
        self.dismiss(child)
