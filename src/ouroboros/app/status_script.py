"""A person's own command for their status line: it reads what is known as JSON, its first line is shown."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros import __version__
from ouroboros.core.context import Meter
from ouroboros.core.errors import Misuse
from ouroboros.core.state import State
from ouroboros.safety.spawn import run, shell_command

_LONGEST = 400
_OUTPUT_BYTES = 16_384


class _Model(Struct, frozen=True, kw_only=True):
    id: str
    display_name: str


class _Workspace(Struct, frozen=True, kw_only=True):
    current_dir: str
    project_dir: str


class _Cost(Struct, frozen=True, kw_only=True):
    total_cost_usd: float | None
    total_duration_ms: int


class _Window(Struct, frozen=True, kw_only=True):
    context_window_size: int
    used_tokens: int
    used_percentage: float
    total_input_tokens: int
    total_output_tokens: int


class Known(Struct, frozen=True, kw_only=True):
    """What the command reads; the names are those that scripts for other agents know."""

    hook_event_name: str
    session_id: str
    session_name: str
    cwd: str
    model: _Model
    workspace: _Workspace
    version: str
    cost: _Cost
    context_window: _Window
    mode: str
    branch: str
    status: str


def known(state: State, meter: Meter | None, *, branch: str, seconds: float) -> Known:
    """What is known of a session; ``seconds`` is for how long it has been open here."""
    model = state.fallback or state.model
    used, window = (meter.used, meter.window) if meter is not None else (0, 0)
    return Known(
        hook_event_name="Status",
        session_id=state.session,
        session_name=state.title,
        cwd=state.cwd,
        model=_Model(id=model, display_name=model.rpartition("/")[2]),
        workspace=_Workspace(current_dir=state.cwd, project_dir=state.cwd),
        version=__version__,
        cost=_Cost(total_cost_usd=state.spent.cost, total_duration_ms=round(seconds * 1_000)),
        context_window=_Window(
            context_window_size=window,
            used_tokens=used,
            used_percentage=round(100 * used / window, 1) if window else 0.0,
            total_input_tokens=state.spent.input_tokens,
            total_output_tokens=state.spent.output_tokens,
        ),
        mode=state.mode,
        branch=branch,
        status=state.status,
    )


async def status_of(
    command: str,
    facts: Known,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
) -> str:
    """The first line that the command prints, which runs in the person's name.

    Raises:
        Misuse: It cannot be run, took too long, or failed.
    """
    hint = "see tui.status_script"
    try:
        done = await run(
            shell_command(command),
            cwd=cwd,
            environment=environment,
            timeout_seconds=timeout_seconds,
            stdin=msgspec.json.encode(facts),
            limit=_OUTPUT_BYTES,
        )
    except OSError as failed:
        why = failed.strerror or str(failed)
        raise Misuse(f"the status script cannot be run: {why}", hint=hint) from failed
    if done.timed_out:
        raise Misuse(f"the status script took longer than {timeout_seconds:g} s", hint=hint)
    if done.exit_code:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        why = f": {said}" if said else ""
        raise Misuse(f"the status script ended with {done.exit_code}{why}", hint=hint)
    return done.stdout.decode("utf-8", "replace").partition("\n")[0][:_LONGEST]
