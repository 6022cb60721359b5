"""What several hooks said of one thing, as one answer; pure."""

from collections.abc import Sequence

from msgspec import Struct

from ouroboros.plugins.hooks.answers import Said


class Ran(Struct, frozen=True, kw_only=True):
    """One hook that ran; ``order`` counts the ends."""

    said: Said
    order: int = 0


class Merged(Struct, frozen=True, kw_only=True):
    """The answer.

    Attributes:
        blocked: Why it is refused; one no is enough.
        stopped: Why the turn is to end.
        allows: Somebody said yes and nobody no; one that broke might have said it.
        updated: Of several, that of the hook that ended last.
        contexts: In the order of the settings.
    """

    blocked: str = ""
    stopped: str = ""
    allows: bool = False
    updated: object = None
    contexts: tuple[str, ...] = ()


NOTHING = Merged()


def merged(runs: Sequence[Ran]) -> Merged:
    """The answer of hooks that are given in the order of the settings."""
    answers = [run.said for run in runs if run.said.status not in {"failed", "cancelled"}]
    blocked = next((each.reason for each in answers if each.status == "blocked"), "")
    late = sorted(runs, key=lambda run: run.order)
    changes = [run.said.updated for run in late if run.said.updated is not None]
    return Merged(
        blocked=blocked,
        stopped=next((each.reason for each in answers if each.status == "stopped"), ""),
        allows=not blocked and len(answers) == len(runs) and any(each.allows for each in answers),
        updated=changes[-1] if changes and not blocked else None,
        contexts=tuple(each.context for each in answers if each.context),
    )
