"""Back to before something that was said: what each turn changed, and what is to go back."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from anyio import to_thread
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from ouroboros.app.text import plain
from ouroboros.core.commands import Foreign, Undo
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.slashes.files import going_back
from ouroboros.faces.tui.parts.around import host_of, room_of, window_of
from ouroboros.faces.tui.parts.ink import inked
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.screens.diff import DiffScreen, diff_rows
from ouroboros.faces.tui.screens.frame import BACK, Framed
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.points import changed, foreign_line, would_change
from ouroboros.faces.wording.rows import BOLD, DIM, RED, Row, row, wrap
from ouroboros.faces.wording.table import moment
from ouroboros.faces.wording.words import count, one_line

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.rewind.offline import Preview, Previews, Records
    from ouroboros.app.rewind.points import Point
    from ouroboros.core.state import State

_NAMED = 12
_STEPS = {
    "turns": "Enter go back to before it   Tab its changes   d all of them   Esc leave",
    "what": "Enter do it   Esc back",
    "foreign": "Enter do it   Esc back",
}


class RewindScreen(Framed[str]):
    """Turns with what each changed; then files, conversation or both; then others' changes.

    Gives the words that the conversation is before now, to be said another way.
    """

    DEFAULT_CSS = """
    RewindScreen Horizontal { height: 1fr; }
    RewindScreen #turns { width: 1fr; height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    RewindScreen #side { width: 1fr; height: 1fr; border-left: solid $panel; padding-left: 1; }
    RewindScreen.-narrow #side { display: none; }
    RewindScreen.-narrow.-side #side { display: block; border-left: none; padding: 0; }
    RewindScreen.-narrow.-side #turns { display: none; }
    RewindScreen #facts { height: auto; max-height: 50%; display: none; }
    RewindScreen #ways { display: none; }
    RewindScreen.-asking Horizontal { display: none; }
    RewindScreen.-asking #facts, RewindScreen.-asking #ways { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        Binding("tab", "side", show=False, priority=True),
        Binding("d", "whole", show=False),
    ]
    TITLE = "Go back"
    KEYS = _STEPS["turns"]

    def __init__(self) -> None:
        """Reads nothing yet."""
        super().__init__()
        self._records: Records | None = None
        self._points: dict[str, Point] = {}
        self._previews: Previews | None = None
        self._diffs: dict[str, str] = {}
        self._point: Point | None = None
        self._step, self._what, self._is_undo = "turns", "", False

    def body(self) -> ComposeResult:
        """Turns, what one changed, and the ways back."""
        with Horizontal():
            yield Select(id="turns")
            yield Pager(id="side")
        yield Static(id="facts", markup=False)
        yield Select(id="ways")

    def begin(self) -> None:
        """Lists the turns."""
        self.query_one("#turns", Select).focus()
        self.query_one("#side", Pager).show(lambda _: [row("reading...", DIM)])
        self.run_worker(self._list, group="list", exclusive=True)

    def on_select_moved(self, event: Select.Moved) -> None:
        """Shows what that turn changed, or what that way back would do."""
        event.stop()
        if self._step == "what" and event.select.id == "ways" and self._point is not None:
            self._tell_way(self._point, event.name)
        if event.select.id == "turns" and event.name in self._points:
            self.run_worker(partial(self._look, event.name), group="look", exclusive=True)

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """A turn, what is to go back, or what becomes of others' changes."""
        event.stop()
        match self._step:
            case "turns":
                self.run_worker(
                    partial(self._weigh, self._points[event.name]), group="weigh", exclusive=True
                )
            case "what":
                self._what = event.name
                preview = self._preview_of(event.name)
                if preview is not None and preview.foreign:
                    self._ask_of_others(preview)
                else:
                    self._go("ask")
            case _:
                self._go("overwrite" if event.name == "overwrite" else "keep")

    def action_back(self) -> None:
        """A step back, or out."""
        if self._step == "turns":
            self.dismiss(None)
            return
        self._step = "turns"
        self.remove_class("-asking")
        self.show_keys(_STEPS["turns"])
        self.told("")
        self.query_one("#turns", Select).focus()

    def action_side(self) -> None:
        """The changes, or the turns, where there is room for one of them; else the keys go there."""
        self.toggle_class("-side")
        side = self.query_one("#side", Pager)
        (side if self.has_class("-side") else self.query_one("#turns", Select)).focus()

    def action_whole(self) -> None:
        """All changes of the turn on the whole screen."""
        pick = self.query_one("#turns", Select).chosen
        if pick is not None and pick.name in self._diffs:
            window_of(self).push_screen(DiffScreen(self._diffs[pick.name], "The turn changed"))

    async def _list(self) -> None:
        host, room = host_of(self), room_of(self)
        try:
            await room.session.settle()  # of what began a moment ago nothing may be on the disk yet
            read = partial(_read, host.loaded, room.id)
            self._records, found = await to_thread.run_sync(read)
        except OuroborosError as problem:
            self.told(problem.message)
            return
        self._points = {str(point.number): point for point in found}
        picks = [
            Pick(str(point.number), one_line(point.text, 100), note=_facts(point))
            for point in found
        ]
        self.query_one("#turns", Select).show(picks)
        if not found:
            self.query_one("#side", Pager).show(lambda _: [])
            self.told("Nothing was said yet, so there is nothing to go back to.")

    async def _look(self, name: str) -> None:
        """What a turn changed: until the words after it, or until now."""
        point, records = self._points[name], self._records
        if records is None:
            return
        if name not in self._diffs:
            after = self._points.get(str(point.number - 1))
            try:
                job = partial(_turn_diff, records, point, after)
                self._diffs[name] = await to_thread.run_sync(job)
            except OuroborosError as problem:
                self._diffs[name] = ""
                self.query_one("#side", Pager).show(partial(wrap, problem.message))
                return
        self.query_one("#side", Pager).show(partial(turn_rows, point, self._diffs[name]))

    async def _weigh(self, point: "Point") -> None:
        """What going back would do, and the ways to."""
        records = self._records
        if records is None:
            return
        self._point = point
        depth = host_of(self).loaded.settings.checkpoints.undo_depth
        try:
            (wish, *_) = going_back(room_of(self).state, point.number, "both", "ask", depth=depth)
            self._is_undo = isinstance(wish, Undo)
            self._previews = await to_thread.run_sync(_previewed, records, point)
        except OuroborosError as problem:
            self.told(problem.message)
            return
        picks = [Pick("conversation", "The conversation; files stay as they are", "c")]
        if self._previews is not None:
            both = Pick("both", "Files and conversation", "b")
            picks = [both, *picks, Pick("files", "The files; what was said stays", "f")]
        self._ask("what", self._way_rows(point, picks[0].name), picks)

    def _preview_of(self, what: str) -> "Preview | None":
        """What a way would do to files, as its commands do it; None where files stay as they are."""
        if self._previews is None or what == "conversation":
            return None
        is_undo = what == "both" and self._is_undo
        return self._previews.undo if is_undo else self._previews.restore

    def _way_rows(self, point: "Point", what: str) -> list[Row]:
        rows = wrap(f"Back to before: {one_line(point.text, 200)}", 200, BOLD)
        if self._previews is None:
            return [*rows, row("No file was written since.", DIM)]
        preview = self._preview_of(what)
        if preview is None:
            return [*rows, row("Going back: no file changes")]
        files = would_change(preview.added, preview.changed, preview.removed)
        rows.append(row(f"Going back: {files}"))
        rows += [row(foreign_line(preview, path), RED) for path in preview.foreign[:_NAMED]]
        left = list(preview.left.items())[:3]
        return rows + [row(f"stays: {one_line(path)}: {one_line(why)}", DIM) for path, why in left]

    def _tell_way(self, point: "Point", what: str) -> None:
        self.query_one("#facts", Static).update(inked(self._way_rows(point, what)))

    def _ask_of_others(self, preview: "Preview") -> None:
        some = count(len(preview.foreign), "file")
        rows = [row(f"{some} would lose changes that may not be the agent's:", BOLD)]
        rows += [row(foreign_line(preview, path)) for path in preview.foreign[:_NAMED]]
        more = len(preview.foreign) - _NAMED
        rows += [row(f"and {more} more", DIM)] if more > 0 else []
        picks = [
            Pick("keep", "Leave these files as they are", "k"),
            Pick("overwrite", "Bring them back too; those changes are lost", "o"),
        ]
        self._ask("foreign", rows, picks)

    def _ask(self, step: str, rows: list[Row], picks: list[Pick]) -> None:
        self._step = step
        self.add_class("-asking")
        self.show_keys(_STEPS[step])
        self.query_one("#facts", Static).update(inked(rows))
        ways = self.query_one("#ways", Select)
        ways.show(picks)
        ways.focus()

    def _go(self, decision: Foreign) -> None:
        if self._point is not None:
            self.run_worker(partial(self._gone, self._point, decision), group="go", exclusive=True)

    async def _gone(self, point: "Point", decision: Foreign) -> None:
        host, room = host_of(self), room_of(self)
        depth = host.loaded.settings.checkpoints.undo_depth
        self.told("going back...")
        again = _said(room.state, point)
        try:
            for wish in going_back(room.state, point.number, self._what, decision, depth=depth):
                await room.send(wish)
        except OuroborosError as problem:
            from ouroboros.app.rewind.journey import ForeignEdits

            self.told(problem.message)
            if isinstance(problem, ForeignEdits):
                await self._weigh(point)
            return
        what = {"both": "Files and conversation are", "files": "The files are"}
        said = what.get(self._what, "The conversation is")
        words = one_line(point.text, 60)
        host.tell(Notice(text=f"{said} as before “{words}”; /redo may bring it back"))
        self.dismiss(again if self._what != "files" else None)


