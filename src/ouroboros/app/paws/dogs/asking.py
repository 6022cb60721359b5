"""What a model asks for before it changes anything; a command runs only if rules and person let it."""

from collections.abc import Awaitable, Callable

import anyio
from anyio import CancelScope, to_thread
from msgspec import structs

from ouroboros.app import secrecy
from ouroboros.app.offline.explain import Asked as Grounds
from ouroboros.app.offline.explain import here_of_command, verdict_of
from ouroboros.app.paws.dogs.outcome import Asked
from ouroboros.app.paws.dogs.verifying import LOG_BYTES, TIMED_OUT, watched
from ouroboros.app.permission.cages import Grounds as CageGrounds
from ouroboros.app.permission.cages import SessionCages
from ouroboros.safety.capture import Capture
from ouroboros.safety.spawn import shell_command

type Agree = Callable[[str], Awaitable[bool]]
"""Asks the person; False where nobody is there."""


async def answered(
    request: Asked, grounds: Grounds, *, agree: Agree, yes: bool, timeout_seconds: float
) -> Asked:
    """Runs the command that a model asks for, in the cage of a session, and notes what it said.

    Args:
        request: Of the kind ``command``.
        grounds: Where, and with which settings and rules.
        agree: Asks the person where rules or mode say so.
        yes: Such questions are answered already; never those about what is dangerous.
        timeout_seconds: The longest it may take.
    """
    here = await to_thread.run_sync(here_of_command, request.command, grounds)
    if here.decision == "deny":
        return structs.replace(request, decision=f"denied by {here.decided_by}: {here.why}")
    if here.decision == "ask":
        verdict = await to_thread.run_sync(verdict_of, request.command, grounds)
        is_agreed = yes and verdict.kind != "dangerous"
        if not is_agreed and not await agree(request.command):
            why = here.why or verdict.reason
            return structs.replace(request, decision=f"nobody agreed to it: {why}")
    return await _ran(request, grounds, timeout_seconds)


async def _ran(request: Asked, grounds: Grounds, timeout_seconds: float) -> Asked:
    settings = grounds.loaded.settings
    environment = secrecy.without_keys(grounds.environment, settings)
    where = CageGrounds(cwd=grounds.cwd, home=grounds.loaded.home, environment=environment)
    command = shell_command(request.command)
    cages = SessionCages(settings.sandbox, where)
    choice = await cages.choice("ask")
    is_bare = choice.strength == "none"
    if is_bare and settings.sandbox.mode != "danger-full-access":
        return structs.replace(request, decision=f"there is no sandbox here: {choice.warnings[0]}")
    confined = None if is_bare else choice.sandbox.confine(command, cwd=grounds.cwd)
    capture, exit_code = Capture(LOG_BYTES), TIMED_OUT
    try:
        async with watched(
            command, cwd=grounds.cwd, environment=environment, confined=confined
        ) as process:
            with anyio.move_on_after(timeout_seconds):
                while (piece := await process.read()) is not None:
                    capture.add(piece.data, piece.stream)
                exit_code = process.exit_code if process.exit_code is not None else TIMED_OUT
    except OSError as failed:
        return structs.replace(request, decision=f"it does not start: {failed}")
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(cages.close)
    return structs.replace(request, decision="ran", output=capture.text(), exit_code=exit_code)
