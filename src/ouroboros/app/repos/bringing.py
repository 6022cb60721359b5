"""Brings repositories here, by the settings and with the person's own git."""

import os
from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.errors import Misuse
from ouroboros.safety.environment import apart
from ouroboros.workspace.repos.address import read_address
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.git import Tell
from ouroboros.workspace.repos.loading import Loader, Wish, registered
from ouroboros.workspace.repos.shelf import Repo, Shelf


class Asked(Struct, frozen=True, kw_only=True):
    """What a person asks for: ``source`` as they wrote it, ``depth`` None as the settings have it."""

    source: str
    ref: str = ""
    into: str = ""
    depth: int | None = None


class Repos:
    """The repositories of one home."""

    def __init__(
        self,
        settings: Settings,
        *,
        home: Path,
        cwd: Path,
        environment: Mapping[str, str],
        clock: Clock | None = None,
    ) -> None:
        """``environment`` is the person's: their proxies, keys and helpers count."""
        self._settings, self._cwd, self._environment = settings.repos, cwd, environment
        self._clock = clock or SystemClock()
        self.shelf = Shelf(home)

    async def add(self, asked: Asked, tell: Tell | None = None) -> Repo:
        """Loads a repository, or notes a folder of the person's own.

        Raises:
            Misuse: The words name none, or its name is taken.
            RepoFailed: It cannot be had; nothing of it is left.
        """
        address = read_address(asked.source, base=self._settings.host)
        if address.kind == "folder":
            if asked.ref or asked.depth is not None:
                raise Misuse("a folder stays as it is: --ref and --depth are for loading")
            folder = self._cwd / _expanded(asked.source.strip(), self._environment)
            return await to_thread.run_sync(registered, self.shelf, folder, asked.into, self._clock)
        loader = await to_thread.run_sync(self._loader, asked.depth, tell)
        return await loader.load(Wish(address=address, ref=asked.ref, name=asked.into))

    @property
    def tree_tokens(self) -> int:
        """What a model is told of the files of one."""
        return self._settings.tree_tokens

    async def found(self, asked: Asked) -> Repo | None:
        """The one that is here already, by its name or as it was called; None for what is not.

        One that is wanted at another ref, or by another name, is not here.
        """
        if asked.into or asked.ref or asked.depth is not None:
            return None
        repos = await to_thread.run_sync(self.shelf.all)
        written = asked.source.strip()
        folder = self._cwd / _expanded(written, self._environment)
        path = await to_thread.run_sync(os.path.realpath, folder)
        for repo in repos:
            if written in {repo.name, repo.label, repo.url} or repo.path in {written, path}:
                return repo
        return None

    async def update(self, name: str, tell: Tell | None = None) -> Repo:
        """Brings one up to date; raises as ``add``."""
        repo = await to_thread.run_sync(self.shelf.find, name)
        loader = await to_thread.run_sync(self._loader, None, tell)
        return await loader.update(repo)

    async def unsaved(self, repo: Repo) -> str:
        """What would be lost if it were removed, in words; empty where nothing would."""
        if repo.is_own:
            return ""
        loader = await to_thread.run_sync(self._loader, None, None)
        return await loader.unsaved(repo)

    def _loader(self, depth: int | None, tell: Tell | None) -> Loader:
        wanted = self._settings
        bounds = Bounds(
            bytes=wanted.max_bytes,
            files=wanted.max_files,
            depth=wanted.depth if depth is None else depth,
            idle_seconds=wanted.idle_timeout,
            seconds=wanted.timeout,
        )
        return Loader(
            self.shelf,
            environment=apart(self._environment, self._cwd),
            bounds=bounds,
            clock=self._clock,
            tell=tell,
        )


def _expanded(written: str, environment: Mapping[str, str]) -> str:
    person = environment.get("HOME", "")
    return person + written[1:] if written == "~" or written.startswith("~/") else written
