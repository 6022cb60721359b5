"""Where rooms are joined into one open session."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anyio import to_thread
from msgspec import Struct, field

from ouroboros import __version__
from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.journal import Journal
from ouroboros.agent.mind import ToolMind
from ouroboros.agent.prompts import Piece, Prompts, load
from ouroboros.agent.session import Session
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.pieces import Pieces
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app import secrecy
from ouroboros.app.kit import Joined, Kit, Later
from ouroboros.app.permission import policies
from ouroboros.app.permission.cages import Grounds, SessionCages
from ouroboros.app.permission.reviewing import Bench, Stop, asker
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import late_scripts, living, outgoing, surroundings, toolbox
from ouroboros.app.wiring.own_words import own_words
from ouroboros.app.wiring.past import Past, changed_since, load_past, resolve
from ouroboros.app.wiring.pythons import Pythons
from ouroboros.core.clock import SystemClock
from ouroboros.core.events import Envelope, SessionReady
from ouroboros.core.events.code import Logged
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.limits import Caps
from ouroboros.repl.seeds import Seeds
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Rule
from ouroboros.store import EventLog, Lease, Writer
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import Registry

if TYPE_CHECKING:
    from ouroboros.llm.cassettes.tap import Tap


class Opening(Struct, frozen=True, kw_only=True):
    """What a session is opened with.

    Attributes:
        rules: What may happen; None leaves it to the settings' own lists.
        mind: Who drives it; empty means as before, and tools in a new one.
        browser: There is one, started by its first use.
        logins: Sealed states that it begins with.
        seeds: Variables that the REPL begins with.
        way: How ``rlm`` gets at small data: read it plainly, or work on it in the REPL.
    """

    settings: Settings
    home: Path
    environment: dict[str, str]
    cwd: Path
    interactive: bool
    tap: "Tap | None" = None
    rules: tuple[Rule, ...] | None = None
    mind: Literal["", "tools", "rlm"] = ""
    browser: bool = False
    logins: tuple[str, ...] = ()
    seeds: Seeds = Seeds()
    way: Literal["auto", "plain", "repl"] = "auto"


class Built(Struct, kw_only=True):
    """An open session and what the person should know of how it was opened.

    ``warm`` connects to the model ahead of the first words, and finds out what nobody knows of it.
    """

    engine: Session
    warm: Callable[[], Awaitable[None]]
    resumed: bool
    warnings: list[str] = field(default_factory=list[str])


class Parts(Struct, frozen=True, kw_only=True):
    """What is opened before a session can be built."""

    writer: Writer
    lease: Lease
    leader: Speaker
    speakers: Speakers
    prompts: Prompts
    ids: TimeOrderedIds
    clock: SystemClock
    leaks: Leaks


@asynccontextmanager
async def opened(opening: Opening, *, resume: str, latest: bool) -> AsyncGenerator[Built]:
    """Builds a session, and takes it down again in the opposite order.

    The order is that of the start: what waits on the disk begins first, and the first request
    waits for nothing that it does not need.
    """
    clock = SystemClock()
    # Logins are kept in the session's home, wherever the variables would look for one.
    variables = {**opening.environment, "OUROBOROS_HOME": str(opening.home)}
    leaks = secrecy.secrets(opening.environment, opening.settings)
    speakers = await to_thread.run_sync(
        Speakers, opening.settings, variables, clock, opening.tap, leaks
    )
    ids = TimeOrderedIds(clock, os.urandom)
    async with Writer(opening.home) as writer:
        past = Past(id=ids.new("ses"))
        if resume or latest:
            past.id = await to_thread.run_sync(resolve, opening.home, opening.cwd, resume)
        with await to_thread.run_sync(Lease.take, opening.home, past.id) as lease:
            if resume or latest:
                await to_thread.run_sync(load_past, opening.home, lease, past)
            try:
                parts = Parts(
                    writer=writer,
                    lease=lease,
                    leader=await speakers.leader(),
                    speakers=speakers,
                    prompts=await to_thread.run_sync(prompts_of, opening.settings, opening.cwd),
                    ids=ids,
                    clock=clock,
                    leaks=leaks,
                )
                async with _joined(opening, past, parts) as built:
                    yield built
            finally:
                async with AsyncExitStack() as ending:
                    if opening.tap is not None:
                        ending.push_async_callback(opening.tap.close)
                    ending.push_async_callback(speakers.close)
                    ending.push_async_callback(writer.close)


@asynccontextmanager
async def _joined(opening: Opening, past: Past, parts: Parts) -> AsyncGenerator[Built]:
    """A session with the mind that was asked for; one that goes on keeps its own."""
    folder = await to_thread.run_sync(_folder, opening, past)
    book, told = await to_thread.run_sync(policies.book, opening.home, folder)
    past.warnings.extend(told)
    kit = _kit(opening, past, parts, book)
    wanted = opening.mind or (past.state.mind if past.resumed else "tools")
    if wanted == "tools":
        async with (
            living.opened(kit, past.warnings) as processes,
            _tooled(opening, kit, parts, processes) as joined,
        ):
            yield _built(opening, past, parts, kit, joined)
        return
    from ouroboros.app.wiring import minds  # a run without it never loads the REPL

    wish = minds.Wish(
        browser=opening.browser, seeds=opening.seeds, way=opening.way, logins=opening.logins
    )
    async with minds.rlm(kit, wish) as joined:
        yield _built(opening, past, parts, kit, joined)


def _folder(opening: Opening, past: Past) -> Path:
    own = Path(past.state.cwd)
    return own if past.resumed and own.is_dir() else opening.cwd


def _kit(opening: Opening, past: Past, parts: Parts, book: Book) -> Kit:
    state = past.state
    state.session = past.id
    cwd = _folder(opening, past)

    def show(envelopes: list[Envelope]) -> None:
        for envelope in envelopes:
            journal.show(envelope)

    journal = Journal(
        state=state,
        log=EventLog(parts.writer, parts.lease, after=state.seq, on_durable=show),
        ids=parts.ids,
        clock=parts.clock,
        redact=secrecy.redactor(parts.leaks),
        pieces=Pieces(parts.leaks.flow),
        screen=secrecy.screen(opening.settings.safety),
    )
    desk = Desk(interactive=opening.interactive)
    lineup = Lineup(
        parts.leader,
        clock=parts.clock,
        others=parts.speakers.others,
        connect=parts.speakers.another,
    )
    bench = Bench(
        settings=opening.settings,
        state=state,
        record=journal.record,
        lineup=lineup,
        speakers=parts.speakers,
        prompt=parts.prompts["guardian"].text,
        leaks=parts.leaks,
        clock=parts.clock,
        ids=parts.ids,
        stop=Stop(),
        interactive=opening.interactive,
    )
    cages = SessionCages(
        opening.settings.sandbox,
        Grounds(cwd=cwd, home=opening.home, environment=opening.environment),
        warn=lambda text: journal.record(Logged(level="warning", text=text)),
        granted=lambda: state.grants,
    )
    return Kit(
        settings=opening.settings,
        home=opening.home,
        cwd=cwd,
        environment=secrecy.without_keys(opening.environment, opening.settings),
        leaks=parts.leaks,
        state=state,
        journal=journal,
        desk=desk,
        asker=asker(desk, bench),
        stop=bench.stop,
        book=book,
        rules=opening.rules,
        cages=cages,
        lineup=lineup,
        speakers=parts.speakers,
        caps=_caps(opening.settings),
        clock=parts.clock,
        ids=parts.ids,
    )


@asynccontextmanager
async def _tooled(
    opening: Opening, kit: Kit, parts: Parts, processes: Processes
) -> AsyncGenerator[Joined]:
    """The mind that calls tools, with the built-in ones and those that were switched on."""
    browser = opening.browser or kit.settings.browser.tools
    late = late_scripts.wanted(kit.settings, browser=browser)
    pythons = Pythons(kit)
    shelf = await to_thread.run_sync(
        partial(toolbox.shelf_of, kit.settings, home=kit.home, cwd=kit.cwd, cages=kit.cages)
    )
    registry = await to_thread.run_sync(
        partial(
            toolbox.registry,
            kit.settings,
            kit.desk.questions,
            late=late,
            shelf=shelf,
            processes=processes,
            fetch=partial(toolbox.fetch_for, kit),
            python=pythons.tool,
            permissions=partial(toolbox.permissions_for, kit),
        )
    )
    for problem in shelf.problems.values():
        kit.journal.record(Logged(level="warning", text=problem))
    async with AsyncExitStack() as open_:
        open_.push_async_callback(pythons.close)
        hands = await open_.enter_async_context(outgoing.hands_of(kit, registry))
        if late is not None:
            used = late_scripts.kept(late, kit, registry, hands)
        else:
            from ouroboros.app.wiring import tool_family  # runs without them never load the browser

            used = tool_family.added(
                kit, registry, hands, browser=browser, logins=opening.logins, pythons=pythons
            )
        await open_.enter_async_context(used)
        yield _tool_mind(kit, parts, registry, hands)


def _tool_mind(kit: Kit, parts: Parts, registry: Registry, hands: Orchestrator) -> Joined:
    pieces = system_prompt(kit.settings, parts.prompts)
    facts = Later()
    mind = ToolMind(
        lineup=kit.lineup,
        prompts=parts.prompts,
        system=pieces,
        tools=registry.specs,
        ids=kit.ids,
        context=facts.of,
    )
    return Joined(
        name="tools",
        mind=mind,
        hands=living.careful(kit, hands),
        closing=living.changes(kit, hands),
        versions={piece.name: piece.version for piece in pieces},
        off=kit.settings.context.off,
        warnings=toolbox.strangers(kit.settings, registry),
        facts=facts,
    )


def _built(opening: Opening, past: Past, parts: Parts, kit: Kit, joined: Joined) -> Built:
    settings, state, journal = opening.settings, past.state, kit.journal
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
        ),
        speakers=parts.speakers.another,
        prompts=parts.prompts,
        caps=kit.caps,
        off=joined.off,
        ids=kit.ids,
        clock=kit.clock,
        stop_child=joined.stop_child,
        closing=joined.closing,
    )
    joined.facts.source = engine.facts
    kit.stop.handle = engine.handle
    built = Built(
        engine=engine,
        warm=partial(parts.speakers.warm, kit.lineup.learn),
        resumed=past.resumed,
        warnings=[*past.warnings, *parts.speakers.warnings, *joined.warnings],
    )
    ready = SessionReady(
        cwd=str(kit.cwd),
        model=parts.leader.name,
        mode=settings.mode,
        version=__version__,
        prompts=joined.versions,
        resumed=past.resumed,
        mind=joined.name,
    )
    _begin(built, ready, opening)
    kit.lineup.tune(effort=state.effort, service_tier=state.service_tier)
    return built


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
    unknown = built.engine.recover()
    built.warnings.extend(
        f"the call {call.name} {call.arguments[:80]} was cut off; whether it took effect is unknown"
        for call in unknown
    )


def system_prompt(settings: Settings, prompts: Prompts) -> tuple[Piece, ...]:
    """The system prompt's pieces: ours unless switched off, then the person's own."""
    off = settings.context.off
    return tuple(prompts[name] for name in ("core", "own") if name in prompts and name not in off)


def prompts_of(settings: Settings, cwd: Path) -> Prompts:
    """Every prompt, with the person's own words; blocking."""
    pieces = dict(load())
    own = own_words(settings.system, cwd)
    return pieces | {"own": own} if own else pieces


def _caps(settings: Settings) -> Caps:
    limits = settings.limits
    return Caps(
        max_turns=limits.max_turns,
        max_tokens=limits.max_tokens,
        max_cost=limits.max_cost,
        max_seconds=limits.max_time,
    )
