"""A whole change: by file, one side below the other or beside it."""

from itertools import takewhile
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from ouroboros.app.review.changes import steering_of
from ouroboros.app.text import plain
from ouroboros.faces.tui.parts.around import window_of
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.screens.frame import BACK, Framed
from ouroboros.faces.tui.transcript.changes import change_rows
from ouroboros.faces.tui.transcript.look import Look
from ouroboros.faces.wording.rows import DIM, YELLOW, Row, row, wrap
from ouroboros.faces.wording.text.diff import tally
from ouroboros.faces.wording.words import one_line

_ALL = 1_000_000
_TWO_SIDES = 100


class DiffScreen(Framed[None]):
    """Every file of a change; nothing is cut."""

    DEFAULT_CSS = """
    DiffScreen Horizontal { height: 1fr; }
    DiffScreen #files { width: 30%; max-width: 40; height: 1fr; border-right: solid $panel; }
    DiffScreen.-narrow #files, DiffScreen.-one #files { display: none; }
    DiffScreen #change { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        Binding("q", "back", show=False),
        Binding("n,right", "step(1)", show=False),
        Binding("p,left", "step(-1)", show=False),
        Binding("s", "sides", show=False),
    ]
    KEYS = "n, p next and previous file   s side by side   Up, Down, PageUp, PageDown   q back"

    def __init__(self, text: str, title: str = "Changes") -> None:
        """``text`` is a unified diff."""
        super().__init__()
        self._called = title
        found = files(plain(text))
        self._steering = steering_of(*(name for name, _ in found))
        # What steers later runs is shown apart, behind the others.
        self._files = sorted(found, key=lambda each: each[0] in self._steering)
        self._at = 0
        self._sides: bool | None = None

    def body(self) -> ComposeResult:
        """The files, and the change of one of them."""
        with Horizontal():
            yield Select(
                [
                    Pick(str(at), self._marked(name), note=tally(text))
                    for at, (name, text) in enumerate(self._files)
                ],
                id="files",
                numbered=False,
            )
            yield Pager(id="change")

    def begin(self) -> None:
        """The first file."""
        self.set_class(len(self._files) < 2, "-one")
        self.query_one("#files", Select).can_focus = False
        self.query_one(Pager).focus()
        self._show()

    @property
    def is_beside(self) -> bool:
        """Old and new stand side by side."""
        return window_of(self).size.width >= _TWO_SIDES if self._sides is None else self._sides

    def action_step(self, by: int) -> None:
        """Another file."""
        if self._files:
            self._at = (self._at + by) % len(self._files)
            self.query_one("#files", Select).highlighted = self._at
            self._show()

    def action_sides(self) -> None:
        """Side by side, or one below the other."""
        self._sides = not self.is_beside
        self._show()

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """A click on a file."""
        event.stop()
        self._at = int(event.name)
        self._show()

    def _show(self) -> None:
        if not self._files:
            self.entitle(self._called)
            self.query_one(Pager).show(lambda _: [row("Nothing was changed.", DIM)])
            return
        name, text = self._files[self._at]
        place = f" ({self._at + 1} of {len(self._files)})" if len(self._files) > 1 else ""
        self.entitle(f"{self._called}: {one_line(name, 60)} {tally(text)}{place}")
        what = self._steering.get(name, "")
        top = [row(f"steers later runs: {what}", YELLOW)] if what else []
        self.query_one(Pager).show(
            lambda width: [*top, *diff_rows(text, width, sides=self.is_beside)]
        )

    def _marked(self, name: str) -> str:
        return f"! {name}" if name in self._steering else name


def diff_rows(text: str, width: int, *, sides: bool = False, is_brief: bool = False) -> list[Row]:
    """A diff as rows of that width, numbered and coloured by language; as it is where no line changed.

    A brief one begins with the first line that changed.
    """
    look = Look(columns=width, sides=sides)
    return change_rows(text, look, _ALL, is_brief=is_brief) or wrap(text, width)


def files(text: str) -> list[tuple[str, str]]:
    """A unified diff cut into files: the name of each, and its part of the diff."""
    lines = text.rstrip("\n").split("\n")
    starts = [at for at in range(len(lines)) if _begins(lines, at)]
    ends = [*starts[1:], len(lines)][: len(starts)]
    found = [
        (_name(lines[start:end]), "\n".join(lines[start:end]))
        for start, end in zip(starts, ends, strict=True)
    ]
    if not starts and text.strip():
        return [("", text)]
    return found


def _begins(lines: list[str], at: int) -> bool:
    """Whether a file begins there; a line that was taken away may well begin with dashes, too."""
    if lines[at].startswith("diff --git "):
        return True
    has_head = at + 2 < len(lines) and lines[at].startswith("--- ")
    after_git = any(line.startswith("diff --git ") for line in lines[max(at - 8, 0) : at])
    is_head = has_head and lines[at + 1].startswith("+++ ") and lines[at + 2].startswith("@@ ")
    return is_head and not after_git


def _name(lines: list[str]) -> str:
    head = list(takewhile(lambda line: not line.startswith("@@ "), lines))
    names = [
        line[4:].partition("\t")[0].strip() for line in head if line.startswith(("+++ ", "--- "))
    ]
    names = [name.removeprefix("a/").removeprefix("b/") for name in names if name != "/dev/null"]
    return names[-1] if names else lines[0].partition(" b/")[2] or lines[0]
