"""The repositories that are here: below the home, and folders of the person's own that were named."""

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.workspace.repos.address import checked_name
from ouroboros.workspace.repos.faults import RepoFailed, RepoUnknown

_RECORD = "ouroboros.json"

MARK = ".git/ouroboros.part.json"
"""In a folder that is unfinished: what is in it may be gone on with."""


class Repo(Struct, frozen=True, kw_only=True):
    """One that is here.

    Attributes:
        label: As the person called it.
        url: Where it is from; empty for a folder of the person's own.
        ref: The branch or tag that was chosen; empty for a commit.
        commit: What was written then.
        files: How many names it had then, and how many ``bytes`` they took.
        added: Seconds since the epoch.
        is_own: A folder of the person's own: it is never changed or removed by us.
        submodules: Other repositories within, which were not loaded.
    """

    name: str
    path: str
    label: str
    url: str = ""
    ref: str = ""
    commit: str = ""
    files: int = 0
    bytes: int = 0
    added: float = 0.0
    is_own: bool = False
    submodules: tuple[str, ...] = ()


class Shelf:
    """The folder ``repos`` of a home; every method blocks."""

    def __init__(self, home: Path) -> None:
        """Creates nothing."""
        self.folder = home / "repos"

    def all(self) -> list[Repo]:
        """By name; what cannot be read is left out."""
        if not self.folder.is_dir():
            return []
        names = {path.name.removesuffix(".json") for path in self.folder.iterdir()}
        found = (self._read(name) for name in sorted(names) if not name.startswith("."))
        return [repo for repo in found if repo is not None]

    def find(self, name: str) -> Repo:
        """The one of this name or label.

        Raises:
            RepoUnknown: None or several are called so.
        """
        repos = self.all()
        found = [repo for repo in repos if repo.name == name]
        found = found or [repo for repo in repos if name in {repo.label, repo.url, repo.path}]
        if len(found) == 1:
            return found[0]
        from difflib import get_close_matches

        near = get_close_matches(name, [repo.name for repo in repos], n=1, cutoff=0.4)
        meant = f"did you mean {near[0]}?" if near else "`ouro repo list` shows what there is"
        if found:
            meant = "say which: " + ", ".join(repo.name for repo in found)
        raise RepoUnknown(f"no repository {name[:80]!r} was loaded", hint=meant)

    def place(self, name: str) -> Path:
        """Where one of this name would be; raises ``Misuse`` for a name or a place that is taken."""
        path = self.folder / checked_name(name)
        if path.exists() or path.is_symlink() or self._link(name).exists():
            raise Misuse(
                f"{name} is here already",
                hint=f"`ouro repo update {name}`, or --into ANOTHER for a second one",
            )
        return path

    @contextmanager
    def locked(self, name: str) -> Generator[Path]:
        """Nobody else works on this name; gives a folder for what is unfinished.

        It is removed at the end unless it is marked, and so is what a killed process left there.

        Raises:
            RepoFailed: Another process works on it, or nothing can be written.
        """
        parts = self.folder / ".part"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            parts.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(
                self.folder / f".{checked_name(name)}.lock",
                os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW,
                0o600,
            )
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise RepoFailed(f"{str(self.folder)!r} cannot be used: {why}") from failed
        part = parts / name
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as held:
                raise RepoFailed(
                    f"another process works on {name}", hint="wait for it, or stop it"
                ) from held
            _clear(part)
            try:
                yield part
            finally:
                _clear(part)
        finally:
            os.close(descriptor)

    def put(self, part: Path, repo: Repo) -> None:
        """Makes what is finished one of the shelf, all at once."""
        keep(part / ".git" / _RECORD, repo)
        part.rename(repo.path)

    def note(self, repo: Repo) -> None:
        """Writes down what is known of one now."""
        if repo.is_own:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            keep(self._link(repo.name), repo)
        else:
            keep(Path(repo.path) / ".git" / _RECORD, repo)

    def remove(self, repo: Repo) -> None:
        """Forgets one; what lies below the home is deleted, a folder of the person's own is not."""
        if repo.is_own:
            self._link(repo.name).unlink(missing_ok=True)
            return
        with self.locked(repo.name) as part:
            Path(repo.path).rename(part)

    def _link(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _read(self, name: str) -> Repo | None:
        for record in (self.folder / name / ".git" / _RECORD, self._link(name)):
            try:
                repo = msgspec.json.decode(record.read_bytes(), type=Repo)
            except (OSError, msgspec.DecodeError):
                continue
            if repo.is_own:
                return repo if record == self._link(name) else None
            return msgspec.structs.replace(repo, name=name, path=str(self.folder / name))
        return None


def keep(path: Path, repo: Repo) -> None:
    """Writes a record; after a crash it is the old one or the new one."""
    unfinished = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        unfinished.write_bytes(msgspec.json.encode(repo))
        unfinished.chmod(0o600)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _clear(part: Path) -> None:
    if not (part / MARK).is_file():
        discard(part)


def discard(folder: Path) -> None:
    """Removes a folder with all that is in it, also what may not be written."""
    if not folder.is_symlink() and folder.is_dir():
        for root, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(root).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
