"""What may go wrong with a checkpoint."""

from ouroboros.core.errors import OuroborosError


class CheckpointFailed(OuroborosError):
    """The files cannot be kept, or not be brought back; nothing of the person's was changed for it."""


class CheckpointLost(CheckpointFailed):
    """What a checkpoint names is missing or damaged."""


class CheckpointBusy(CheckpointFailed):
    """Another process works with the checkpoints of this folder."""


class Stopped(CheckpointFailed):
    """It took too long, or was broken off."""
