"""What the status line says, as parts of which the least important are left out first."""

from pathlib import PurePath

from msgspec import Struct

from ouroboros.core.context import Meter
from ouroboros.core.state import State
from ouroboros.faces.wording.rows import CYAN, GREEN, RED, YELLOW, Row, Span, width
from ouroboros.faces.wording.words import count, duration, money, one_line

_MODES = {"plan": CYAN, "ask": "", "auto-edit": YELLOW, "full-auto": RED}
_SPINNER = "|/-\\"
_GAP = "  "


class Part(Struct, frozen=True, kw_only=True):
    """Some words; a higher ``weight`` stays longer, ``short`` is said where ``text`` has no room."""

    text: str
    style: str = "faint"
    weight: int = 0
    short: str = ""


class Facts(Struct, frozen=True, kw_only=True):
    """What is not in the state.

    Attributes:
        seconds: Since the run began; None while none is on.
        frame: Which picture of the spinner is shown.
        others: Other sessions of this program with a run on.
        asks: Of those, how many wait for the person.
        below: Rows of the transcript under what is shown.
        own: What the person's own script said.
    """

    seconds: float | None = None
    frame: int = 0
    branch: str = ""
    meter: Meter | None = None
    others: int = 0
    asks: int = 0
    below: int = 0
    own: str = ""


def parts(state: State, facts: Facts) -> list[Part]:
    """All parts, from left to right."""
    found = [*_run(state, facts), *_who(state), *_where(state, facts), *_used(state, facts)]
    if facts.own:
        found.append(Part(text=one_line(facts.own, 200), weight=45))
    return found


def line(state: State, facts: Facts, columns: int) -> Row:
    """The parts that have room, in their order."""
    kept = list(parts(state, facts))
    while len(kept) > 1 and _width(kept) > columns - 2:
        if not _shorten(kept):
            kept.remove(min(kept, key=lambda part: part.weight))
    spans = [Span(" ")]
    for part in kept:
        spans += [Span(part.text, part.style), Span(_GAP)]
    return tuple(spans[:-1])


def _shorten(kept: list[Part]) -> bool:
    """Says the least important part that can be said shorter so."""
    at = min(
        (at for at, part in enumerate(kept) if part.short),
        key=lambda at: kept[at].weight,
        default=None,
    )
    if at is None or kept[at].weight > min(part.weight for part in kept) + 40:
        return False
    part = kept[at]
    kept[at] = Part(text=part.short, style=part.style, weight=part.weight)
    return True


def _width(kept: list[Part]) -> int:
    return sum(width(part.text) for part in kept) + len(_GAP) * (len(kept) - 1)


def _run(state: State, facts: Facts) -> list[Part]:
    found: list[Part] = []
    if facts.seconds is not None:
        if state.is_asking:
            found.append(Part(text="? waits for you", style=f"1;{YELLOW}", weight=100))
        else:
            spin = _SPINNER[facts.frame % len(_SPINNER)]
            text = f"{spin} {duration(facts.seconds)}"
            found.append(Part(text=text, style="accent", weight=100))
    if facts.below:
        found.append(Part(text=f"{facts.below:,} below", style=YELLOW, weight=70, short="below"))
    if state.later:
        found.append(Part(text=f"{len(state.later)} queued", style=CYAN, weight=80))
    if state.children:
        text = count(len(state.children), "child").replace("childs", "children")
        found.append(Part(text=text, style=CYAN, weight=75))
    if facts.others:
        asks = f", {facts.asks} waiting" if facts.asks else ""
        found.append(Part(text=f"{count(facts.others, 'other')}{asks}", style=CYAN, weight=65))
    return found


def _who(state: State) -> list[Part]:
    model = one_line(state.model, 60)
    short = model.rpartition("/")[2]
    if state.fallback:
        now = one_line(state.fallback, 60)
        text = f"{now} for {model}"
        return [_mode(state), Part(text=text, style=YELLOW, weight=90, short=now)]
    return [_mode(state), Part(text=model or "no model", style="", weight=90, short=short)]


def _mode(state: State) -> Part:
    return Part(text=state.mode, style=_MODES.get(state.mode, ""), weight=95)


def _where(state: State, facts: Facts) -> list[Part]:
    folder = one_line(PurePath(state.cwd).name or state.cwd, 40)
    found = [Part(text=folder, weight=50, short=one_line(folder, 16))] if folder else []
    if facts.branch:
        found.append(Part(text=f"on {one_line(facts.branch, 40)}", style=GREEN, weight=55))
    return found


def _used(state: State, facts: Facts) -> list[Part]:
    found: list[Part] = []
    meter = facts.meter
    if meter is not None and meter.window:
        share = 100 * meter.used / meter.window
        style = RED if share >= 90 else YELLOW if share >= 70 else "faint"
        text = f"context {share:.0f} %"
        found.append(Part(text=text, style=style, weight=85, short=f"{share:.0f} %"))
    spent = state.spent
    if spent.tokens:
        found.append(
            Part(text=count(spent.tokens, "token"), weight=40, short=f"{_short(spent.tokens)} tok")
        )
        if spent.cost is None or spent.cost > 0:
            found.append(Part(text=money(spent.cost), weight=60))
    return found


def _short(number: int) -> str:
    if number < 1_000:
        return f"{number}"
    return f"{number / 1_000:.0f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"
