"""The workspaces that a session visits besides its own: what each sets for itself, read anew."""

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.context.briefing import Visit
from ouroboros.agent.context.instructions import Instructions, gather
from ouroboros.app.config.trust import project_folder
from ouroboros.app.permission import policies
from ouroboros.core.errors import ConfigBroken
from ouroboros.core.state import State
from ouroboros.safety.rules.regions import Region


class Workspace(Struct, frozen=True, kw_only=True):
    """One of them.

    Attributes:
        region: What the rules make of it.
        hidden: What commands may not read.
        is_read_only: Commands write nothing in it.
        instructions: Its instruction files, without the person's own.
        warnings: What the person should know of it.
    """

    region: Region
    hidden: tuple[Path, ...] = ()
    is_read_only: bool = False
    instructions: Instructions = Instructions()
    warnings: tuple[str, ...] = ()


class Visited:
    """Those of one session, by the folders that its state names."""

    def __init__(self, state: State, *, home: Path, cwd: Path, instruction_bytes: int) -> None:
        """Reads nothing yet: until it is read, nothing is changed in a workspace."""
        self._state, self._home, self._cwd = state, home, cwd
        self._bytes = instruction_bytes
        self._known: dict[str, Workspace] = {}
        self._said: set[str] = set()

    def regions(self) -> tuple[Region, ...]:
        """What the rules make of each."""
        return tuple(self._of(path).region for path in self._state.visited)

    def hidden(self) -> tuple[Path, ...]:
        """What commands may not read in any of them."""
        return tuple(each for path in self._state.visited for each in self._of(path).hidden)

    def kept(self) -> tuple[Path, ...]:
        """Where commands write nothing; never what the session's own workspace lies in."""
        found = (self._of(path) for path in self._state.visited)
        roots = (each.region.root for each in found if each.is_read_only)
        return tuple(root for root in roots if not self._cwd.is_relative_to(root))

    def told(self) -> tuple[Visit, ...]:
        """What the model is to know of each."""
        found = ((Path(path), self._of(path).instructions) for path in self._state.visited)
        return tuple(Visit(folder=folder, instructions=each) for folder, each in found)

    def read(self) -> list[str]:
        """Reads all of them anew; gives what the person should know and was not told; blocks."""
        said: list[str] = []
        for path in tuple(self._state.visited):
            try:
                found = self.look(path)
            except (ConfigBroken, OSError) as broken:
                kept = "what held stays" if path in self._known else "nothing is changed there"
                said.append(f"what {path} sets for itself cannot be read, so {kept}: {broken}")
                continue
            self.put(path, found)
            said += [*found.warnings, *found.instructions.warnings]
        return self.news(said)

    def news(self, lines: Iterable[str]) -> list[str]:
        """Those that were not said yet."""
        fresh = [line for line in dict.fromkeys(lines) if line not in self._said]
        self._said.update(fresh)
        return fresh

    def put(self, path: str, found: Workspace) -> None:
        """From now on this holds there."""
        had = self._known.get(path)
        if had is not None and had.region == found.region:  # its rules are compiled already
            found = replace(found, region=had.region)
        self._known[path] = found

    def look(self, path: str) -> Workspace:
        """What one sets for itself; blocks.

        Raises:
            ConfigBroken: A file of it that is trusted cannot be understood.
        """
        from ouroboros.app.config.visited import settings_of

        root = Path(os.path.realpath(path))
        own = settings_of(root, self._home)
        policy, said = policies.joined(policies.sources(self._home, root))
        places = dict.fromkeys((own.project, root))  # a work tree is configured by its project
        hidden = (Path(os.path.realpath(at / name)) for at in places for name in own.hide)
        is_mine = own.project == project_folder(self._cwd, self._home)
        return Workspace(
            region=Region(root=root, rules=own.rules, mode=own.mode or "full-auto", policy=policy),
            hidden=tuple(each for each in hidden if root in each.parents),
            is_read_only=own.sandbox == "read-only",
            instructions=Instructions()
            if is_mine
            else gather(root, self._home, self._bytes, personal=False),
            warnings=(*own.warnings, *said),
        )

    def _of(self, path: str) -> Workspace:
        found = self._known.get(path)
        return found or Workspace(region=Region(root=Path(path), mode="plan"))
