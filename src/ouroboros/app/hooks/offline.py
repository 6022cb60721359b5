"""Hooks without a session: listed, trusted, switched off, tried."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.trust import project_folder
from ouroboros.app.hooks import standing
from ouroboros.app.hooks.files import every, files
from ouroboros.app.hooks.standing import Standing
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import ConfigBroken, Misuse
from ouroboros.core.events import Event
from ouroboros.core.events.hooks import HookFinished
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.plugins.hooks.merging import Merged
from ouroboros.plugins.hooks.moments import MOMENTS, SUBJECTS, Moment, moment_of
from ouroboros.plugins.hooks.naming import told
from ouroboros.plugins.hooks.running import Hooks, World


class Listed(Struct, frozen=True, kw_only=True):
    """One hook as a person sees it; ``number`` counts from 1."""

    number: int
    key: str
    event: Moment
    matcher: str
    kind: str
    text: str
    source: str
    verdict: str
    hash: str


class Tried(Struct, frozen=True, kw_only=True):
    """How one hook ended."""

    event: str
    origin: str
    status: str
    text: str
    message: str
    seconds: float


class Trial(Struct, frozen=True, kw_only=True):
    """What came of all hooks that fit."""

    hooks: tuple[Tried, ...]
    answer: Merged


def listed(loaded: Loaded) -> tuple[list[Listed], tuple[str, ...]]:
    """Every hook that there is here, and what a person should know of them; blocking."""
    reading = _everywhere(loaded)
    found = [_listed(number, each) for number, each in enumerate(reading.found, 1)]
    return found, reading.warnings


def chosen(loaded: Loaded, names: Sequence[str]) -> list[Standing]:
    """The hooks that a person names by number or key.

    Raises:
        Misuse: There is none of that name.
    """
    found = _everywhere(loaded).found
    picked: list[Standing] = []
    for name in names:
        fitting = [
            each
            for number, each in enumerate(found, 1)
            if name in {str(number), each.definition.key}
        ]
        if not fitting:
            raise Misuse(f"there is no hook {name!r}", hint="`ouro hooks list` shows their numbers")
        picked += fitting
    return picked


def waiting(loaded: Loaded) -> list[Standing]:
    """The hooks that would run if they were trusted."""
    return list(_everywhere(loaded).waiting)


def as_lines(picked: Iterable[Standing]) -> list[str]:
    """Hooks for whoever is asked to trust them: when each runs, and what."""
    lines: list[str] = []
    for each in picked:
        one = each.definition
        mark = " (changed)" if each.verdict == "changed" else ""
        lines.append(f"{one.moment} {one.matcher or '*'}, {one.kind} of {one.place}{mark}:")
        lines += [f"    {line}" for line in one.text.splitlines()]
    return lines


def trust(home: Path, picked: Iterable[Standing]) -> None:
    """Lets exactly these run from now on."""
    standing.decide(home, picked, lambda one, kept: replace(kept, trusted_hash=one.hash))


def untrust(home: Path, picked: Iterable[Standing]) -> None:
    """Forgets that these were trusted."""
    standing.decide(home, picked, lambda _, kept: replace(kept, trusted_hash=""))


def enable(home: Path, picked: Iterable[Standing], *, enabled: bool) -> None:
    """Lets hooks run again, or no more, without forgetting that they are trusted.

    Raises:
        Misuse: One to be switched off is the administrator's.
    """
    picked = list(picked)
    for one in (each.definition for each in picked):
        if one.source == standing.MANAGED and not enabled:
            raise Misuse(f"{one.place}: this hook is your administrator's and stays on")
    standing.decide(home, picked, lambda _, kept: replace(kept, enabled=enabled))


def moment_named(name: str) -> Moment:
    """The moment of this name; raises ``Misuse``."""
    moment = moment_of(name)
    if moment is None:
        raise Misuse(f"there is no moment {name!r}", hint=f"there are {', '.join(MOMENTS)}")
    return moment


def given(path: Path) -> dict[str, object]:
    """What a file says of a moment; raises ``ConfigBroken``."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except OSError as error:
        raise ConfigBroken(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, RecursionError) as broken:
        raise ConfigBroken(f"{path} is no JSON object: {broken}") from None


