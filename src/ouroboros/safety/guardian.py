"""A reviewer in the place of the person: what it is shown, how its words are read, when it stops.

All pure. Whatever cannot be read is a denial; three denials in a row, or ten of the last fifty,
end its say.
"""

import json
from collections import deque
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from ouroboros.core.limits import CHARS_PER_TOKEN

type Risk = Literal["low", "medium", "high", "critical"]
type Authorization = Literal["unknown", "low", "medium", "high"]
type EntryKind = Literal["user", "assistant", "call", "result"]

TIMEOUT_SECONDS = 90.0
IN_A_ROW = 3
OF_RECENT = 10
RECENT = 50
MESSAGES_TOKENS = 10_000
MESSAGE_TOKENS = 2_000
TOOLS_TOKENS = 10_000
TOOL_TOKENS = 1_000
ACTION_TOKENS = 16_000
RECENT_ENTRIES = 40

_NO_RATIONALE = {
    "allow": "the reviewer allowed it as low risk",
    "deny": "the reviewer refused it and gave no reason",
}


class Unreadable(Exception):
    """The reviewer's words are not of the form that was asked for."""


class Assessment(Struct, frozen=True, kw_only=True):
    """What the reviewer said of one action."""

    outcome: Literal["allow", "deny"]
    risk_level: Risk
    user_authorization: Authorization
    rationale: str


class _Said(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same as it may be written: only ``outcome`` must be there."""

    outcome: Literal["allow", "deny"]
    risk_level: Risk | None = None
    user_authorization: Authorization | None = None
    rationale: str | None = None


def assessment(text: str) -> Assessment:
    """Reads the reviewer's JSON, alone or wrapped in prose.

    Raises:
        Unreadable: It is not of the form: no object, an unknown field or word, a field given twice.
    """
    try:
        said = _said(text.strip())
    except (ValueError, RecursionError):
        inner = text[text.find("{") : text.rfind("}") + 1]
        try:
            said = _said(inner)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"the reviewer's answer cannot be read: {error}") from None
    risk: Risk = "low" if said.outcome == "allow" else "high"
    return Assessment(
        outcome=said.outcome,
        risk_level=said.risk_level or risk,
        user_authorization=said.user_authorization or "unknown",
        rationale=(said.rationale or "").strip() or _NO_RATIONALE[said.outcome],
    )


def holds(found: Assessment, *, confirmed: bool = False, led: bool = False) -> Assessment:
    """The assessment after the thresholds, which the reviewer cannot talk itself over.

    High risk needs that the person wants it at least to a medium degree. Critical risk needs that
    they said so after this very action was refused (``confirmed``). Where text from outside may have
    ``led`` to it, what is of low risk needs the person's wish as well.
    """
    if found.outcome == "deny":
        return found
    wants = {"unknown": 0, "low": 1, "medium": 2, "high": 3}[found.user_authorization]
    is_fit = {
        "low": wants >= 2 or not led,
        "medium": wants >= 2 or not led,
        "high": wants >= 2,
        "critical": wants == 3 and confirmed,
    }[found.risk_level]
    if is_fit:
        return found
    why = f"{found.risk_level} risk with {found.user_authorization} authorization by the user"
    return msgspec.structs.replace(found, outcome="deny", rationale=f"{why}: {found.rationale}")


class Breaker:
    """Counts denials of one turn; trips once."""

    def __init__(self) -> None:
        """Nothing was reviewed yet."""
        self.row = 0
        self.tripped = False
        self._recent: deque[bool] = deque(maxlen=RECENT)

    @property
    def denials(self) -> int:
        """How many of the recent reviews denied."""
        return sum(self._recent)

    def note(self, *, denied: bool) -> bool:
        """Counts one review; true when this is the one that trips it."""
        self._recent.append(denied)
        self.row = self.row + 1 if denied else 0
        trips = self.row >= IN_A_ROW or self.denials >= OF_RECENT
        if not trips or self.tripped:
            return False
        self.tripped = True
        return True


class Entry(Struct, frozen=True, kw_only=True):
    """One thing that was said or done; ``name`` is the tool's."""

    kind: EntryKind
    text: str
    name: str = ""


class Selected(NamedTuple):
    """The entries that are shown, numbered as they stood, and whether some are not."""

    lines: tuple[str, ...]
    has_gaps: bool


def select(entries: Sequence[Entry]) -> Selected:
    """What the reviewer is shown of the conversation.

    All of the person's words if they fit, else the first, the latest and the newest between them;
    then what else there is, newest first, as far as the budgets go.
    """
    shown = [
        shortened(
            entry.text, MESSAGE_TOKENS if entry.kind in {"user", "assistant"} else TOOL_TOKENS
        )
        for entry in entries
    ]
    costs = [size(text) for text in shown]
    words = [number for number, entry in enumerate(entries) if entry.kind == "user"]
    chosen = _words(words, costs)
    left = {
        "assistant": MESSAGES_TOKENS - sum(costs[number] for number in chosen),
        "tool": TOOLS_TOKENS,
    }
    others = 0
    for number in reversed(range(len(entries))):
        entry = entries[number]
        purse = "assistant" if entry.kind == "assistant" else "tool"
        if entry.kind == "user" or others == RECENT_ENTRIES or costs[number] > left[purse]:
            continue
        left[purse] -= costs[number]
        chosen.add(number)
        others += 1
    # A line of JSON each: no text can pretend to be an entry of its own.
    lines = tuple(
        msgspec.json.encode({
            "entry": number + 1,
            "who": _label(entries[number]),
            "text": shown[number],
        }).decode()
        for number in sorted(chosen)
    )
    return Selected(lines, len(chosen) < len(entries))


def shortened(text: str, tokens: int) -> str:
    """The text within its budget: head and tail, and between them how much is left out."""
    if size(text) <= tokens:
        return text
    half = tokens * CHARS_PER_TOKEN // 2
    left_out = size(text) - tokens
    return f'{text[:half]}<truncated omitted_approx_tokens="{left_out}" />{text[-half:]}'


def size(text: str) -> int:
    """Tokens, about."""
    return -(-len(text) // CHARS_PER_TOKEN)


def denial(rationale: str) -> str:
    """What the model reads when the reviewer said no."""
    return (
        f"the automatic reviewer judged the risk of this action to be unacceptable: "
        f"{rationale.rstrip('.')}. Do not reach the same outcome by a workaround, an indirect "
        "command or any other way around the review. Go on only with a materially safer step, or "
        "stop and ask the user, telling them the risk; they may approve this very action"
    )


def timed_out(seconds: float) -> str:
    """What the model reads when the reviewer was not done in time."""
    return (
        f"the automatic review was not done within {seconds:g} s, so the action did not run. "
        "That does not mean that it is unsafe: try it once more, or ask the user"
    )


def _said(text: str) -> _Said:
    found: object = json.loads(text, object_pairs_hook=_once, parse_constant=_strange)
    return msgspec.convert(found, _Said)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is given twice")
    return found


def _strange(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _words(numbers: list[int], costs: list[int]) -> set[int]:
    if sum(costs[number] for number in numbers) <= MESSAGES_TOKENS:
        return set(numbers)
    chosen = {numbers[0], numbers[-1]}
    left = MESSAGES_TOKENS - sum(costs[number] for number in chosen)
    for number in reversed(numbers[1:-1]):
        if costs[number] <= left:
            left -= costs[number]
            chosen.add(number)
    return chosen


def _label(entry: Entry) -> str:
    return f"tool {entry.name} {entry.kind}" if entry.name else entry.kind
