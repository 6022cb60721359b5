"""A session begins: its engine is made, its opening put on record, and what a crash left open closed."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from ouroboros import __version__
from ouroboros.agent.context.standing import child_line
from ouroboros.agent.running.caps import nobody
from ouroboros.agent.running.hooked import NoHooks
from ouroboros.agent.running.recovery import repeatable
from ouroboros.agent.session import Session
from ouroboros.app.kit import Joined, Kit
from ouroboros.app.wiring.session import surroundings
from ouroboros.app.wiring.session.opening import Built, Opening, Parts
from ouroboros.app.wiring.session.past import Past, changed_since, snapping
from ouroboros.core.commands import Review
from ouroboros.core.errors import Misuse
from ouroboros.core.events import SessionReady
from ouroboros.core.events.code import Logged
from ouroboros.core.events.run import Browsing
from ouroboros.core.state import State

if TYPE_CHECKING:
    from ouroboros.agent.roles import Assignment
    from ouroboros.agent.running.hooked import Hooks
    from ouroboros.app.apart import Opener


async def built(opening: Opening, past: Past, parts: Parts, kit: Kit, joined: Joined) -> Built:
    """The session with this mind and these hands."""
    settings, state, journal = opening.settings, past.state, kit.journal

    async def fork(node: str) -> str:
        if opening.ephemeral:
            raise Misuse("this session is not kept, so there is nothing to fork")
        from ouroboros.app.past import forking  # most sessions are never forked

        return await to_thread.run_sync(forking.fork, opening.home, state.session, node)

    async def warm() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(parts.speakers.warm, kit.lineup.learn, not opening.ephemeral)
            # The first command finds out nothing any more, and what does not hold is said at the start.
            tasks.start_soon(kit.cages.caveat, state.mode)

    engine = Session(
        state=state,
        journal=journal,
        desk=kit.desk,
        mind=joined.mind,
        hands=joined.hands,
        surroundings=surroundings.reader(
            cwd=kit.cwd,
            home=opening.home,
            environment=opening.environment,
            clock=kit.clock,
            instruction_bytes=settings.context.instruction_bytes,
            warn=lambda text: journal.record(Logged(level="warning", text=text)),
            sandbox=settings.sandbox,
            attended=opening.interactive or settings.guardian.enabled,
            personality=settings.personality,
            visited=kit.visited,
        ),
        speakers=parts.speakers.another,
        prompts=parts.prompts,
        caps=kit.caps,
        off=joined.off,
        ids=kit.ids,
        clock=kit.clock,
        stop_child=joined.stop_child,
        resize=joined.resize,
        handed=lambda: {**joined.handed(), "goal": _goal(state)},
        mentions=joined.mentions,
        closing=_closing(kit, joined),
        fork=fork,
        past=kit.keeping,
        hooks=await _shaped(opening, kit),
        reviewer=_reviewer(opening, parts, kit),
        outer=_outer(opening, kit),
        children=joined.children,
        rest=kit.rest,
    )
    joined.facts.source = engine.facts
    if not opening.ephemeral:
        journal.listen(snapping(opening.home, past))
    kit.stop.handle = engine.handle
    if kit.keeping is not None:
        kit.keeping.send = engine.handle
    session = Built(
        engine=engine,
        warm=warm,
        visited=kit.visited,
        resumed=past.resumed,
        warnings=[*past.warnings, *parts.speakers.warnings, *joined.warnings],
        live=joined.live,
    )
    ready = SessionReady(
        cwd=str(kit.cwd),
        model=parts.leader.name,
        mode=settings.mode,
        version=__version__,
        prompts=joined.versions,
        resumed=past.resumed,
        mind=joined.name,
        effort=settings.effort if "effort" in opening.chosen else None,
        service_tier=settings.service_tier if "service_tier" in opening.chosen else None,
        browser=_browsing(opening),
        apart=opening.apart,
    )
    _begin(session, ready, opening)
    if kit.keeping is not None:
        kit.keeping.begun()
    kit.lineup.tune(effort=state.effort, service_tier=state.service_tier)
    return session


async def _shaped(opening: Opening, kit: Kit) -> "Hooks | None":
    """The hooks, and behind them what its answers have to be."""
    if not opening.output_schema:
        return kit.hooks
    from ouroboros.agent.shaping.answer import Shaped, read  # few runs are held to a schema

    return Shaped(
        kit.hooks or NoHooks(),
        await read(opening.output_schema),
        opening.output_schema,
        state=kit.state,
        record=kit.journal.record,
        ids=kit.ids,
    )


def _reviewer(opening: Opening, parts: Parts, kit: Kit) -> "LateReviewer | None":
    if opening.rooms is None:
        return None
    return LateReviewer(opening, opening.rooms, parts.prompts["review"].text, kit)


class LateReviewer:
    """Makes reviews for a session; most sessions never load what that takes."""

    def __init__(self, opening: Opening, rooms: "Opener", rubric: str, kit: Kit) -> None:
        """Loads nothing yet."""
        self._opening, self._rooms, self._rubric, self._kit = opening, rooms, rubric, kit

    async def prepare(self, wish: Review) -> "Assignment":
        """Finds out what is to be reviewed; raises ``Misuse`` where there is nothing."""
        from ouroboros.app.review.readers import Ground
        from ouroboros.app.review.reviewer import Reviewer

        kit = self._kit
        ground = Ground(
            settings=self._opening.settings,
            cwd=kit.cwd,
            environment=kit.environment,
            record=kit.journal.record,
            open=self._rooms,
            rubric=self._rubric,
            model=lambda: kit.state.model,
            window=lambda: kit.lineup.speaker.tuning.window,
            children=kit.children,
        )
        return await Reviewer(ground).prepare(wish)


def _closing(kit: Kit, joined: Joined) -> Callable[[], Awaitable[None]]:
    """What is awaited before a run ends: its files are kept, its changes told."""
    if kit.keeping is None:
        return joined.closing
    end = kit.keeping.end

    async def closing() -> None:
        await end()
        await joined.closing()

    return closing


def _outer(opening: Opening, kit: Kit) -> Callable[[State], Awaitable[str | None]]:
    """What holds the person's sessions together; most people set no such limit."""
    limits, journal = opening.settings.limits, kit.journal
    if limits.daily_cost is None and limits.monthly_cost is None and not kit.pace.is_on:
        return nobody
    from ouroboros.app.limits.watch import Watch, look_elsewhere

    watch = Watch(
        opening.home,
        limits,
        clock=kit.clock,
        settle=journal.settle,
        warn=lambda text: journal.record(Logged(level="warning", text=text)),
        is_kept=not opening.ephemeral,
    )

    async def reached(state: State) -> str | None:
        if kit.pace.is_on:
            await look_elsewhere(kit.pace, opening.home, state.session, kit.clock)
        return await watch.reached(state)

    return reached


