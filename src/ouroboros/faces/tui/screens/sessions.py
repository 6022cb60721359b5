"""Past sessions: found by their words, looked into, gone on with, forked, renamed, removed."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input

from ouroboros.app.text import plain
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.parts.around import host_of, window_of
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.parts.typing import Words
from ouroboros.faces.tui.screens import past
from ouroboros.faces.tui.screens.confirm import Confirm, Naming
from ouroboros.faces.tui.screens.frame import BACK, MOVES, Framed
from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, Row, row, wrap
from ouroboros.faces.wording.table import moment
from ouroboros.faces.wording.words import count, one_line

if TYPE_CHECKING:
    from ouroboros.app.past.sessions import Session

_PAUSE_SECONDS = 0.15
_WORDS = 2_000
_NOTHING = "Nothing was found; Ctrl-A looks into all folders."
_NONE = "There is no session of this folder yet; Ctrl-A shows those of all folders."


class SessionPicker(Framed[str]):
    """Gives the id of the session to go on with; None when it is left.

    What is typed is looked for in all that was said; arrows move, whatever has the keys.
    """

    DEFAULT_CSS = """
    SessionPicker #words { border: none; height: 1; padding: 0; }
    SessionPicker Horizontal { height: 1fr; }
    SessionPicker #found { width: 1fr; height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    SessionPicker #preview { width: 1fr; height: 1fr; border-left: solid $panel; padding-left: 1; }
    SessionPicker.-narrow #preview { display: none; }
    SessionPicker.-narrow.-preview #preview { display: block; border-left: none; }
    SessionPicker.-narrow.-preview #found { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        *MOVES,
        Binding("enter", "open", show=False, priority=True),
        Binding("tab", "preview", show=False, priority=True),
        Binding("ctrl+a", "everywhere", show=False, priority=True),
        Binding("ctrl+f", "fork", show=False, priority=True),
        Binding("ctrl+r", "rename", show=False, priority=True),
        Binding("ctrl+d,delete", "remove", show=False, priority=True),
    ]
    TITLE = "Sessions of this folder"
    KEYS = (
        "Enter open  Tab look  Ctrl-A all folders  Ctrl-F fork  Ctrl-R rename  Ctrl-D delete  Esc"
    )

    def __init__(self, words: str = "", *, everywhere: bool = False) -> None:
        """Begins with what ``words`` find."""
        super().__init__()
        self._words, self._everywhere = words, everywhere
        self._found: dict[str, Session] = {}
        self._pause: Timer | None = None
        self._previewed = ""

    def body(self) -> ComposeResult:
        """Words to look for, what was found, and a look into it."""
        yield Words(self._words, asking="words that were said, or a title", id="words")
        with Horizontal():
            yield Select(id="found", numbered=False)
            yield Pager(id="preview")

    def begin(self) -> None:
        """Lists the latest."""
        self.query_one("#words", Input).focus()
        self._look()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Looks once the person has stopped typing for a moment."""
        event.stop()
        if self._pause is not None:
            self._pause.stop()
        self._words = event.value
        self._pause = self.set_timer(_PAUSE_SECONDS, self._look)

    def on_select_moved(self, event: Select.Moved) -> None:
        """Looks into another one."""
        event.stop()
        self.run_worker(partial(self._preview, event.name), group="preview", exclusive=True)

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """A click."""
        event.stop()
        self.dismiss(event.name)

    @property
    def moved(self) -> Select | Pager:
        """The list, or what is looked at where that has its place."""
        looks = self.is_narrow and self.has_class("-preview")
        return self.query_one(Pager if looks else Select)

    def action_open(self) -> None:
        """Goes on with it."""
        if found := self._chosen:
            self.dismiss(found.id)

    def action_preview(self) -> None:
        """Looks into it, or back at the list, where there is room for one of them."""
        self.toggle_class("-preview")

    def action_everywhere(self) -> None:
        """Those of all folders, or of this one."""
        self._everywhere = not self._everywhere
        self._look()

    def action_fork(self) -> None:
        """Goes on in a new session that begins like it."""
        if found := self._chosen:
            self._work(partial(self._fork, found.id))

    def action_rename(self) -> None:
        """Asks for another title."""
        if found := self._chosen:
            ask = Naming("Call it", found.title)
            window_of(self).push_screen(ask, partial(self._renamed, found.id))

    def action_remove(self) -> None:
        """Asks whether it is really to be removed."""
        if found := self._chosen:
            words = f"Delete {one_line(found.title, 60) or found.id} for good?"
            window_of(self).push_screen(
                Confirm(words, "Delete it"), partial(self._removed, found.id)
            )

    @property
    def _chosen(self) -> "Session | None":
        pick = self.query_one(Select).chosen
        return self._found.get(pick.name) if pick is not None else None

    def _look(self) -> None:
        where = "all folders" if self._everywhere else "this folder"
        self.entitle(f"Sessions of {where}")
        self.run_worker(self._find, group="find", exclusive=True)

    async def _find(self) -> None:
        host = host_of(self)
        try:
            found = await past.find(host, self._words, everywhere=self._everywhere)
        except OuroborosError as problem:
            self.told(problem.message)
            return
        self._found = {each.id: each for each, _ in found}
        here = host.room.id if host.room is not None else ""
        rooms = host.hub.rooms() if host.hub is not None else ()
        busy = {room.id: past.standing(room) for room in rooms}
        select = self.query_one(Select)
        before = select.chosen.name if select.chosen else ""
        select.show(
            [_pick(each, excerpt, here, busy.get(each.id, "")) for each, excerpt in found],
            name=before,
        )
        nothing = _NOTHING if self._words.strip() else _NONE
        self.told("" if found or self._everywhere else nothing)
        if not found:
            self._previewed = ""
            self.query_one(Pager).show(lambda _: [])

    async def _preview(self, session: str) -> None:
        known = self._found.get(session)
        if known is None:
            return
        try:
            said = await past.said(host_of(self), session)
        except OuroborosError as problem:
            said = [("", problem.message)]
        # A list that is read anew tells of its row again, in the middle of reading it.
        stays, self._previewed = session == self._previewed, session
        self.query_one(Pager).show(partial(preview_rows, known, said), keeps_place=stays)

    def _work(self, job: Callable[[], Awaitable[object]]) -> None:
        """Does something, tells what went wrong with it, and looks again."""
        self.run_worker(partial(self._worked, job), group="work")

    async def _worked(self, job: Callable[[], Awaitable[object]]) -> None:
        try:
            await job()
        except OuroborosError as problem:
            self.told(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
        else:
            await self._find()

    async def _fork(self, session: str) -> None:
        self.dismiss(await past.fork(host_of(self), session))

    def _renamed(self, session: str, title: str | None) -> None:
        if title is not None and title.strip():
            self._work(lambda: past.rename(host_of(self), session, " ".join(title.split())))

    def _removed(self, session: str, agreed: str | None) -> None:
        if agreed:
            self._work(lambda: past.delete(host_of(self), session))


def preview_rows(session: "Session", said: list[tuple[str, str]], width: int) -> list[Row]:
    """What is known of a session, and what was said in it last."""
    rows = wrap(one_line(session.title, 300) or "(no words yet)", width, BOLD)
    rows += wrap(f"{moment(session.updated)}, {count(session.turns, 'turn')}", width, DIM)
    for who, text in said:
        rows += [row(""), row(who, CYAN), *wrap(plain(text[:_WORDS]), width)]
    facts = (session.status, session.model, session.cwd, session.id)
    about = [line for fact in facts for line in wrap(one_line(fact, 300), width, DIM)]
    return [*rows, row(""), *about]


def _pick(session: "Session", excerpt: str, here: str, standing: str) -> Pick:
    mark = "here" if session.id == here else standing
    when = moment(session.updated)
    words = one_line(session.title, 100) or "(no words yet)"
    return Pick(session.id, f"{when}  {words}", note=one_line(excerpt, 100), mark=mark)
