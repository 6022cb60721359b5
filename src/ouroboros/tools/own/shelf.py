"""The folders that tools lie in, looked at anew whenever somebody looks for a tool."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ouroboros.core.errors import Misuse, ToolFailed
from ouroboros.tools.own.approvals import is_approved
from ouroboros.tools.own.manifest import CODE, MANIFEST
from ouroboros.tools.own.tool import OwnTool, Reading, Written, read
from ouroboros.tools.registry import Registry

_MOST = 200

type Signature = dict[Path, tuple[tuple[int, int], ...]]


class Shelf:
    """Keeps a registry's own tools as the folders hold them."""

    def __init__(
        self,
        *,
        home: Path,
        project: Path | None,
        tree: Path | None = None,
        reading: Callable[[], Reading | None] = lambda: None,
    ) -> None:
        """Looks at nothing yet.

        Args:
            home: Where our own things are; tools there need no approval.
            project: The folder whose ``.ouroboros/tools`` need one.
            tree: The same in a work tree of the project; what is there goes before the project's.
            reading: Where this machine has a cage in which nothing can be written.
        """
        self.home, self.project, self.tree = home, project, tree
        self._reading = reading
        self._seen: Signature = {}
        self._names: dict[Path, str] = {}
        self.problems: dict[Path, str] = {}

    def folder_of(self, name: str) -> Path:
        """Where a new tool of this name goes: into the work tree, else the project, where there is one."""
        around = self.tree or self.project
        base = self.home if around is None else around / ".ouroboros"
        return base / "tools" / name

    def look(self, registry: Registry) -> None:
        """Registers what is new, replaces what changed, takes out what is gone; blocks."""
        now = dict(self._folders())
        if now == self._seen:
            return
        for folder in [*self._seen]:
            if now.get(folder) != self._seen[folder]:
                self._drop(folder, registry)
        for folder in now:
            if now[folder] != self._seen.get(folder):
                self._take(folder, registry)
        self._seen = now

    def found(self) -> Iterator[Written]:
        """Every tool that can be read, approved or not; blocks."""
        for folder, _ in self._folders():
            try:
                yield read(folder)
            except ToolFailed:
                continue

    def needs_approval(self, written: Written) -> bool:
        """Whether the person has yet to see it."""
        is_own = written.folder.is_relative_to(self.home / "tools")
        return not is_own and not is_approved(self.home, written.hash)

    def forget(self, folder: Path) -> None:
        """Looks at this folder again, though nothing in it seems to have changed."""
        self._seen.pop(folder, None)

    def _take(self, folder: Path, registry: Registry) -> None:
        try:
            written = read(folder)
            if self.needs_approval(written):
                name = written.manifest.name
                raise ToolFailed(f"{folder}: not approved; see it with `ouro tools approve {name}`")
            registry.register(OwnTool(written, self._reading()), quietly=True)
            self._names[folder] = written.manifest.name
        except (ToolFailed, Misuse) as problem:
            self.problems[folder] = problem.message

    def _drop(self, folder: Path, registry: Registry) -> None:
        self.problems.pop(folder, None)
        name = self._names.pop(folder, "")
        if name:
            registry.take_out(name, quietly=True)

    def _folders(self) -> Iterator[tuple[Path, tuple[tuple[int, int], ...]]]:
        yield from _signed(self.home / "tools")
        around = [place / ".ouroboros" / "tools" for place in (self.project, self.tree) if place]
        # One of the work tree is another version of the project's.
        found = (each for place in around for each in _signed(place))
        yield from {each[0].name: each for each in found}.values()


def _signed(place: Path) -> Iterator[tuple[Path, tuple[tuple[int, int], ...]]]:
    try:
        names = sorted(entry.name for entry in place.iterdir())[:_MOST]
    except OSError:
        return
    for name in names:
        signature = _signature(place / name)
        if signature:
            yield place / name, signature


def _signature(folder: Path) -> tuple[tuple[int, int], ...]:
    """Size and time of both files; empty for what is no folder of a tool."""
    try:
        found = [(folder / name).stat() for name in (MANIFEST, CODE)]
    except OSError:
        return ()
    return tuple((stat.st_size, stat.st_mtime_ns) for stat in found)
