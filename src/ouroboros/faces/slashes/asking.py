"""``/mode``, ``/model``, ``/effort``, ``/tier`` and ``/permissions``: who is asked, how, and what they may do."""

from collections.abc import Iterable
from typing import get_args

import msgspec

from ouroboros.core.commands import Effort, Mode, SetMode, SetModel
from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import EFFORTS, MODES, Seat
from ouroboros.faces.wording.words import one_line

_SHOWN = 40


async def mode(seat: Seat, rest: str) -> Control:
    """Tells the mode, or changes it; ``next`` is the next one that asks about something."""
    now = seat.session.state.mode
    if not rest:
        seat.say(f"mode: {now}")
        return "stay"
    if rest == "next":
        # What is asked about nothing any more is chosen by its name only.
        careful = get_args(Mode.__value__)[:3]
        at = careful.index(now) if now in careful else -1
        rest = careful[(at + 1) % len(careful)]
    try:
        wanted = msgspec.convert(rest, Mode)
    except msgspec.ValidationError:
        raise Misuse(f"there is no mode {one_line(rest)!r}", hint=f"known: {MODES}") from None
    await seat.session.send(SetMode(mode=wanted))
    return "stay"


async def model(seat: Seat, rest: str) -> Control:
    """Tells the model, or changes it."""
    state = seat.session.state
    if rest:
        await seat.session.send(SetModel(model=rest))
    else:
        now = f" (now {state.fallback})" if state.fallback else ""
        seat.say(f"model: {one_line(state.model + now)}")
    return "stay"


async def effort(seat: Seat, rest: str) -> Control:
    """Tells how much it reasons, or changes it."""
    if rest:
        await seat.session.send(SetModel(effort=_effort(rest)))
    else:
        now = _set(seat.session.state.effort, seat.loaded.settings.effort) or "the model's own"
        seat.say(f"effort: {one_line(now)}")
    return "stay"


async def tier(seat: Seat, rest: str) -> Control:
    """Tells the vendor's service tier, or changes it."""
    if rest:
        await seat.session.send(SetModel(service_tier="" if rest == "default" else rest))
    else:
        state, settings = seat.session.state, seat.loaded.settings
        now = _set(state.service_tier, settings.service_tier) or "the vendor's own"
        seat.say(f"tier: {one_line(now)}")
    return "stay"


async def permissions(seat: Seat, rest: str) -> Control:
    """Tells what is done unasked, what is asked, and what is never done."""
    if rest:
        raise Misuse(
            "/permissions takes nothing", hint="`ouro explain` tells why a thing would be asked"
        )
    from ouroboros.app.permission.listing import lines as lines_of
    from ouroboros.app.permission.listing import place_of

    state, settings = seat.session.state, seat.loaded.settings
    lines = [f"mode: {state.mode}; sandbox: {settings.sandbox.mode}"]
    every_line = lines_of(seat.loaded)
    for outcome in ("deny", "ask", "allow"):
        lines += _some(
            f"{outcome:<6} {one_line(line.rule)} ({one_line(place_of(line, seat.loaded.project))})"
            for line in every_line
            if line.outcome == outcome
        )
    for rule in (*state.remembered, *state.granted):
        lines.append(f"allow  {one_line(rule)} (this session)")
    for grant in state.grants:
        lines += [f"read   {one_line(path)} (this {grant.scope})" for path in grant.read]
        lines += [f"write  {one_line(path)} (this {grant.scope})" for path in grant.write]
        lines += ["network for commands"] if grant.network else []
    seat.say(*lines)
    return "stay"


def _some(lines: Iterable[str]) -> list[str]:
    held = list(lines)
    more = [f"       and {len(held) - _SHOWN} more"] if len(held) > _SHOWN else []
    return [*held[:_SHOWN], *more]


def _set(here: str | None, before: str | None) -> str:
    """What the session was told, else what it began with."""
    if here is not None:
        return here
    return f"{before} (from the settings)" if before else ""


def _effort(name: str) -> Effort:
    try:
        return msgspec.convert(name, Effort)
    except msgspec.ValidationError:
        raise Misuse(f"there is no effort {one_line(name)!r}", hint=f"known: {EFFORTS}") from None
