"""What a run changed."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event


class TurnDiffed(Event, frozen=True, kw_only=True):
    """The net change of the files that tools wrote since the person's words, as git shows it.

    Comes right before the run ends, and not at all when nothing is different.
    """

    type: ClassVar[str] = "diff.turn"
    diff: str


class SteeringChanged(Event, frozen=True, kw_only=True):
    """Files that steer later runs are others than when the run began, whoever wrote them.

    Comes right before the run ends, and not at all when none is.

    Attributes:
        paths: Below the folder of the session: instructions, hooks, settings of agents and editors.
    """

    type: ClassVar[str] = "diff.steering"
    paths: tuple[str, ...]