def turn_rows(point: "Point", diff: str, width: int) -> list[Row]:
    """The words of a turn, and what it changed."""
    rows = [*wrap(plain(point.text), width, BOLD), row(_facts(point), DIM), row("")]
    return [*rows, *(diff_rows(plain(diff), width) if diff else [row("No file was changed.", DIM)])]


def _facts(point: "Point") -> str:
    when = moment(point.at) if point.at else ""
    return "  ".join(filter(None, [when, changed(point.added, point.changed, point.removed)]))


def _read(loaded: "Loaded", session: str) -> "tuple[Records, list[Point]]":
    from ouroboros.app.rewind.offline import Records

    records = Records(loaded.home, session, loaded.settings)
    return records, records.points()


def _turn_diff(records: "Records", point: "Point", after: "Point | None") -> str:
    if not point.checkpoint:
        return ""
    latest = records.state.files.kept[-1].checkpoint
    return records.diff(point.checkpoint, (after.checkpoint if after else "") or latest)


def _said(state: "State", point: "Point") -> str:
    """The person's own words, whole; empty where a goal was gone on with."""
    node = state.tree.nodes.get(point.message_id)
    return node.message.text if node is not None and not node.by_itself else ""


def _previewed(records: "Records", point: "Point") -> "Previews | None":
    target = records.target(point.message_id)
    return records.previews(target) if target is not None else None
