"""What cards and screens look like, kept as pictures; no engine, so that nothing in them moves."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Input

from ouroboros.app.config.layers import load
from ouroboros.core.events import Envelope, PermissionRequested
from ouroboros.core.events.question import Choice, Question, UserAsked
from ouroboros.core.state import State
from ouroboros.faces.slashes.table import SLASHES
from ouroboros.faces.tui.cards.slot import CardSlot
from ouroboros.faces.tui.keys import Keys
from ouroboros.faces.tui.palette import PALETTES, Palette
from ouroboros.faces.tui.screens.diff import DiffScreen
from ouroboros.faces.tui.screens.first import FirstStart
from ouroboros.faces.tui.screens.help import HelpScreen
from ouroboros.faces.tui.themes import theme
from tests.tui.calm import Calm
from tests.tui.pictures import Album

DIFF = """--- a/parcel.py
+++ b/parcel.py
@@ -1,6 +1,6 @@
 def price(weight: float) -> float:
     \"\"\"Euros for a parcel.\"\"\"
-    if weight < 2:
+    if weight <= 2:
         return 4.5
     return 7.0
"""
ASKED = PermissionRequested(
    request_id="r1",
    call_id="c1",
    tool="shell",
    action="Run rm -rf build && npm run build",
    input="rm -rf build && npm run build",
    reason="rm deletes without asking",
    rule="ask(shell(rm *)) of your settings",
    warning="it deletes a folder with all that is in it",
    grant="shell(rm -rf build)",
    rules=("shell(rm -rf build)",),
    wider=("shell(rm *)",),
    scopes=("once", "session", "local", "project", "user"),
    sources=("https://example.com/readme",),
)
WRITE = PermissionRequested(
    request_id="r2",
    call_id="c2",
    tool="edit",
    action="Edit parcel.py",
    input="{}",
    reason="files are asked about in mode ask",
    detail=DIFF,
    scopes=("once", "session"),
    grant="edit(parcel.py)",
)
SURVEY = UserAsked(
    request_id="a1",
    call_id="c3",
    questions=(
        Question(
            id="db",
            header="Database",
            question="Which database shall the orders go to?",
            options=(
                Choice(label="SQLite", description="one file, no server"),
                Choice(label="PostgreSQL", description="for more than one machine"),
            ),
        ),
    ),
)
PLAN = (
    "# Ship by weight\n\n1. Change the bound in `parcel.py`\n2. Run the tests\n3. Say what changed"
)


class Still(App[None]):
    """A prompt with cards over it, or one screen."""

    def __init__(self, folder: Path, palette: Palette, state: State, screen: Any = None) -> None:
        super().__init__(ansi_color=not palette.background)
        self.palette, self.state, self.first = palette, state, screen
        self.hub = self.room = None
        self.cwd = folder
        names = ("OLLAMA", "LMSTUDIO", "VLLM", "LLAMACPP")
        self.environment = {f"{name}_BASE_URL": "http://127.0.0.1:9" for name in names}
        self.environment |= {"HOME": str(folder), "OUROBOROS_HOME": str(folder / "home")}
        self.loaded = load(folder, self.environment, {})
        self.keys = Keys()
        self.slashes = SLASHES

    def compose(self) -> ComposeResult:
        yield VerticalScroll(can_focus=False)
        yield CardSlot(guard_seconds=0)
        yield Input(placeholder="the prompt", compact=True)

    def on_mount(self) -> None:
        for palette in PALETTES.values():
            self.register_theme(theme(palette))
        self.theme = self.palette.name
        if self.first is not None:
            self.push_screen(self.first())
        slot = self.query_one(CardSlot)
        if self.state.asked:
            slot.take(
                Envelope(
                    id="e",
                    session="s",
                    turn=1,
                    seq=1,
                    ts=0.0,
                    type=SURVEY.type,
                    source=SURVEY.source,
                    data=SURVEY,
                )
            )
        slot.sync(self.state)

    def tell(self, told: object) -> None:
        raise AssertionError(told)


def asking(*events: PermissionRequested) -> State:
    return State(
        session="s", cwd="/home/me/shop", approvals={each.request_id: each for each in events}
    )


USUAL = {"approval", "approval-light-change", "question", "plan", "help", "first-start"}
IS_USUAL = [True, pytest.param(False, marks=pytest.mark.deep)]
CARDS: list[tuple[str, State, tuple[int, int], str, list[str]]] = [
    ("approval", asking(ASKED, WRITE), (80, 24), "dark", []),
    ("approval-low", asking(ASKED), (40, 10), "dark", []),
    ("approval-plain", asking(ASKED), (80, 24), "none", ["down"]),
    ("approval-light-change", asking(WRITE), (80, 30), "light", []),
    ("approval-remember", asking(ASKED), (80, 24), "dark", ["r"]),
    ("approval-no", asking(ASKED), (80, 24), "dark", ["n", *"use git"]),
    ("question", State(session="s", asked={"a1": "c3"}), (80, 24), "dark", ["down"]),
    ("question-low", State(session="s", asked={"a1": "c3"}), (40, 10), "dark", []),
    ("plan", State(session="s", proposed=PLAN, mode="plan"), (80, 24), "dark", []),
]


@pytest.mark.deep
@pytest.mark.proves("E13", "V06", "V20", "V23")
@pytest.mark.parametrize("usual", IS_USUAL)
async def test_cards(album: Album, tmp_path: Path, usual: bool) -> None:
    for name, state, size, colours, keys in CARDS:
        if (name in USUAL) != usual:
            continue
        app = Still(tmp_path, PALETTES[colours], state)
        async with app.run_test(size=size):
            pilot = Calm(app)
            await pilot.pause()
            await pilot.press(*("space" if key == " " else key for key in keys))
            await album.check(app, f"card-{name}")


SCREENS: list[tuple[str, Callable[[], Screen[Any]], tuple[int, int]]] = [
    ("help", HelpScreen, (80, 24)),
    ("help-low", HelpScreen, (40, 10)),
    ("diff-beside", lambda: DiffScreen(DIFF), (110, 20)),
    ("diff-low", lambda: DiffScreen(DIFF), (40, 10)),
    ("first-start", FirstStart, (80, 24)),
    ("first-start-low", FirstStart, (40, 10)),
]


@pytest.mark.proves("V20", "V23")
@pytest.mark.parametrize("usual", IS_USUAL)
async def test_screens(album: Album, tmp_path: Path, usual: bool) -> None:
    for name, screen, size in SCREENS:
        if (name in USUAL) != usual:
            continue
        app = Still(tmp_path, PALETTES["dark"], State(session="s"), screen)
        async with app.run_test(size=size):
            await Calm(app).pause()
            await album.check(app, f"screen-{name}")
