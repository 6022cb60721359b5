"""The tree of a session, its files, and what the safety pipeline did."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class SessionBranched(Event, frozen=True, kw_only=True):
    """The conversation goes on from an earlier message."""

    type: ClassVar[str] = "session.branched"
    source: ClassVar[Literal["user", "agent", "system"]] = "user"
    message_id: str


class SessionForked(Event, frozen=True, kw_only=True):
    """Another session was started from a message of this one."""

    type: ClassVar[str] = "session.forked"
    source: ClassVar[Literal["user", "agent", "system"]] = "user"
    message_id: str
    child: str


class CheckpointCreated(Event, frozen=True, kw_only=True):
    """The state of the person's files was kept."""

    type: ClassVar[str] = "checkpoint.created"
    checkpoint: str


class CheckpointRestored(Event, frozen=True, kw_only=True):
    """Files were brought back."""

    type: ClassVar[str] = "checkpoint.restored"
    checkpoint: str
    paths: tuple[str, ...] = ()


class RepoLoaded(Event, frozen=True, kw_only=True):
    """A repository was read into a session."""

    type: ClassVar[str] = "repo.loaded"
    repo: str
