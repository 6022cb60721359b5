"""Calls the person who looks elsewhere: a run has ended, or something is asked."""

from collections.abc import Callable, Mapping
from typing import Literal

from ouroboros.core.clock import Clock
from ouroboros.core.events import (
    Envelope,
    PermissionAnswered,
    PermissionRequested,
    TaskCompleted,
    UserMessage,
)
from ouroboros.core.events.asides import PlanProposed
from ouroboros.core.events.question import UserAnswered, UserAsked
from ouroboros.faces.wording.words import ending, one_line

type Way = Literal["osc9", "osc777", "bell", "off"]

_NINE = ("KITTY_WINDOW_ID", "ITERM_SESSION_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR")
"""Variables of terminals that show OSC 9 as a message; they also reach into tmux."""

_AWAY_SECONDS = 60.0
_LONGEST = 180


def way_of(
    chosen: Literal["auto", "osc9", "osc777", "bell", "off"], environment: Mapping[str, str]
) -> Way:
    """How this terminal is called; a bell where nobody says that it knows more."""
    if chosen != "auto":
        return chosen
    if any(environment.get(name) for name in _NINE):
        return "osc9"
    name = environment.get("TERM", "")
    if name.startswith(("foot", "rxvt")) or environment.get("VTE_VERSION"):
        return "osc777"
    return "bell"


def call(way: Way, text: str, *, tmux: bool = False) -> str:
    """What is written to the terminal; nothing of ``text`` can end the sequence or begin another."""
    words = one_line(text, _LONGEST).replace(";", ",")
    match way:
        case "osc9":
            # A number after OSC 9 means something else to some terminals, so a word comes first.
            sequence = f"\x1b]9;ouro: {words}\a"
        case "osc777":
            sequence = f"\x1b]777;notify;ouro;{words}\a"
        case "bell":
            return "\a"
        case "off":
            return ""
    if not tmux:
        return sequence
    # The bell is for a tmux that lets nothing through.
    return f"\x1bPtmux;{sequence.replace('\x1b', '\x1b\x1b')}\x1b\\\a"


class Notifier:
    """Follows a session, and calls once for each kind of thing until the person is back."""

    def __init__(
        self, write: Callable[[str], None], way: Way, clock: Clock, *, tmux: bool = False
    ) -> None:
        """``write`` puts a sequence on the terminal between two frames."""
        self._way: Way = way
        self._write, self._clock, self._tmux = write, clock, tmux
        self._after = 0
        self._is_away: bool | None = None
        self._touched = clock.monotonic()
        self._told: set[str] = set()

    def begin(self, seq: int) -> None:
        """Another session is followed; nobody is called for what happened up to ``seq``."""
        self._after = seq
        self._told.clear()

    def focus(self, *, here: bool) -> None:
        """The terminal says whether it has the person's eye."""
        self._is_away = not here
        if here:
            self.touch()

    def touch(self) -> None:
        """A key was pressed: the person is here, whatever the terminal can say."""
        self._touched = self._clock.monotonic()
        self._told.clear()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event of the session."""
        if envelope.seq <= self._after:
            return
        match envelope.data:
            case PermissionRequested(reviewer="person", action=action):
                self._call("asks", f"may I: {action}")
            case UserAsked(questions=(first, *_)):
                self._call("asks", f"asks: {first.question}")
            case PlanProposed():
                self._call("plan", "a plan waits for your yes")
            case PermissionAnswered() | UserAnswered():
                self._told.discard("asks")
            case UserMessage():
                self._told -= {"ended", "plan"}
            case TaskCompleted(reason=reason, final=final) if "plan" not in self._told:
                self._call("ended", f"{ending(reason)}. {final}")
            case _:
                pass

    def _call(self, kind: str, text: str) -> None:
        if kind in self._told or not self._looks_elsewhere():
            return
        self._told.add(kind)
        if sequence := call(self._way, text, tmux=self._tmux):
            self._write(sequence)

    def _looks_elsewhere(self) -> bool:
        if self._is_away is not None:
            return self._is_away
        return self._clock.monotonic() - self._touched > _AWAY_SECONDS
