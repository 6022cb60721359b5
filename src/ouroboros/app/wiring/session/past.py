"""What an earlier process left of a session that goes on."""

from pathlib import Path

from msgspec import Struct, field

from ouroboros.app.settings import Settings
from ouroboros.core.errors import SessionUnknown
from ouroboros.core.events import SettingsChanged
from ouroboros.core.state import State, fold
from ouroboros.store import Lease


class Past(Struct, kw_only=True):
    """What an earlier process left of a session; nothing for a new one."""

    id: str
    state: State = field(default_factory=State)
    resumed: bool = False
    warnings: list[str] = field(default_factory=list[str])


def resolve(home: Path, cwd: Path, resume: str) -> str:
    """The id that a person meant: the whole, a beginning that fits one, or the latest here."""
    from ouroboros.app.past import sessions

    if not resume:
        latest = sessions.latest(home, str(cwd))
        if latest is None:
            raise SessionUnknown(
                f"there is no session of {str(cwd)!r} yet",
                hint="start one without --continue",
            )
        return latest.id
    return sessions.find(home, resume).id


def load_past(home: Path, lease: Lease, past: Past) -> None:
    """Folds what is on record of it; blocking."""
    from ouroboros.store import leftovers, resume

    found = resume.load(home, lease)
    leftovers.sweep(home, lease)
    past.state = fold(found.envelopes)
    past.warnings.extend(found.warnings)
    past.resumed = True


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
