"""git in a repository of the person's: what their own settings name runs, what the repository's name does not."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct, field, structs

from ouroboros.safety import spawn
from ouroboros.safety.capture import Capture
from ouroboros.safety.commands.git import HARDENED
from ouroboros.safety.guard import Guard
from ouroboros.workspace.worktrees.faults import NoRepository, WorkRefused

SECONDS = 60.0
"""How long a question to git may take."""

LONG_SECONDS = 900.0
"""How long files may be written or read."""

OUTPUT_BYTES = 64 * 1_048_576
_SAID = 1000
_SET = (
    *("advice.detachedHead=false", "core.editor=false"),
    *("core.quotePath=false", "gc.auto=0", "maintenance.auto=false", "merge.autoStash=false"),
    *("rerere.autoUpdate=false", "rerere.enabled=false", "submodule.recurse=false"),
    "worktree.guessRemote=false",
)
_LINK = "160000 "
_PROGRAMS = r"^(filter|merge)\..*\.(clean|smudge|process|driver)$"


class Ended(Struct, frozen=True, kw_only=True):
    """How a call of git ended."""

    code: int
    out: bytes
    said: str

    @property
    def text(self) -> str:
        """What it answered, without the last line end."""
        return os.fsdecode(self.out).removesuffix("\n")


class Git(Struct, frozen=True, kw_only=True):
    """git in one folder.

    Attributes:
        off: Options that keep it from running what the repository's own settings name.
        silenced: The names of those filters and merge drivers.
        guard: Ends it when we are killed, so that it does not work on behind whoever comes next.
    """

    folder: Path
    environment: Mapping[str, str]
    off: tuple[str, ...] = ()
    silenced: tuple[str, ...] = ()
    guard: Guard = field(default_factory=Guard)

    def at(self, folder: Path) -> "Git":
        """The same for another work tree of the repository."""
        return structs.replace(self, folder=folder)

    async def call(
        self,
        *words: str,
        stdin: bytes = b"",
        given: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Ended:
        """Runs ``git words``; one that ends badly is no error here.

        Args:
            words: What comes after ``git`` and its settings.
            stdin: What it reads.
            given: Variables for this call, also those that are taken from children otherwise.
            seconds: How long it may take.

        Raises:
            WorkRefused: It took too long, or said too much.
            NoRepository: There is no git, or no such folder.
        """
        prefix = shlex.split(HARDENED)
        at = prefix.index("git")
        assigned = [f"{name}={value}" for name, value in (given or {}).items()]
        settings = [word for each in _SET for word in ("-c", each)]
        command = [*prefix[:at], *assigned, *prefix[at:], *settings, *self.off, *words]
        capture, code = Capture(OUTPUT_BYTES), None
        try:
            await self.guard.on_duty()
            process = await spawn.start(
                command,
                cwd=self.folder,
                environment=self.environment,
                stdin=stdin,
                guard=self.guard,
            )
        except OSError as failed:
            raise NoRepository(
                f"git cannot be run in {str(self.folder)!r}: {failed.strerror}",
                hint="install git 2.38 or later" if self.folder.is_dir() else "",
            ) from failed
        try:
            with anyio.move_on_after(seconds):
                while (piece := await process.read()) is not None:
                    capture.add(piece.data, piece.stream)
                code = process.exit_code
        finally:
            await process.close()
        return self._ended(words[0], code, capture, seconds)

    def _ended(self, word: str, code: int | None, capture: Capture, seconds: float) -> Ended:
        if code is None:
            raise WorkRefused(
                f"git {word} took more than {seconds:.0f} s in {str(self.folder)!r}",
                hint="look whether the repository is on a slow disk, or a filter waits for a network",
            )
        out = capture.bytes_of("stdout")
        if len(out) >= OUTPUT_BYTES:
            raise WorkRefused(f"git {word} said more than {OUTPUT_BYTES:,} bytes")
        said = capture.bytes_of("stderr").decode("utf-8", "replace").strip()
        if code == 127 and "git" in said:
            raise NoRepository("git cannot be run: it is not on PATH", hint="install git")
        return Ended(code=code, out=out, said=said[:_SAID])

    async def ask(self, *words: str, seconds: float = SECONDS) -> str:
        """What git answers; raises ``WorkRefused`` where it fails."""
        ended = await self.call(*words, seconds=seconds)
        if ended.code:
            raise failed(self.folder, words, ended)
        return ended.text

    async def found(self, *words: str) -> str:
        """The same; empty where it fails."""
        ended = await self.call(*words)
        return "" if ended.code else ended.text

    async def holds(self, *words: str) -> bool:
        """Whether git says yes, by its exit code."""
        return not (await self.call(*words)).code

    async def names(self, *words: str) -> list[str]:
        """What it lists with ``-z``."""
        return [name for name in (await self.ask(*words, seconds=LONG_SECONDS)).split("\0") if name]

    async def refs(self, *changes: str) -> None:
        """Changes several refs at once, each as ``git update-ref --stdin`` takes it."""
        lines = "".join(f"{change}\n" for change in ("start", *changes, "prepare", "commit"))
        words = ("update-ref", "--stdin")
        ended = await self.call(*words, stdin=os.fsencode(lines))
        if ended.code:
            raise failed(self.folder, words, ended)


def failed(folder: Path, words: Sequence[str], ended: Ended) -> WorkRefused:
    """Why git did not do it, with what to do about a lock that a killed git left."""
    said = ended.said or ended.text[:_SAID] or f"it ended with {ended.code}"
    lines = [line for line in said.splitlines() if not line.startswith(("hint:", "warning:"))]
    shown = " ".join(line.strip() for line in lines[:4])
    hint = ""
    if ".lock'" in said and "File exists" in said:
        hint = "when no git is running there, remove that file; then do the same again"
    elif "already checked out at" in said or "already used by worktree" in said:
        hint = "take another branch there with `git switch`, then do the same again"
    elif "promisor" in said:
        hint = "this clone is partial: bring those files here first, by a checkout of your own"
    elif "No space left" in said or "disk quota" in said.lower():
        hint = "make room on the disk, then do the same again"
    return WorkRefused(f"git {words[0]} failed in {str(folder)!r}: {shown}", hint=hint)


async def silenced(git: Git) -> Git:
    """The same git, which runs no filter and no merge driver that the repository itself names.

    Those of the person's own settings run, as they do for every git of theirs: large files need it.
    """
    words = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", _PROGRAMS)
    parts = (await git.found(*words)).split("\0")
    named = zip(parts[::2], parts[1::2], strict=False)
    own = sorted({key.rpartition(".")[0] for scope, key in named if scope in {"local", "worktree"}})
    if odd := [name for name in own if "=" in name]:
        raise WorkRefused(
            f"{str(git.folder)!r} names a program as {odd[0]!r}, which git cannot be told not to run",
            hint="look into .git/config and take it out",
        )
    off: list[str] = []
    for name in own:
        ways = ("clean=", "smudge=", "process=", "required=false")
        for way in ways if name.startswith("filter.") else ("driver=false",):
            off += ["-c", f"{name}.{way}"]
    return structs.replace(git, off=tuple(off), silenced=tuple(own))


async def within(git: Git) -> list[Git]:
    """The repositories that a work tree holds as commits of theirs, silenced for themselves."""
    listed = await git.names("ls-files", "--stage", "-z")
    paths = [line.partition("\t")[2] for line in listed if line.startswith(_LINK)]
    return [
        await silenced(structs.replace(git, folder=folder, off=(), silenced=()))
        for folder in [git.folder / path for path in paths]
        if await to_thread.run_sync((folder / ".git").exists)
    ]


async def silenced_within(git: Git) -> Git:
    """The same git, which also runs no filter that a repository within it names: staging asks them."""
    off = dict.fromkeys(zip(git.off[::2], git.off[1::2], strict=True))
    for inner in await within(git):
        below = await silenced_within(inner)
        off |= dict.fromkeys(zip(below.off[::2], below.off[1::2], strict=True))
    return structs.replace(git, off=tuple(word for pair in off for word in pair))