def _goal(state: State) -> str:
    if state.goals is None:
        return ""
    from ouroboros.agent.goals.words import told_again  # most sessions have no goal

    return told_again(state.goals, state.mind)


def _browsing(opening: Opening) -> Browsing | None:
    own = opening.settings.browser
    if not (opening.browser or own.tools):
        return None
    return Browsing(mode=own.mode, profile=own.profile, headless=own.headless)


def _begin(built: Built, ready: SessionReady, opening: Opening) -> None:
    """Puts the opening on record, and closes what a crash left open."""
    state = built.engine.state
    if built.resumed and state.cwd and state.cwd != ready.cwd:
        built.warnings.append(
            f"the folder {state.cwd!r} of this session is gone; it goes on in {str(opening.cwd)!r}"
        )
    changed = changed_since(state, ready.model, opening.settings) if built.resumed else None
    if changed is not None:
        if changed.model:
            built.warnings.append(
                f"this session was with {state.model}; it goes on with {changed.model}"
            )
        built.engine.journal.record(changed)
    built.engine.journal.record(ready)
    gone = dict(state.lost)
    unknown = built.engine.recover()
    again = any(repeatable(state))
    fate = "is asked again when the run goes on" if again else "is gone"
    built.warnings.extend(
        f"the child {name} ended with the program and {fate}: {child_line(child)}"
        for name, child in gone.items()
    )
    built.warnings.extend(
        f"the call {call.name} {call.arguments[:80]} was cut off; whether it took effect is unknown"
        for call in unknown
    )
