"""Where a session goes on from, and what was brought into it: a file of events, a repository."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event, Source


class SessionBranched(Event, frozen=True, kw_only=True):
    """The conversation goes on from an earlier message; from its beginning where that is empty."""

    type: ClassVar[str] = "session.branched"
    source: ClassVar[Source] = "user"
    message_id: str


class SessionRolledBack(Event, frozen=True, kw_only=True):
    """The latest ``turns`` of the person's are left; the conversation goes on from what was before."""

    type: ClassVar[str] = "session.rollback"
    source: ClassVar[Source] = "user"
    turns: int
    message_id: str


class SessionForked(Event, frozen=True, kw_only=True):
    """Another session was started from a message of this one.

    Stands in both: in the new one it follows what was taken over, and names its ``parent``.
    """

    type: ClassVar[str] = "session.forked"
    source: ClassVar[Source] = "user"
    message_id: str
    child: str
    parent: str = ""


class SessionImported(Event, frozen=True, kw_only=True):
    """The events before this one were read from a file; what was allowed in them counts no more.

    Attributes:
        origin: The file, as it was named.
        cwd: The folder that the session goes on in.
    """

    type: ClassVar[str] = "session.imported"
    source: ClassVar[Source] = "user"
    origin: str
    cwd: str = ""


class RepoLoaded(Event, frozen=True, kw_only=True):
    """A repository was brought into a session.

    Attributes:
        repo: As the person called it.
        path: Where it lies.
        ref: The branch or tag; empty for a commit, and for a folder of the person's own.
        file_count: Names in it; 0 where nobody has counted.
    """

    type: ClassVar[str] = "repo.loaded"
    source: ClassVar[Source] = "user"
    repo: str
    path: str = ""
    ref: str = ""
    commit: str = ""
    file_count: int = 0
