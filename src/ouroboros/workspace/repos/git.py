"""Runs git for repositories from elsewhere: no hooks, no templates, no questions, within bounds."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.safety.guard import Guard
from ouroboros.safety.spawn import spawn
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused
from ouroboros.workspace.repos.progress import Lines, Progress, read_line
from ouroboros.workspace.repos.refusals import explained

LOOK_SECONDS = 0.25
"""How often the disk is looked at while something arrives."""

MOST_SAID = 200
"""Lines of git's words that are kept."""

MOST_LISTED = 134_217_728
"""Bytes of a list of names."""

_IGNORED_ODDITIES = (
    *("badTimezone", "zeroPaddedFilemode", "missingSpaceBeforeDate", "missingEmail"),
    *("missingNameBeforeEmail", "missingSpaceBeforeEmail", "badDate", "zeroPaddedDate"),
    *("badEmail", "badName", "missingTaggerEntry", "nullSha1"),
)
"""Faults of old programs in what people have long published; none of them is about a place."""

_SET = {
    "advice.detachedHead": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
    "transfer.bundleURI": "false",
    "transfer.credentialsInUrl": "die",
    **{f"fetch.fsck.{each}": "ignore" for each in _IGNORED_ODDITIES},
}

type Tell = Callable[[Progress], None]


class Said(Struct, frozen=True, kw_only=True):
    """How a call of git ended, and what it said."""

    exit_code: int
    out: bytes = b""
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What it complained of."""
        return "\n".join(self.lines)


class Git:
    """Git in one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        environment: Mapping[str, str],
        bounds: Bounds,
        scheme: str = "",
        tell: Tell | None = None,
    ) -> None:
        """``scheme`` is how the other side may be talked to; ``tell`` hears how far it is."""
        self.folder = folder
        self._environment = _quiet(environment, scheme)
        self._bounds, self._tell = bounds, tell
        self._guard = Guard()  # what arrives from a slow host would go on without us for long

    async def call(self, *words: str, trace: bool = False, watch: bool = False) -> Said:
        """Runs ``git words``; one that ends badly is no error here.

        Args:
            words: What comes after ``git`` and its settings.
            trace: Say what the server answers, without its content.
            watch: Stop it when what git keeps in the folder grows beyond the bounds.

        Raises:
            RepoFailed: There is no git, or nothing came for too long.
            RepoRefused: There is more than the bounds allow.
        """
        idle = max(1, int(self._bounds.idle_seconds))
        settings = {**_SET, "http.lowSpeedTime": str(idle)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        environment = self._environment
        if trace:
            environment = {**environment, "GIT_TRACE_CURL": "1", "GIT_TRACE_CURL_NO_DATA": "1"}
        ending: list[str] = []
        said: list[Said] = []
        async with anyio.create_task_group() as tasks:
            if watch:
                tasks.start_soon(self._watch, ending, tasks.cancel_scope)
            said.append(await self._run(("git", *options, *words), environment, ending))
            tasks.cancel_scope.cancel()
        if watch and not ending and await self._is_large():  # it came too quickly to be seen
            ending.append("large")
        if ending == ["large"]:
            raise RepoRefused(
                f"it is larger than {_size(self._bounds.bytes)}",
                hint="repos.max_bytes is the bound; --depth 1 takes the latest commit alone",
            )
        if ending == ["idle"] or not said:
            raise RepoFailed(
                f"nothing came for {self._bounds.idle_seconds:g} s",
                hint="try again, or give it more time: repos.idle_timeout",
            )
        return said[0]

    async def must(self, *words: str, watch: bool = False) -> Said:
        """The same; one that ends badly is told in plain words."""
        said = await self.call(*words, watch=watch)
        if said.exit_code:
            raise explained(said.text)
        return said

    async def _run(
        self, command: tuple[str, ...], environment: Mapping[str, str], ending: list[str]
    ) -> Said:
        lines, kept, out = Lines(), list[str](), bytearray()
        code: int | None = None
        try:
            await self._guard.on_duty()
            async with spawn(
                command, cwd=self.folder, environment=environment, guard=self._guard
            ) as process:
                while True:
                    piece = None
                    with anyio.move_on_after(self._bounds.idle_seconds) as idle:
                        piece = await process.read()
                    if idle.cancelled_caught:
                        ending.append("idle")
                        break
                    if piece is None:
                        code = process.exit_code
                        break
                    if piece.stream == "stdout":
                        out += piece.data[: MOST_LISTED - len(out)]
                    else:
                        self._hear(lines.feed(piece.data), kept)
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise RepoFailed(
                f"git cannot be run: {why}", hint="install git 2.30 or later"
            ) from failed
        self._hear(lines.end(), kept)
        return Said(exit_code=124 if code is None else code, out=bytes(out), lines=tuple(kept))

    def _hear(self, lines: list[str], kept: list[str]) -> None:
        for line in lines:
            progress = read_line(line)
            if progress is None:
                kept.append(line)
                del kept[: len(kept) - MOST_SAID]
            elif self._tell is not None:
                self._tell(progress)

    async def _is_large(self) -> bool:
        return await to_thread.run_sync(size_of, self.folder / ".git") > self._bounds.bytes

    async def _watch(self, ending: list[str], scope: anyio.CancelScope) -> None:
        while True:
            await anyio.sleep(LOOK_SECONDS)
            if await self._is_large():
                ending.append("large")
                scope.cancel()
                return


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder; what goes away meanwhile counts nothing."""
    total, waiting = 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


def _size(count: int) -> str:
    return f"{count / 1_048_576:,.0f} MiB" if count >= 1_048_576 else f"{count:,} bytes"


def _quiet(environment: Mapping[str, str], scheme: str) -> dict[str, str]:
    """The person's own, so that their keys and proxies count; nobody is asked for anything."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_TRACE") and name != "GIT_CURL_VERBOSE"
    }
    return kept | {
        "GCM_INTERACTIVE": "never",
        "GIT_ALLOW_PROTOCOL": "file" if scheme in {"", "file"} else "https:http:ssh:git",
        "GIT_ASKPASS": "",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
    }
