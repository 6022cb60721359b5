"""Takes parts of what was changed in a file back, as the person says by hand."""

from collections.abc import Awaitable, Callable
from pathlib import Path, PurePosixPath

from ouroboros.app.rewind.journey import event_of
from ouroboros.app.rewind.keeping import Keeping
from ouroboros.core.commands import TakeBack
from ouroboros.core.errors import Misuse
from ouroboros.workspace.checkpoints.restore import Restored
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken
from ouroboros.workspace.files import bytes_of, decoded, write_atomic
from ouroboros.workspace.hunks import without


async def take_back(
    keeping: Keeping, wish: TakeBack, settle: Callable[[], Awaitable[None]]
) -> None:
    """Writes the file as it would be without these parts; the files as they were are kept before.

    Raises:
        Misuse: The path is none of the folder's, or a part does not stand there any more.
        CheckpointFailed: The files cannot be kept first; nothing was changed.
        ToolFailed: The file cannot be read or written.
    """
    ground = keeping.ground
    path = place(ground.cwd, wish.path)

    def begin(shadow: Shadow, stop: Callable[[], bool]) -> Taken:
        _changed(path, wish)  # before anything is kept: what does not fit changes nothing
        return _taken(keeping, shadow, stop, "take back")

    start = await keeping.use(begin)
    ground.record(keeping.told(start, "rewind"))
    await settle()  # where it began is on record before the file is changed

    def carry_out(shadow: Shadow, stop: Callable[[], bool]) -> Taken:
        before, after = _changed(path, wish)
        write_atomic(path, after, admitted=(path,), expected=before)
        return _taken(keeping, shadow, stop, "taken back")

    after = await keeping.use(carry_out)
    ground.record(keeping.told(after, "restored"))
    found = Restored(changed=[wish.path])
    ground.record(event_of(found, target=after.checkpoint, start=start.checkpoint))


def place(cwd: Path, name: str) -> Path:
    """The file that a person means, without links on the way; raises ``Misuse``; blocks little.

    Neither what leads out of the folder nor anything of ``.git`` can be meant.
    """
    pure = PurePosixPath(name)
    parts = pure.parts
    if not parts or pure.is_absolute() or ".." in parts or "\0" in name:
        raise Misuse(f"{name!r} is no file of this folder")
    if any(part.lower() == ".git" for part in parts):
        raise Misuse(f"{name!r} belongs to git, and is left alone")
    return cwd.joinpath(*parts)


def _changed(path: Path, wish: TakeBack) -> tuple[bytes, bytes]:
    """The file's bytes, and what they become."""
    if path.resolve() != path:
        raise Misuse(f"{wish.path!r} leads elsewhere by a link, so it is left alone")
    before = bytes_of(path)
    read = decoded(before, path)
    return before, read.encode(without(read.text, wish.pieces, wish.path))


def _taken(keeping: Keeping, shadow: Shadow, stop: Callable[[], bool], what: str) -> Taken:
    ground = keeping.ground
    last = ground.state.files.kept[-1] if ground.state.files.kept else None
    return shadow.take(
        keeping.bounds,
        session=ground.state.session,
        message=f"{what}\n\nSession: {ground.state.session}\nTurn: {ground.state.turn}",
        last=(last.checkpoint, last.tree) if last else ("", ""),
        now=ground.clock.now(),
        stop=stop,
    )
