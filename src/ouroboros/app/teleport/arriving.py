"""Unpacks a session here: checked whole before anything of it is put anywhere."""

from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec import Struct

from ouroboros.app.past.importing import LINE_BYTES, keep, read_lines, under_free_name
from ouroboros.app.rewind.offline import forget
from ouroboros.app.teleport import bundle
from ouroboros.app.teleport.container import unpack
from ouroboros.app.teleport.manifest import BUNDLE, LARGEST_BYTES, SESSION, Manifest, most_held
from ouroboros.app.teleport.trees import Known, checked, lay_out
from ouroboros.app.teleport.workshop import workshop
from ouroboros.core.errors import Misuse
from ouroboros.store.blobs import Blobs
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import tree_in
from ouroboros.workspace.checkpoints.shadow import Shadow


class Arrived(Struct, frozen=True, kw_only=True):
    """What came.

    Attributes:
        session: Its name here; another one than in the archive where that was taken.
        redacted: Files whose secrets stayed where it came from.
        left: Files that were not packed, and why.
    """

    session: str
    folder: str
    events: int
    checkpoints: int
    files: bool
    redacted: tuple[str, ...]
    left: dict[str, str]


def arrive(home: Path, archive: Path, into: Path) -> Arrived:
    """Makes the session and its folder; blocking.

    ``into`` has to be empty, or not there: nothing is ever overwritten. What was allowed in the
    session is not allowed here, and what it says counts as text from outside.

    Raises:
        Misuse: The archive is damaged, was changed or leads elsewhere, or ``into`` has files.
        StoreFailed: The session cannot be kept; then nothing is left of it.
        CheckpointFailed: Its checkpoints cannot be kept; the same.
    """
    target = into.absolute()
    if target.is_symlink() or (target.exists() and not _is_empty(target)):
        raise Misuse(f"{str(into)!r} is not empty", hint="name a new folder with --into")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target = target.resolve()  # the way in which every session knows its folder
        with workshop(target) as folder:
            return _arrived(home, archive, folder, target)
    except OSError as error:
        raise Misuse(f"it cannot be unpacked: {error.strerror or error}") from error


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None


def _arrived(home: Path, archive: Path, staging: Path, target: Path) -> Arrived:
    manifest = unpack(archive, staging)
    most = most_held(archive.stat().st_size)
    with (staging / SESSION).open("rb") as file:
        read = read_lines(iter(lambda: file.readline(LINE_BYTES + 1), b""), SESSION)
    read = under_free_name(home, read)
    session = read[0].session
    files = staging / "files"
    files.mkdir()
    library, commits = _checkpoints(staging, manifest, most)
    try:
        if manifest.checkpoint:
            commit = library.get(bytes.fromhex(manifest.checkpoint), "commit")
            lay_out(library.get, tree_in(commit), files)
    finally:
        library.close()
    with ExitStack() as undo:
        _keep_blobs(home, staging, manifest)
        files.rename(target)
        undo.callback(_put_back, target, files)
        if commits:
            undo.callback(_forget, home, session)
            _keep_checkpoints(home, target, session, (staging / BUNDLE, most))
        # The session comes last: what is cut off before leaves a folder that no session names.
        keep(home, read, origin=archive.name, cwd=target)
        undo.pop_all()
    return Arrived(
        session=session,
        folder=str(target),
        events=len(read),
        checkpoints=len(commits),
        files=bool(manifest.checkpoint),
        redacted=manifest.redacted,
        left=manifest.left,
    )


def _put_back(target: Path, files: Path) -> None:
    with suppress(OSError):
        target.rename(files)


def _forget(home: Path, session: str) -> None:
    with suppress(OSError, CheckpointFailed):
        forget(home, session)


def _checkpoints(staging: Path, manifest: Manifest, most: int) -> tuple[Library, list[str]]:
    """The objects of the archive in a library of their own, every tree of them checked."""
    kept = staging / "kept"
    (kept / "objects" / "pack").mkdir(parents=True)
    library = Library(kept)
    library.load()
    if not any(member.name == BUNDLE for member in manifest.members):
        if manifest.checkpoint:
            raise Misuse("the archive names files that it does not have")
        return library, []
    commits, start = bundle.heads(staging / BUNDLE)
    with library.writing():
        for kind, sha, data in bundle.objects(staging / BUNDLE, start, LARGEST_BYTES, most):
            library.put(kind, sha, data)
    if manifest.checkpoint not in commits:
        raise Misuse("the archive names files that it does not have")
    try:
        known: Known = {}
        for commit in commits:
            checked(library.get, tree_in(library.get(bytes.fromhex(commit), "commit")), known)
    except (ValueError, CheckpointFailed) as broken:
        raise Misuse(f"the checkpoints of the archive are damaged: {broken}") from None
    return library, commits


def _keep_blobs(home: Path, staging: Path, manifest: Manifest) -> None:
    blobs = Blobs(home)
    for member in manifest.members:
        if member.name.startswith("blobs/"):
            if member.sha256 != member.name.removeprefix("blobs/"):
                raise Misuse(f"{member.name} is not what its name says")
            blobs.copy(staging / member.name, member.sha256)


def _keep_checkpoints(home: Path, target: Path, session: str, came: tuple[Path, int]) -> None:
    """Gives the folder's own repository what the bundle has."""
    path, most = came
    commits, start = bundle.heads(path)
    shadow = Shadow.opened(home, target)
    with shadow.locked():
        with shadow.library.writing():
            for kind, sha, data in bundle.objects(path, start, LARGEST_BYTES, most):
                shadow.library.put(kind, sha, data)
        for commit in commits:
            shadow.refer(session, commit)
