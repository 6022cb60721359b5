"""How work with sessions in work trees fails."""

from ouroboros.core.errors import Misuse, OuroborosError


class WorkRefused(OuroborosError):
    """It cannot be done as things are; nothing was changed, and the hint says what to do."""


class WorkBusy(WorkRefused):
    """Another process works on the same sessions."""


class MergeConflict(WorkRefused):
    """Both sides changed the same lines; ``paths`` are the files."""

    def __init__(self, message: str, *, hint: str, paths: tuple[str, ...]) -> None:
        """The main tree and the session are as they were."""
        super().__init__(message, hint=hint)
        self.paths = paths


class WorkUnknown(Misuse):
    """There is no such session, checkpoint or commit."""


class NoRepository(Misuse):
    """The folder is not in the work tree of a git repository that has a commit."""
