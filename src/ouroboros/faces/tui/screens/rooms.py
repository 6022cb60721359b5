"""The sessions that are open here, what goes on in each, and what fills the context of this one."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ouroboros.core.commands import Interrupt
from ouroboros.core.context import Meter
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.parts.around import host_of, room_of
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.screens.frame import BACK, Framed
from ouroboros.faces.tui.screens.past import standing
from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, Row, Span, row
from ouroboros.faces.wording.words import count, money, one_line

if TYPE_CHECKING:
    from ouroboros.app.hub import Room

_BAR = 24


class RoomsScreen(Framed[str]):
    """Gives the session to show; None when it is left. Follows what happens while it is open."""

    DEFAULT_CSS = "RoomsScreen #rooms { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        Binding("x", "stop", show=False),
        Binding("c", "close_room", show=False),
    ]
    TITLE = "Open sessions"
    KEYS = "Enter show it   x stop its run   c close it   Esc leave"

    def body(self) -> ComposeResult:
        """One for each room."""
        yield Select(id="rooms")

    def begin(self) -> None:
        """All of them, and what happens to them."""
        hub = host_of(self).hub
        if hub is None:
            self.told("No session is open yet.")
            return
        hub.listen(self._heard)
        self.query_one(Select).focus()
        self._show()

    def on_unmount(self) -> None:
        """Hears nothing more."""
        if (hub := host_of(self).hub) is not None:
            hub.forget(self._heard)

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """Shows that one."""
        event.stop()
        self.dismiss(event.name)

    def action_stop(self) -> None:
        """Stops what runs there."""
        if room := self._room:
            self.run_worker(partial(self._told_by, partial(room.send, Interrupt())), group="stop")

    def action_close_room(self) -> None:
        """Closes it; it is kept, and is not at work any more."""
        hub, room = host_of(self).hub, self._room
        here = host_of(self).room
        if room is None or hub is None:
            return
        if here is not None and here.id == room.id:
            self.told("This session is on the screen; go to another one first.")
        else:
            self.run_worker(partial(self._told_by, partial(hub.close, room.id)), group="stop")

    @property
    def _room(self) -> "Room | None":
        hub, pick = host_of(self).hub, self.query_one(Select).chosen
        return hub.room(pick.name) if hub is not None and pick is not None else None

    def _heard(self, session: str) -> None:
        del session
        self.call_later(self._show)

    def _show(self) -> None:
        hub, here = host_of(self).hub, host_of(self).room
        if hub is None or not self.is_attached:
            return
        select = self.query_one(Select)
        before = select.chosen.name if select.chosen else here.id if here is not None else ""
        select.show([_pick(room, here) for room in hub.rooms()], name=before)

    async def _told_by(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except OuroborosError as problem:
            self.told(problem.message)
        self._show()


def _pick(room: "Room", here: "Room | None") -> Pick:
    state = room.state
    title = one_line(state.title, 80) or _first_words(room) or "(no words yet)"
    children = count(len(state.children), "child run") if state.children else ""
    facts = [
        one_line(state.model, 40),
        count(state.turn, "turn"),
        money(state.spent.cost),
        children,
    ]
    mark = standing(room)
    shown = f"{title} (here)" if here is not None and here.id == room.id else title
    return Pick(room.id, shown, mark=f"[{mark}]", note="  ".join(filter(None, facts)))


def _first_words(room: "Room") -> str:
    said = (
        each.text for each in room.state.history if each.role == "user" and each.kind == "plain"
    )
    return one_line(next(said, ""), 80)


class ContextScreen(Framed[None]):
    """What fills the model's context, as numbers and bars."""

    TITLE = "Context"
    KEYS = "q, Esc back"

    def body(self) -> ComposeResult:
        """The meter."""
        yield Pager(id="meter")

    def begin(self) -> None:
        """Counts."""
        meter = room_of(self).session.meter()
        pager = self.query_one(Pager)
        pager.show(lambda width: list(meter_rows(meter, width)))
        pager.focus()

    def on_key(self, event: events.Key) -> None:
        """Leaves."""
        if event.key == "q":
            event.stop()
            self.dismiss(None)


def meter_rows(meter: Meter, width: int) -> Iterator[Row]:
    """Each kind of content with its tokens, its share, and a bar where there is room for it."""
    counted = "reported by the vendor" if meter.source == "reported" else "estimated"
    yield row(one_line(meter.model, 60), BOLD)
    yield row(f"{meter.used:,} of {meter.window:,} tokens, {counted}", DIM)
    yield row("")
    lines = [(block.name, block.tokens) for block in meter.blocks]
    yield from (_bar(name, tokens, meter.window, width) for name, tokens in lines)
    yield _bar("free", meter.free, meter.window, width)
    if meter.limit is not None:
        yield row("")
        yield row(f"summarised at {meter.limit:,} tokens", DIM)
    if meter.is_assumed:
        yield row("the model's window is assumed", DIM)


def _bar(name: str, tokens: int, window: int, width: int) -> Row:
    share = tokens / window if window else 0.0
    words = f"{one_line(name, 18):<19}{tokens:>10,}{share:>6.0%} "
    room = min(width - len(words) - 1, _BAR)
    filled = min(round(share * room), room) if room > 0 else 0
    return (Span(words), Span("#" * filled, CYAN), Span("." * max(room - filled, 0), DIM))
