"""``session.json``, version 1.0: what is known of one work session, for every program that reads it."""

import re
from typing import Annotated, Literal, cast

import msgspec
from msgspec import Meta, Struct

from ouroboros.workspace.worktrees.faults import WorkRefused

VERSION = "1.0"

ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
"""What a session's id looks like."""

type Status = Literal["active", "paused", "completed", "archived"]
type Said = Literal["human_prompt", "agent_thought", "tool_call", "tool_result"]
type Commit = Annotated[str, Meta(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
type Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class Checkpoint(Struct, frozen=True, kw_only=True, rename="camel"):
    """A state of the work tree that was given a name.

    Attributes:
        timestamp: When it was made, in UTC.
        commit_sha: The commit that holds it.
        turn_number: Which turn of the session it ended, from 1.
        cats_artifact_path: The bundle that was asked with, relative to the project; null without one.
        dogs_artifact_path: The bundle of changes that was applied.
        agent_log_path: What the agent did in this turn, one JSON object a line.
    """

    timestamp: Moment
    commit_sha: Commit
    turn_number: Annotated[int, Meta(ge=0)]
    cats_artifact_path: str | None = None
    dogs_artifact_path: str | None = None
    agent_log_path: str | None = None


class LogEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that was said or done in a session."""

    timestamp: Moment
    type: Said
    content: str


class Manifest(Struct, frozen=True, kw_only=True, rename="camel"):
    """A work session.

    Attributes:
        version: Of this form; a reader refuses another first number.
        session_id: A UUID; the folder has the same name.
        start_time: When it was started, in UTC.
        status: Only an active one may be worked in.
        base_commit: What it started from.
        worktree_path: Relative to the project.
        turn_count: How many turns ended with a checkpoint.
        checkpoints: By their names, in the order they were made.
        agent_log: What was said and done, the oldest first.
    """

    version: Annotated[str, Meta(pattern=r"^1\.\d+$")] = VERSION
    session_id: Annotated[str, Meta(pattern=ID.pattern)]
    start_time: Moment
    status: Status
    base_commit: Commit
    worktree_path: str
    turn_count: Annotated[int, Meta(ge=0)] = 0
    checkpoints: dict[str, Checkpoint] = {}
    agent_log: tuple[LogEntry, ...] = ()


type StepKind = Literal["start", "checkpoint", "rewind", "merge", "archive", "resume"]


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something of several steps that was begun: whoever comes next ends it, or takes it back.

    Attributes:
        target: The commit that it leads to.
        onto: The commit before it.
        ref: The branch of the main tree that a merge goes into, percent-encoded as ``top`` is.
        top: The work tree whose files a merge writes; a name may be no Unicode.
        name: Of a checkpoint.
        made: The checkpoint, whole.
    """

    kind: StepKind
    target: str = ""
    onto: str = ""
    ref: str = ""
    top: str = ""
    name: str = ""
    made: Checkpoint | None = None


class Work(Struct, frozen=True, kw_only=True):
    """``work.json`` beside the manifest: what only we need.

    Attributes:
        label: What the person calls the session.
        branch: The branch that it has; empty for a detached one.
        step: What was begun and is not ended.
    """

    version: Annotated[str, Meta(pattern=r"^1\.\d+$")] = VERSION
    label: str = ""
    branch: str = ""
    step: Step | None = None


def read[T: Struct](data: bytes, kind: type[T], place: str) -> T:
    """What a file of this kind says.

    Raises:
        WorkRefused: It is damaged, or of a later version.
    """
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if re.fullmatch(r"\d+\.\d+", version) and not version.startswith("1."):
            raise WorkRefused(
                f"{place!r} has version {version[:20]}; this program reads 1.x",
                hint="update Ouroboros: `ouro update` says how",
            )
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as broken:
        raise WorkRefused(f"{place!r} cannot be read: {broken}") from broken


def written(value: Struct, before: bytes = b"") -> bytes:
    """The file; keys of a later minor version that stood in it ``before`` are kept."""
    known = cast("dict[str, object]", msgspec.to_builtins(value))
    try:
        others = msgspec.json.decode(before or b"{}", type=dict[str, object])
    except msgspec.DecodeError:
        others = {}
    version = others.get("version", VERSION)
    merged = {**others, **known, "version": version}
    ordered = {name: merged[name] for name in (*known, *(set(others) - set(known)))}
    return msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n"


class _Versioned(Struct):
    version: str
