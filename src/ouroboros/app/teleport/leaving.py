"""Packs a session up: what was said, whole outputs, and its files at every checkpoint."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros import __version__
from ouroboros.app.export.cleaning import Clean, whole
from ouroboros.app.export.lines import json_lines
from ouroboros.app.export.writing import put_in_place
from ouroboros.app.rewind.offline import Records
from ouroboros.app.settings import Settings
from ouroboros.app.teleport import bundle
from ouroboros.app.teleport.container import member_of, pack
from ouroboros.app.teleport.manifest import BUNDLE, SESSION, Manifest, digest, most_held
from ouroboros.app.teleport.trees import Cleaning
from ouroboros.app.teleport.workshop import workshop
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope, Event, ToolResulted
from ouroboros.core.events.checkpoint import CheckpointCreated, CheckpointRestored, TurnUndone
from ouroboros.core.state import fold
from ouroboros.store import resume
from ouroboros.store.blobs import BlobLost, Blobs
from ouroboros.workspace.checkpoints.objects import Kind
from ouroboros.workspace.checkpoints.packs import PackWriter


class Packed(Struct, frozen=True, kw_only=True):
    """What was packed.

    Attributes:
        redacted: Files that had secrets, which were taken out.
        unseen: Files that may have secrets: too large to be looked through, or no text.
        left: Files that were not kept, and why.
        lost: Whole outputs that are not there any more.
    """

    bytes: int
    checkpoints: int
    redacted: tuple[str, ...]
    unseen: tuple[str, ...]
    left: dict[str, str]
    lost: int


class _Files(Struct, kw_only=True):
    """The files of a session as they travel; names of commits and trees change with their content."""

    names: dict[str, str]
    commits: list[str]
    latest: str
    left: dict[str, str]
    redacted: tuple[str, ...]
    unseen: tuple[str, ...]


def leave(
    home: Path,
    session: str,
    target: Path,
    *,
    settings: Settings,
    clock: Clock,
    clean: Clean | None,
    files: bool = True,
) -> Packed:
    """Writes an archive of a session, whole or not at all; blocking.

    Args:
        home: Where the session is kept.
        session: Its id.
        target: The file to make.
        settings: They say which files belong to a folder.
        clock: For the time of the archive.
        clean: Takes secrets out of a text; None leaves them in.
        files: Take the folder's files along too.

    Raises:
        Misuse: There is such a file already, or it cannot be written.
        CheckpointFailed: The files cannot be kept.
    """
    records = Records(home, session, settings) if files else None
    read = records.envelopes if records else resume.read(home, session).envelopes
    try:
        with workshop(target) as folder:
            kept = _files(records, folder, clock, clean) if records else None
            blobs, lost = _blobs(home, read, folder, clean)
            moved = (_renamed(each, kept.names if kept else {}, blobs) for each in read)
            with (folder / SESSION).open("x", encoding="utf-8") as out:
                out.writelines(json_lines(moved, clean=clean))
            paths = [folder / SESSION, *([folder / BUNDLE] if kept else ())]
            paths += [folder / "blobs" / each for each in sorted({*blobs.values()})]
            state = records.state if records else fold(read)
            manifest = Manifest(
                product=__version__,
                session=session,
                title=clean(state.title) if clean else state.title,
                cwd=state.cwd,
                made=clock.now(),
                members=tuple(member_of(_name(path, folder), path) for path in paths),
                checkpoint=kept.latest if kept else "",
                redacted=kept.redacted if kept else (),
                left=kept.left if kept else {},
            )
            pack(folder / "archive", manifest, paths)
            most = most_held((folder / "archive").stat().st_size)
            if (folder / SESSION).stat().st_size > most:
                raise Misuse("the session says the same too often: nobody would unpack it")
            put_in_place(folder / "archive", target)
    except FileExistsError:
        raise Misuse(f"{str(target)!r} exists already", hint="name another file") from None
    except OSError as error:
        raise Misuse(f"{str(target)!r} cannot be written: {error.strerror or error}") from error
    return Packed(
        bytes=target.stat().st_size,
        checkpoints=len(kept.commits) if kept else 0,
        redacted=kept.redacted if kept else (),
        unseen=kept.unseen if kept else (),
        left=kept.left if kept else {},
        lost=lost,
    )


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _files(records: Records, folder: Path, clock: Clock, clean: Clean | None) -> _Files:
    shadow, kept = records.shadow, records.state.files.kept
    bounds = replace(records.bounds, apart=(*records.bounds.apart, folder))
    last = (kept[-1].checkpoint, kept[-1].tree) if kept else ("", "")
    taken = shadow.take(
        bounds, session=records.session, message="before a move", last=last, now=clock.now()
    )
    wanted = [each.checkpoint for each in kept if shadow.has(each.checkpoint)]
    wanted = [*dict.fromkeys([*wanted, taken.checkpoint])]
    packs = folder / "pack"
    packs.mkdir()
    writer = PackWriter(packs)

    def put(kind: Kind, sha: bytes, data: bytes) -> None:
        if sha not in writer:
            writer.add(kind, sha, data)

    cleaning = Cleaning(shadow.library, put, clean)
    with shadow.locked():
        names = {each: cleaning.commit(bytes.fromhex(each)).hex() for each in wanted}
    writer.finish()
    commits = [names[each] for each in wanted]
    bundle.written(folder / BUNDLE, packs / writer.name, commits)
    trees = {each.tree: cleaning.tree(bytes.fromhex(each.tree)).hex() for each in kept if each.tree}
    return _Files(
        names={**trees, **names},
        commits=commits,
        latest=names[taken.checkpoint],
        left={**dict(taken.left), **cleaning.stayed},
        redacted=tuple(sorted(cleaning.redacted)),
        unseen=tuple(sorted(cleaning.unseen)),
    )


def _blobs(
    home: Path, envelopes: Iterable[Envelope], folder: Path, clean: Clean | None
) -> tuple[dict[str, str], int]:
    """Writes whole outputs into the folder; gives their new names, and how many are lost."""
    (folder / "blobs").mkdir()
    there = Blobs(home)
    here: dict[str, str] = {}
    names = {each.data.blob for each in envelopes if isinstance(each.data, ToolResulted)} - {""}
    lost = 0
    for name in sorted(names):
        try:
            data = there.get(name)
        except BlobLost:
            lost += 1
            continue
        if clean is not None:
            text = data.decode("utf-8", "surrogateescape")
            data = whole(clean)(text).encode("utf-8", "surrogateescape")
        here[name] = digest(data)
        (folder / "blobs" / here[name]).write_bytes(data)
    return here, lost


def _renamed(envelope: Envelope, names: dict[str, str], blobs: dict[str, str]) -> Envelope:
    event: Event = envelope.data
    match event:
        case ToolResulted(blob=blob) if blob in blobs:
            event = replace(event, blob=blobs[blob])
        case CheckpointCreated(checkpoint=checkpoint, tree=tree):
            event = replace(
                event, checkpoint=names.get(checkpoint, checkpoint), tree=names.get(tree, tree)
            )
        case CheckpointRestored(checkpoint=checkpoint, start=start):
            event = replace(
                event, checkpoint=names.get(checkpoint, checkpoint), start=names.get(start, start)
            )
        case TurnUndone(start=start):
            event = replace(event, start=names.get(start, start))
        case _:
            return envelope
    return replace(envelope, data=event)
