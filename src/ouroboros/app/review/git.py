"""git, asked what changed, so that nothing that a repository names is run."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.safety import spawn
from ouroboros.safety.commands.git import HARDENED
from ouroboros.safety.environment import apart
from ouroboros.safety.guard import Guard

SECONDS = 60.0
"""How long one question may take."""

OUTPUT_BYTES = 32 * 1_048_576
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_DIFF = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "-M"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--unified=8", "--no-indent-heuristic"),
)


class Git:
    """One repository."""

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str],
        filters: tuple[str, ...],
        guard: Guard,
    ) -> None:
        """Made by ``at``."""
        self.root, self._environment, self._filters = root, environment, filters
        self._guard = guard

    async def commit(self, name: str) -> str:
        """The whole name of a commit; raises ``Misuse`` where there is none of that name."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        found = (await self.ask(*words, may_fail=True)).strip()
        if not found:
            raise Misuse(
                f"{name!r} names no commit of {str(self.root)!r}",
                hint="`git branch --all` and `git log` list some; fetch it if it is elsewhere",
            )
        return found

    async def head(self) -> str:
        """The commit that is checked out, or the empty tree where there is none yet."""
        words = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return (await self.ask(*words, may_fail=True)).strip() or _EMPTY_TREE

    async def merge_base(self, head: str, other: str) -> str:
        """Where two lines of work parted; empty where they have nothing in common."""
        return (await self.ask("merge-base", head, other, may_fail=True)).strip()

    async def before(self, commit: str) -> str:
        """The first parent of a commit, or the empty tree."""
        words = ("rev-parse", "--verify", "--quiet", f"{commit}^1^{{commit}}")
        return (await self.ask(*words, may_fail=True)).strip() or _EMPTY_TREE

    async def subject(self, commit: str) -> str:
        """The first line of a commit's message."""
        return (await self.ask("log", "-1", "--no-show-signature", "--format=%s", commit)).strip()

    async def diff(self, *between: str) -> str:
        """From one commit to another, or to the files as they are."""
        return await self.ask("diff", *_DIFF, *between, "--")

    async def untracked(self) -> list[str]:
        """Files that git does not know and does not ignore, relative to the root."""
        listed = await self.ask("ls-files", "--others", "--exclude-standard", "-z", "--full-name")
        return [name for name in listed.split("\0") if name]

    async def ask(self, *words: str, may_fail: bool = False) -> str:
        """What git answers; empty where it may fail and does.

        Raises:
            Misuse: git failed, took too long or said too much.
        """
        given = (*self._filters, *words)
        ended = await _run(self.root, self._environment, given, self._guard)
        if ended.timed_out:
            raise Misuse(
                f"git {words[0]} took more than {SECONDS:.0f} s in {str(self.root)!r}",
                hint="look whether the repository is on a slow disk",
            )
        if ended.exit_code and not may_fail:
            said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise Misuse(f"git {words[0]} failed in {str(self.root)!r}: {said[:300]}")
        if len(ended.stdout) >= OUTPUT_BYTES:
            raise too_large()
        return "" if ended.exit_code else ended.stdout.decode("utf-8", "replace")


def too_large() -> Misuse:
    """Why more than ``OUTPUT_BYTES`` are not read."""
    return Misuse(
        f"the change is larger than {OUTPUT_BYTES:,} bytes",
        hint="review it commit by commit with --commit; git can ignore what nobody is to read",
    )


async def at(cwd: Path, environment: Mapping[str, str]) -> Git:
    """The repository that a folder lies in.

    Raises:
        Misuse: There is none, git cannot be used, or it would run what the repository names.
    """
    guard = Guard()
    environment = await to_thread.run_sync(apart, environment, cwd)
    try:
        await guard.on_duty()
        ended = await _run(cwd, environment, ("rev-parse", "--show-toplevel"), guard)
    except OSError as missing:
        raise Misuse(f"git cannot be used: {missing}", hint="install git") from missing
    root = ended.stdout.decode("utf-8", "replace").removesuffix("\n")
    if ended.exit_code or not root:
        said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise Misuse(
            f"{str(cwd)!r} is not in the work tree of a git repository: {said[:200]}",
            hint="a review in words needs none: ouro review 'look at src/a.py'",
        )
    found = Git(Path(root), environment, (), guard)
    return Git(Path(root), environment, await _filters_off(found), guard)


async def _filters_off(git: Git) -> tuple[str, ...]:
    """Options that keep git from running what its configuration calls filters."""
    listed = await git.ask("config", "--name-only", "-z", "--get-regexp", "^filter", may_fail=True)
    names = {name.rpartition(".")[0] for name in listed.split("\0") if name.count(".") >= 2}
    if odd := [name for name in sorted(names) if "=" in name]:
        raise Misuse(
            f"{str(git.root)!r} names a program as {odd[0]!r}, which git cannot be told not to run",
            hint="look into .git/config and take the filter out",
        )
    off = ("clean=", "smudge=", "process=", "required=false")
    return tuple(word for name in sorted(names) for key in off for word in ("-c", f"{name}.{key}"))


async def _run(
    cwd: Path, environment: Mapping[str, str], words: tuple[str, ...], guard: Guard
) -> spawn.Finished:
    return await spawn.run(
        (*shlex.split(HARDENED), *words),
        cwd=cwd,
        environment=environment,
        timeout_seconds=SECONDS,
        limit=OUTPUT_BYTES,
        guard=guard,
    )
