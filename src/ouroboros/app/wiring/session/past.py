"""What an earlier process left of a session that goes on."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ouroboros.agent.context.briefing import git_state
from ouroboros.agent.context.instructions import project_root
from ouroboros.agent.journal import Sink
from ouroboros.app.settings import Browser, Settings
from ouroboros.app.wiring.session.opening import Opening
from ouroboros.core.errors import KeyMissing, ModelUnknown, SessionUnknown
from ouroboros.core.events import Envelope, SettingsChanged, TaskCancelled, TaskCompleted
from ouroboros.core.events.run import Browsing
from ouroboros.core.state import State
from ouroboros.store import Lease

_MODES = ("plan", "ask", "auto-edit", "full-auto")

EVERY = 2_000
"""Events after the last snapshot that make another one worth while."""


class Past(Struct, kw_only=True):
    """What an earlier process left of a session; nothing for a new one.

    ``snapped`` is the event at which its state was last kept, by this process.
    """

    id: str
    state: State = field(default_factory=State)
    resumed: bool = False
    snapped: int = 0
    warnings: list[str] = field(default_factory=list[str])


def resolve(home: Path, cwd: Path, resume: str) -> str:
    """The id that a person meant: the whole, a beginning that fits one, or the latest here."""
    from ouroboros.app.past import sessions

    if not resume:
        latest = sessions.latest(home, str(cwd))
        if latest is None:
            raise SessionUnknown(
                f"there is no session of {str(cwd)!r} yet",
                hint="`ouro run` or `ouro chat`, without --continue, starts one",
            )
        return latest.id
    return sessions.find(home, resume).id


def load_past(home: Path, lease: Lease, past: Past) -> None:
    """Folds what is on record of it; blocking."""
    from ouroboros.store import leftovers, resume

    found = resume.restore(home, lease)
    leftovers.sweep(home, lease)
    past.state = found.state
    past.snapped = past.state.seq - found.folded
    snap(home, past)
    past.warnings.extend(found.warnings)
    past.resumed = True


def as_before(opening: Opening, past: Past) -> Opening:
    """The opening with what the session was with, in all that was not chosen now; blocking.

    What is not there any more, or is wider than what is set now, is told.
    """
    state, settings, chosen = past.state, opening.settings, opening.chosen
    kept: dict[str, Any] = {}
    if state.model and "model" not in chosen:
        kept["model"] = state.model
    if state.effort and "effort" not in chosen:
        kept["effort"] = state.effort
    if state.service_tier is not None and "service_tier" not in chosen:
        kept["service_tier"] = state.service_tier
    if state.seq and "mode" not in chosen:
        kept["mode"] = state.mode
        if _MODES.index(state.mode) > _MODES.index(settings.mode):
            past.warnings.append(
                f"this session goes on in mode {state.mode}, as before; --mode chooses another"
            )
    if state.browser is not None:
        kept["browser"] = _same_browser(opening, past, state.browser)
    had_git = state.told.get("environment.git", "").startswith(("branch ", "detached "))
    folder = Path(state.cwd)
    if had_git and folder.is_dir() and not git_state(project_root(folder)).startswith(("b", "d")):
        past.warnings.append(f"{state.cwd!r} is no work tree of git any more")
    browser = opening.browser or state.browser is not None
    return replace(opening, settings=replace(settings, **kept), browser=browser)


def _same_browser(opening: Opening, past: Past, was: Browsing) -> Browser:
    """The same profile, seen or not; whose browser it is has to be chosen each time, but for our own."""
    own = opening.settings.browser
    before: dict[str, Any] = {"profile": was.profile, "headless": was.headless}
    before |= {"mode": was.mode} if was.mode == "managed" else {}
    same = replace(
        own,
        **{
            name: value for name, value in before.items() if f"browser.{name}" not in opening.chosen
        },
    )
    if same.mode != was.mode:
        past.warnings.append(
            f"the browser of this session was {was.mode}; it goes on with one that is {same.mode}"
        )
    if same.mode == "managed" and same.profile not in {"", "default"}:
        from ouroboros.browser.profiles import folder  # few sessions have one of their own

        if not folder(opening.home, same.profile).is_dir():
            past.warnings.append(
                f"there is no browser profile {same.profile!r}; one is made when it is needed"
            )
    return same


@contextmanager
def had(opening: Opening, past: Past) -> Generator[None]:
    """Says of a model that cannot be had that the session was with it; nothing goes on with another."""
    try:
        yield
    except (ModelUnknown, KeyMissing) as gone:
        if not past.resumed or "model" in opening.chosen:
            raise
        raise type(gone)(
            f"this session was with {past.state.model!r}, which cannot be had: {gone.message}",
            hint=f"{gone.hint or 'see `ouro providers list`'}; or choose another with --model",
        ) from gone


def snap(home: Path, past: Past) -> None:
    """Keeps the state for a fast resume, if enough happened since that was done last; blocking."""
    if past.state.seq - past.snapped < EVERY:
        return
    from ouroboros.store import snapshots

    if snapshots.save(home, past.id, past.state.seq, snapshots.encoded(past.state)):
        past.snapped = past.state.seq


def snapping(home: Path, past: Past) -> Sink:
    """Does the same when a run has ended, for a program that stays open long and then is killed."""

    def hear(envelope: Envelope) -> None:
        state = past.state
        has_ended = isinstance(envelope.data, TaskCompleted | TaskCancelled)
        if has_ended and state.seq - past.snapped >= EVERY * 5:
            from ouroboros.store import snapshots

            past.snapped = state.seq
            kept = (home, past.id, state.seq, snapshots.encoded(state))
            Thread(target=snapshots.save, args=kept, name="snapshot", daemon=True).start()

    return hear


def changed_since(state: State, model: str, settings: Settings) -> SettingsChanged | None:
    """Where a resumed session departs from what it was: what is set now wins over what it chose."""
    tier = None
    if state.service_tier is not None and settings.service_tier:
        tier = settings.service_tier
    elif state.service_tier and state.model.partition("/")[0] != model.partition("/")[0]:
        tier = ""  # it is a word of the other vendor
    changed = SettingsChanged(
        model=model if model != state.model else None,
        effort=settings.effort if state.effort not in {None, settings.effort} else None,
        service_tier=tier if tier != state.service_tier else None,
    )
    return changed if changed != SettingsChanged() else None
