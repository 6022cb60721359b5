"""How loading a repository fails."""

from ouroboros.core.errors import Misuse, OuroborosError


class RepoFailed(OuroborosError):
    """A repository could not be loaded; nothing of it is left."""


class RepoRefused(RepoFailed):
    """It is there, but larger than the bounds, or holds what must not be written here."""


class RepoUnknown(Misuse):
    """No repository of this name was loaded."""
