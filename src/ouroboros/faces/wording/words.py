"""Facts as short words: durations, counts, titles of calls, the closing line."""

import msgspec

from ouroboros.app.text import plain
from ouroboros.core.events import Event, PermissionAnswered, ToolStarted
from ouroboros.core.state import Spent

_TITLE = 200


def duration(seconds: float) -> str:
    """A span of time as a person says it: ``0.4 s``, ``12 s``, ``3 min 05 s``."""
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 turn``, ``2,400 tokens``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def money(cost: float | None) -> str:
    """A price, or that it is unknown; never 0 for an unknown one."""
    if cost is None:
        return "cost unknown"
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"


def one_line(text: str, limit: int = _TITLE) -> str:
    """Foreign text made safe and put on one line; what is cut ends in ``…``."""
    line = " ".join(plain(text[: limit * 4]).split())
    is_whole = len(line) <= limit and len(text) <= limit * 4
    return line if is_whole else f"{line[: limit - 1]}…"


def call_title(event: ToolStarted) -> str:
    """What a call does: its own title, or its name and first argument."""
    if event.title:
        return one_line(event.title)
    try:
        arguments = msgspec.json.decode(event.arguments)
    except msgspec.DecodeError:
        arguments = event.arguments
    if isinstance(arguments, dict):
        arguments = next(iter(msgspec.to_builtins(arguments).values()), "")
    return one_line(f"{event.name} {arguments}")


def ran_by_person(call_id: str) -> bool:
    """Whether a call is a command that the person typed, which no code made."""
    return call_id.startswith("own_")


def ending(reason: str) -> str:
    """How a run ended, in a word or two."""
    name = one_line(reason)
    if name.startswith("limit_reached:"):
        return f"Stopped at the limit {name.removeprefix('limit_reached:')}"
    return {"completed": "Done", "cancelled": "Interrupted", "failed": "Failed"}.get(name, name)


def closing(reason: str, turns: int, spent: Spent, seconds: float) -> str:
    """The line under a finished run: how, how long, how much."""
    cache = f" ({_cache_use(spent)})" if spent.input_tokens else ""
    return (
        f"{ending(reason)} after {count(turns, 'turn')}, {duration(seconds)}; "
        f"{count(spent.tokens, 'token')}{cache}, {money(spent.cost)}."
    )


def is_unapproved(event: Event) -> bool:
    """Whether a call was refused because nobody was there to approve it."""
    return isinstance(event, PermissionAnswered) and event.decider == "nobody"


def refusals(number: int) -> str:
    """What a run that went on without its approvals is told of at its end."""
    return f"warning: {count(number, 'call')} refused: nobody was here to approve"


def going_on(session: str, verb: str = "run") -> str:
    """How to continue a session."""
    return f"Continue with: ouro {verb} --resume {one_line(session)}"


def _cache_use(spent: Spent) -> str:
    """How much of the input the vendor's cache saved, or that it is unknown; never 0 for that."""
    rate = spent.cache_hit_rate
    return "cache unknown" if rate is None else f"{rate:.0%} cached"
