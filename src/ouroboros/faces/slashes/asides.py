"""``/review``, ``/plan``, ``/queue`` and ``/personality``: what is arranged beside the turns."""

from typing import get_args

import msgspec

from ouroboros.core.commands import (
    AcceptPlan,
    Dequeue,
    Mode,
    Personality,
    Queue,
    RefusePlan,
    Requeue,
    Review,
    SetMode,
    SetPersonality,
)
from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat, number
from ouroboros.faces.wording.words import one_line

_DOING: tuple[str, ...] = tuple(mode for mode in get_args(Mode.__value__) if mode != "plan")
CHANGE = "My change, which wins wherever the plan below says otherwise: {}\n\n{}"
_MANNERS: tuple[str, ...] = get_args(Personality.__value__)


async def review(seat: Seat, rest: str) -> Control:
    """Has a change reviewed, by default what is not committed."""
    wish = wish_of(rest)

    async def job() -> None:
        await seat.session.send(wish)

    return job


def wish_of(rest: str) -> Review:
    """What is to be reviewed, as a person types it."""
    word, _, more = rest.partition(" ")
    ref, _, focus = more.strip().partition(" ")
    match word:
        case "" | "uncommitted":
            return Review(focus=more.strip())
        case "base" | "commit" if ref:
            return Review(
                target="base" if word == "base" else "commit", words=ref, focus=focus.strip()
            )
        case "base" | "commit":
            raise Misuse(f"/review {word} needs a name", hint="for example: /review base main")
        case _:
            return Review(target="custom", words=rest)


async def plan(seat: Seat, rest: str) -> Control:
    """Goes over to planning, or answers the plan that waits."""
    word, _, more = rest.partition(" ")
    more = more.strip()
    state = seat.session.state
    match word:
        case "":
            if state.proposed:
                seat.say(state.proposed, "/plan yes [MODE], /plan no [WHY], /plan edit CHANGES")
            else:
                await seat.session.send(SetMode(mode="plan"))
        case "yes":
            return _accept(seat, more)
        case "no":

            async def refuse() -> None:
                await seat.session.send(RefusePlan(text=more))

            return refuse
        case "edit":
            return _edit(seat, more)
        case _:
            raise Misuse(f"/plan takes yes, no or edit, not {word[:40]!r}", hint="/help tells more")
    return "stay"


def _accept(seat: Seat, mode: str, text: str = "") -> Control:
    if mode and mode not in _DOING:
        known = ", ".join(_DOING)
        raise Misuse(f"no plan is carried out in mode {one_line(mode)!r}", hint=f"known: {known}")
    wish = AcceptPlan(mode=msgspec.convert(mode or None, Mode | None), text=text)

    async def job() -> None:
        await seat.session.send(wish)

    return job


def _edit(seat: Seat, words: str) -> Control:
    plan = seat.session.state.proposed
    if not words:
        raise Misuse("/plan edit needs words", hint="say what is to be otherwise in the plan")
    return _accept(seat, "", CHANGE.format(words, plan) if plan else words)


async def queue(seat: Seat, rest: str) -> Control:
    """Keeps words for the end of the run, or shows and changes what is kept."""
    word, _, more = rest.partition(" ")
    later = seat.session.state.later
    if not rest:
        lines = [f"{at}  {one_line(text, 200)}" for at, text in enumerate(later.values(), 1)]
        seat.say(*(lines or ["nothing waits for the end of the run"]))
        return "stay"
    if word == "drop" and (not more or more.strip().isdecimal()):
        await seat.session.send(Dequeue(id=_at(seat, more) if more else ""))
        return "stay"
    place, _, text = more.strip().partition(" ")
    if word == "edit" and place.isdecimal():
        await seat.session.send(Requeue(id=_at(seat, place), text=text))
        return "stay"

    async def job() -> None:
        await seat.session.send(Queue(text=rest))

    if seat.session.running or later:
        await job()
        return "stay"
    return job


def _at(seat: Seat, place: str) -> str:
    later = list(seat.session.state.later)
    at = number(place) or 0
    if not 1 <= at <= len(later):
        raise Misuse(
            f"nothing that waits has the number {place.strip()[:40]}", hint="/queue lists it"
        )
    return later[at - 1]


async def personality(seat: Seat, rest: str) -> Control:
    """Tells the manner, or changes it."""
    if not rest:
        now = seat.session.state.personality or seat.loaded.settings.personality
        seat.say(f"personality: {now}")
    elif rest in _MANNERS:
        await seat.session.send(SetPersonality(personality=msgspec.convert(rest, Personality)))
    else:
        known = ", ".join(_MANNERS)
        raise Misuse(f"there is no personality {one_line(rest)!r}", hint=f"known: {known}")
    return "stay"
