"""Readers: sessions apart that serve a review, each with its own task."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.running.hooked import Children
from ouroboros.app.apart import Ended, Opener, Room, replied
from ouroboros.app.settings import Settings
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope, ErrorRaised, Event
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted


class Ground(Struct, frozen=True, kw_only=True):
    """What a reviewer needs of the session that wants a review.

    Attributes:
        rubric: By what it judges.
        model: What the session works with now.
        window: How many tokens that reads at once.
        children: Hears of each reader, and may refuse it or send it back.
    """

    settings: Settings
    cwd: Path
    environment: Mapping[str, str]
    record: Callable[[Event], None]
    open: Opener
    rubric: str
    model: Callable[[], str]
    window: Callable[[], int]
    children: Children


class Reader(Struct, frozen=True, kw_only=True):
    """One reader: what it is for, the instructions and tools it has."""

    task: str
    rubric: str
    tools: frozenset[str]


async def listened(
    ground: Ground, reader: Reader, talk: Callable[[Room], Awaitable[Ended]]
) -> Ended:
    """What came of talking to a reader, whose beginning and end are on record.

    Raises:
        OuroborosError: It could not be asked, or failed.
    """
    problem, child, model = "", "", ground.settings.review.model or ground.model()

    def hear(envelope: Envelope) -> None:
        nonlocal problem
        if isinstance(envelope.data, ErrorRaised):
            problem = envelope.data.message
        elif reply := replied(envelope.data, child, model):
            ground.record(reply)

    reason = "cancelled"
    try:
        settings = confined(ground.settings, model, reader.rubric)
        async with ground.open(settings, reader.tools) as room:
            child = room.id
            ground.record(SubagentStarted(child=child, task=reader.task))
            room.listen(hear)
            ended = await talk(room)
            reason = ended.reason
    except OuroborosError:
        reason = "failed"
        raise
    finally:
        if child:
            ground.record(SubagentCompleted(child=child, reason=reason))
    if reason == "failed":
        raise OuroborosError(f"the reviewer failed: {problem or 'it gave no answer'}")
    return ended


async def answered(ground: Ground, room: Room, task: str) -> Ended:
    """A reader's answer, after all that the person's hooks have to say to it.

    Raises:
        OuroborosError: One of them stopped it.
    """
    children = ground.children
    begun = await children.begins(room.id, "review")
    if begun.refused:
        raise OuroborosError(f"a hook stopped the reviewer: {begun.refused}")
    told = (message.text for message in begun.told)
    ended = await room.run("\n\n".join((*told, task)), typed=0)
    times = 0
    while ended.reason == "completed":
        again = await children.stops(room.id, ended.final, times)
        if not again:
            break
        ended, times = await room.run(again, typed=0), times + 1
    return ended


def confined(settings: Settings, model: str, rubric: str) -> Settings:
    """The settings of a reviewer: it reads, asks nobody, and has the rubric for its instructions."""
    off = (*(name for name in settings.context.off if name != "own"), "core", "permissions", "plan")
    return replace(
        settings,
        model=model,
        mode="plan",
        approval_policy="",
        system=rubric,
        personality="none",
        context=replace(settings.context, off=off),
        tools=replace(
            settings.tools, web_search="off", scripts=False, additional_permissions=False
        ),
        sandbox=replace(settings.sandbox, mode="read-only", network="off"),
        guardian=replace(settings.guardian, enabled=False),
        checkpoints=replace(settings.checkpoints, enabled=False),
        browser=replace(settings.browser, tools=False),
    )
