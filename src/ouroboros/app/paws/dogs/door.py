"""What a face asks for when it applies a bundle, and the way through all of it."""

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.app import secrecy
from ouroboros.app.config.layers import Loaded
from ouroboros.app.offline.explain import Asked as Grounds
from ouroboros.app.paws.dogs.asking import Agree, answered
from ouroboros.app.paws.dogs.carrying import Check, Ground, carried_out, taken_back
from ouroboros.app.paws.dogs.outcome import Outcome, taken_away
from ouroboros.app.paws.dogs.reading import Prepared, Tell, Wish, prepared
from ouroboros.app.paws.dogs.references import references_in
from ouroboros.app.paws.sessions import Sessions
from ouroboros.app.rewind.bounds import bounds_of
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import OuroborosError
from ouroboros.store.layout import put_whole
from ouroboros.workspace.artifacts.dogs import FilePlan
from ouroboros.workspace.artifacts.dogs.reading import Wanted


class Request(Struct, frozen=True, kw_only=True):
    """A bundle, and all that was said about it.

    Attributes:
        bundle: Its name, as the person wrote it.
        reference: The bundle that the model saw.
        root: Where it is applied, and where ``session`` is looked for; None for ``cwd``.
        cwd: Where the person is.
        verify: Shell text; empty for none.
        reinvoke: A command that the model asks for may be run.
        yes: Questions are answered already.
    """

    bundle: str
    data: bytes
    root: Path | None
    cwd: Path
    loaded: Loaded
    environment: Mapping[str, str]
    reference: bytes | None = None
    session: str = ""
    checkpoint: str = ""
    dialect: Wanted = "auto"
    rsi_link: bool = False
    allow_truncated: bool = False
    partial: bool = False
    only_new: bool = False
    verify: str = ""
    verify_timeout: float = 600.0
    revert: bool = False
    reinvoke: bool = False
    yes: bool = False


type Choose = Callable[[Prepared], Awaitable[tuple[FilePlan, ...] | Outcome]]
"""What of a plan is written, or how it ends without; may ask the person."""


async def applied(request: Request, *, choose: Choose, agree: Agree, tell: Tell) -> Outcome:
    """Reads, plans, lets choose, writes, judges, and takes back what was judged bad.

    Raises:
        Misuse: There is no such work session.
        WorkRefused: It is not active, or its checkpoint cannot be made.
        CheckpointFailed: The files cannot be kept before they are changed; nothing was written.
    """
    if not request.session:
        return await _applied(request, request.root or request.cwd, choose, agree, tell)
    sessions = await Sessions.at(request.root or request.cwd, request.environment)
    async with sessions.working(await sessions.active(request.session)) as session:
        if request.checkpoint:
            await sessions.refuse_checkpoint(session, request.checkpoint)
        outcome = await _applied(request, session.tree, choose, agree, tell)
    if not request.checkpoint or outcome.outcome != "applied":
        return outcome
    try:
        kept = await to_thread.run_sync(_kept, session.folder, request)
        _, made = await sessions.checkpoint(session.id, request.checkpoint, dogs=kept)
    except (OuroborosError, OSError) as failed:
        back = await undone(request.loaded, session.tree, tell)
        return _without_checkpoint(outcome, back, failed)
    tell(f"Checkpoint {request.checkpoint}: {made.commit_sha[:12]}")
    return structs.replace(outcome, checkpoint=made.commit_sha)


def _without_checkpoint(
    outcome: Outcome, back: Outcome, failed: OuroborosError | OSError
) -> Outcome:
    """How it ends where changes were written, could not be committed, and were taken back if they could."""
    why = failed.message if isinstance(failed, OuroborosError) else str(failed)
    what = (
        "and not all changes could be taken back" if back.left else "so the changes were taken back"
    )
    return structs.replace(
        outcome,
        outcome="refused",
        files=tuple(taken_away(file, back.left) for file in outcome.files),
        reason=f"the checkpoint cannot be made, {what}: {why}",
        left=back.left,
    )


def _kept(folder: Path, request: Request) -> Path:
    """The bundle, kept beside the session's record."""
    kept = folder / "artifacts" / f"{sha256(request.data).hexdigest()[:16]}.dogs.md"
    kept.parent.mkdir(exist_ok=True)
    put_whole(kept, request.data, kept.with_suffix(f".{os.urandom(4).hex()}.part"))
    return kept


async def _applied(
    request: Request, root: Path, choose: Choose, agree: Agree, tell: Tell
) -> Outcome:
    reference = request.reference
    wish = Wish(
        name=request.bundle,
        bundle=request.data,
        root=root,
        home=request.loaded.home,
        dialect=request.dialect,
        rsi_link=request.rsi_link,
        allow_truncated=request.allow_truncated,
        partial=request.partial,
        only_new=request.only_new,
        references=None if reference is None else references_in(reference),
    )
    outcome = await carried_out(
        ground_of(request.loaded, root),
        partial(prepared, wish),
        choose,
        name=request.bundle,
        check=_check(request),
        tell=tell,
    )
    if outcome.outcome == "needs_context":
        return await _answered(request, root, outcome, agree)
    return outcome


async def undone(loaded: Loaded, root: Path, tell: Tell) -> Outcome:
    """Takes back the bundle that was applied last to a folder; raises as ``taken_back``."""
    return await taken_back(ground_of(loaded, root), tell)


async def undone_in(
    loaded: Loaded, root: Path, environment: Mapping[str, str], words: str, tell: Tell
) -> Outcome:
    """The same in a work session of the repository that a folder lies in; raises as ``applied``."""
    sessions = await Sessions.at(root, environment)
    async with sessions.working(await sessions.active(words)) as session:
        return await undone(loaded, session.tree, tell)


def ground_of(loaded: Loaded, root: Path) -> Ground:
    """Where bundles are applied, with what the settings say of it."""
    return Ground(
        root=root,
        home=loaded.home,
        bounds=bounds_of(loaded.settings, loaded.home),
        clock=SystemClock(),
    )


def _check(request: Request) -> Check | None:
    if not request.verify.strip():
        return None
    return Check(
        command=request.verify,
        environment=secrecy.without_keys(request.environment, request.loaded.settings),
        timeout_seconds=request.verify_timeout,
        revert=request.revert,
    )


async def _answered(request: Request, root: Path, outcome: Outcome, agree: Agree) -> Outcome:
    """Runs the commands that the model asks for, where that is allowed."""
    if not any(each.kind == "command" for each in outcome.requests):
        return outcome
    if not request.reinvoke:
        return structs.replace(
            outcome,
            outcome="refused",
            reason="the bundle asks to run a command first, which needs --allow-reinvoke",
        )
    grounds = Grounds(cwd=root, loaded=request.loaded, environment=request.environment)
    found = [
        await answered(
            each,
            grounds,
            agree=agree,
            yes=request.yes,
            timeout_seconds=request.verify_timeout,
        )
        if each.kind == "command"
        else each
        for each in outcome.requests
    ]
    is_denied = any(each.kind == "command" and each.decision != "ran" for each in found)
    return structs.replace(
        outcome,
        requests=tuple(found),
        outcome="refused" if is_denied else "needs_context",
        reason="a command that the model asks for was not run" if is_denied else "",
    )
