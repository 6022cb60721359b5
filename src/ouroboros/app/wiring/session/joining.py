"""What every session has, whoever drives it: its record, its desk, its models, its cages."""

from pathlib import Path

from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.context.cut import Cut, Flush, keep_nothing
from ouroboros.agent.journal import Journal
from ouroboros.agent.running.caps import Rest
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.pieces import Pieces
from ouroboros.app import secrecy
from ouroboros.app.kit import Kit
from ouroboros.app.permission.cages import Grounds, Narrower, SessionCages
from ouroboros.app.permission.reviewing import Bench, Stop, asker
from ouroboros.app.permission.visited import Visited
from ouroboros.app.rewind.ground import Ground
from ouroboros.app.rewind.late import LateKeeping
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import rulebook
from ouroboros.app.wiring.outputs import Outputs
from ouroboros.app.wiring.session.opening import Opening, Parts
from ouroboros.app.wiring.session.past import Past
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.core.events.code import Logged
from ouroboros.core.limits import Caps
from ouroboros.safety.policy.book import Book
from ouroboros.tools.pace import Pace
from ouroboros.tools.seams import NoSpill


def folder_of(opening: Opening, past: Past) -> Path:
    """Where the session works: one that goes on stays in its own folder while that is there."""
    own = Path(past.state.cwd)
    return own if past.resumed and own.is_dir() else opening.cwd


def kit_of(opening: Opening, past: Past, parts: Parts, book: Book) -> Kit:
    """Joins what a mind and its hands are made from."""
    state = past.state
    state.session = past.id
    cwd = folder_of(opening, past)

    def show(envelopes: list[Envelope]) -> None:
        for envelope in envelopes:
            journal.show(envelope)

    journal = Journal(
        state=state,
        log=parts.log(
            state.seq, show, lambda text: journal.record(Logged(level="warning", text=text))
        ),
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
    visited = Visited(
        state,
        home=opening.home,
        cwd=cwd,
        instruction_bytes=opening.settings.context.instruction_bytes,
    )
    place = rulebook.Bench(
        settings=opening.settings,
        home=opening.home,
        cwd=cwd,
        environment=dict(opening.environment),
        leaks=parts.leaks,
        rules=opening.rules,
    )
    cages = SessionCages(
        opening.settings.sandbox,
        Grounds(
            cwd=cwd,
            home=opening.home,
            environment=opening.environment,
            session=state.session,
        ),
        warn=lambda text: journal.record(Logged(level="warning", text=text)),
        granted=lambda: state.grants,
        narrower=lambda: Narrower(hidden=visited.hidden(), kept=visited.kept()),
        masks=rulebook.masks_of(place, state.session),
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
        visited=visited,
        cages=cages,
        temporary=lambda: cages.temporary,
        keeping=_keeping(opening, cwd, past, journal, parts),
        lineup=lineup,
        speakers=parts.speakers,
        caps=_caps(opening.settings),
        rest=Rest(),
        pace=Pace(opening.settings.limits.actions_per_hour),
        clock=parts.clock,
        ids=parts.ids,
        flush=_careful(opening.flush, journal),
        only=opening.only,
        spill=NoSpill() if opening.ephemeral else Outputs(opening.home, parts.leaks),
        ephemeral=opening.ephemeral,
        editor=opening.editor,
        dress=opening.dress,
    )


def _keeping(
    opening: Opening, cwd: Path, past: Past, journal: Journal, parts: Parts
) -> LateKeeping | None:
    if not opening.settings.checkpoints.enabled:
        return None
    keeping = LateKeeping(
        Ground(
            settings=opening.settings,
            home=opening.home,
            cwd=cwd,
            state=past.state,
            record=journal.record,
            settle=journal.settle,
            clock=parts.clock,
            person=Path(opening.environment.get("HOME", "/")),
        )
    )
    journal.listen(keeping.hear)
    return keeping


def _careful(flush: Flush, journal: Journal) -> Flush:
    """The same; what fails is told and stops no summary."""

    async def flushed(cut: Cut) -> None:
        try:
            await flush(cut)
        except (OuroborosError, OSError) as failed:
            text = f"nothing was kept of what a summary replaces: {failed}"
            journal.record(Logged(level="warning", text=text))

    return flush if flush is keep_nothing else flushed


def _caps(settings: Settings) -> Caps:
    limits = settings.limits
    return Caps(
        max_turns=limits.max_turns,
        max_tokens=limits.max_tokens,
        max_cost=limits.max_cost,
        max_seconds=limits.max_time,
    )