def _everywhere(loaded: Loaded) -> standing.Reading:
    only = loaded.settings.managed_hooks_only
    return standing.read(loaded.home, every(loaded), only_managed=only)


async def tried(
    loaded: Loaded,
    moment: Moment,
    more: Mapping[str, object],
    *,
    cwd: Path,
    environment: Mapping[str, str],
) -> Trial:
    """Runs the hooks of a moment that may run, with a made-up payload and ``more`` over it."""
    clock = SystemClock()
    ends: list[HookFinished] = []

    def record(event: Event) -> None:
        if isinstance(event, HookFinished):
            ends.append(event)

    only = loaded.settings.managed_hooks_only
    reading = await to_thread.run_sync(
        lambda: standing.read(loaded.home, files(loaded), only_managed=only)
    )
    project = project_folder(cwd, loaded.home)
    world = World(
        record=record,
        clock=clock,
        ids=TimeOrderedIds(clock, bytes),
        cwd=cwd,
        environment=environment,
        keep=_nowhere,
        barred=partial(to_thread.run_sync, partial(standing.barred, loaded.home, project)),
    )
    payload = {**sample(moment, cwd), **more}
    answer = await Hooks(reading.active, world).fire(
        moment, lambda: payload, names=_names(moment, payload)
    )
    return Trial(
        hooks=tuple(
            Tried(
                event=each.event,
                origin=each.origin,
                status=each.status,
                text=each.text,
                message=each.message,
                seconds=each.seconds,
            )
            for each in ends
        ),
        answer=answer,
    )


def sample(moment: Moment, cwd: Path) -> dict[str, object]:
    """A payload as a session would make it, about nothing real."""
    common: dict[str, object] = {
        "session_id": "ses_test",
        "transcript_path": None,
        "cwd": str(cwd),
        "hook_event_name": moment,
        "model": "test",
        "permission_mode": "default",
    }
    if moment in {"PreCompact", "MemoryFlush", "PostCompact"}:
        del common["permission_mode"]
    if moment not in {"SessionStart", "SessionEnd"}:
        common["turn_id"] = "1"
    return {**common, **_SAMPLES[moment]}


_CALL: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "echo test"}}
_AGENT: dict[str, object] = {"agent_id": "1", "agent_type": "test"}
_END: dict[str, object] = {"stop_hook_active": False, "last_assistant_message": "test"}
_MESSAGE: dict[str, object] = {
    "id": "msg_test",
    "role": "user",
    "kind": "plain",
    "text": "test",
    "calls": [],
    "results": [],
}
_SAMPLES: dict[Moment, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "UserPromptSubmit": {"prompt": "test"},
    "PreToolUse": {**_CALL, "tool_use_id": "call_test"},
    "PermissionRequest": _CALL,
    "PostToolUse": {**_CALL, "tool_use_id": "call_test", "tool_response": "test"},
    "PreCompact": {"trigger": "manual"},
    "MemoryFlush": {"trigger": "manual", "focus": "", "tokens": 7, "messages": [_MESSAGE]},
    "PostCompact": {"trigger": "manual"},
    "SubagentStart": _AGENT,
    "SubagentStop": {**_AGENT, **_END, "agent_transcript_path": None},
    "Stop": _END,
    "TransformResponse": {"last_assistant_message": "test"},
}


def _names(moment: Moment, payload: Mapping[str, object]) -> tuple[str, ...]:
    subject = SUBJECTS.get(moment)
    if subject is None:
        return ()
    name = str(payload.get(subject, ""))
    return told(name, "{}").names if subject == "tool_name" else (name,)


def _listed(number: int, each: Standing) -> Listed:
    one = each.definition
    return Listed(
        number=number,
        key=one.key,
        event=one.moment,
        matcher=one.matcher,
        kind=one.kind,
        text=one.text,
        source=one.source,
        verdict=each.verdict,
        hash=one.hash,
    )


async def _nowhere(data: bytes) -> str:
    del data
    return "no place: this was a trial"
