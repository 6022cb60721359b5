"""Brings a repository here, whole or not at all."""

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse
from ouroboros.workspace.repos import refs, steps
from ouroboros.workspace.repos.address import Address, checked_name, moved
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused
from ouroboros.workspace.repos.git import Git, Said, Tell
from ouroboros.workspace.repos.progress import Progress
from ouroboros.workspace.repos.refs import Ref
from ouroboros.workspace.repos.refusals import explained
from ouroboros.workspace.repos.shelf import MARK, Repo, Shelf, discard
from ouroboros.workspace.repos.steps import Mark
from ouroboros.workspace.repos.survey import Survey, check_links, survey

MOST_HOPS = 5
"""Times that a server may send us on."""


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be loaded; ``name`` in the place of the usual one."""

    address: Address
    ref: str = ""
    name: str = ""


class Loader:
    """Loads into one shelf."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        environment: Mapping[str, str],
        bounds: Bounds,
        clock: Clock,
        tell: Tell | None = None,
    ) -> None:
        """``environment`` is the person's: their proxies, keys and helpers count; ``tell`` hears how far it is."""
        self._shelf, self._environment, self._bounds = shelf, environment, bounds
        self._clock, self._tell = clock, tell or _nobody

    async def load(self, wish: Wish) -> Repo:
        """Loads it; after any failure, and after a cancel, nothing of it is on the shelf.

        Steps of its history that arrived whole before the connection, the time or the process ended
        are kept aside, and the next try goes on after them.

        Raises:
            Misuse: The name is taken, or the server sends us elsewhere.
            RepoFailed: It cannot be had; the message says why.
        """
        name = checked_name(wish.name or wish.address.name)
        wanted = refs.checked_ref(wish.ref)
        final = await to_thread.run_sync(self._shelf.place, name)
        await to_thread.run_sync(steps.sweep, self._shelf, self._clock.now())

        async def work(part: Path) -> Repo:
            repo = await self._fetched(wish, wanted, part, final)
            await to_thread.run_sync(self._shelf.put, part, repo)
            self._tell(Progress(stage="done", percent=100))
            return repo

        return await self._alone(name, work)

    async def _alone(self, name: str, work: Callable[[Path], Awaitable[Repo]]) -> Repo:
        """Does something with this name, in the time there is, while nobody else may."""
        entered = self._shelf.locked(name)
        part = await to_thread.run_sync(entered.__enter__)
        is_kept = False
        try:
            with anyio.move_on_after(self._bounds.seconds):
                return await work(part)
            raise RepoFailed(
                f"it took longer than {self._bounds.seconds:g} s",
                hint="give it more time: repos.timeout",
            )
        except RepoFailed as failed:
            is_kept = steps.is_kept(failed)
            if not is_kept or not await to_thread.run_sync((part / MARK).is_file):
                raise
            on = "what arrived is kept: the same again goes on after it"
            hint = f"{failed.hint}; {on}" if failed.hint else on
            raise RepoFailed(failed.message, hint=hint) from failed
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise RepoFailed(f"{name} cannot be written: {why}") from failed
        finally:
            with anyio.CancelScope(shield=True):
                if not is_kept:
                    await to_thread.run_sync(steps.forget, part)
                await to_thread.run_sync(entered.__exit__, None, None, None)

    async def _fetched(self, wish: Wish, wanted: str, part: Path, final: Path) -> Repo:
        mark = Mark(url=wish.address.url, ref=wanted, depth=self._bounds.depth)
        had = await to_thread.run_sync(steps.begun, part, mark)
        git = self._git(part, wish.address.scheme)
        self._tell(Progress(stage="asking"))
        if (
            had is not None
            and (
                await git.call("rev-list", "--objects", "--quiet", "--all", "--progress=checking")
            ).exit_code
        ):
            await to_thread.run_sync(discard, part)
            had = None
        if had is None:
            await to_thread.run_sync(part.mkdir, 0o700)
            await git.must("init", "-q", "--template=", "--initial-branch=main", ".")
        address, listed = await self._asked(git, wish.address, wanted)
        ref = refs.chosen(wanted, listed)
        if ref is None:
            everything = await git.must("ls-remote", "--heads", "--tags", "--", address.url)
            raise refs.unknown(wanted, everything.out)
        if ref.kind == "nothing":
            raise RepoFailed("it is empty: it has no commit yet")
        await git.must("config", "remote.origin.url", address.url)
        await git.must("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        commit = await self._received(git, ref, had or mark)
        try:
            found = await self._written(git, ref, commit)
        except RepoFailed:
            await to_thread.run_sync(steps.forget, part)
            raise
        await to_thread.run_sync(steps.forget, part)
        return Repo(
            name=final.name,
            path=str(final),
            label=address.label,
            url=address.url,
            ref="" if ref.kind == "commit" else ref.name,
            commit=commit,
            files=found.files,
            bytes=found.bytes,
            added=self._clock.now(),
            submodules=found.submodules[:100],
        )

    def _git(self, folder: Path, scheme: str) -> Git:
        return Git(
            folder,
            environment=self._environment,
            bounds=self._bounds,
            scheme=scheme,
            tell=self._tell,
        )

    async def _asked(self, git: Git, address: Address, wanted: str) -> tuple[Address, bytes]:
        """What the server has; where it sends us on on the same host, from there."""
        for _ in range(MOST_HOPS):
            words = ("ls-remote", "--symref", "--", address.url, *refs.patterns(wanted))
            said = await git.call(*words)
            if said.exit_code == 0:
                return address, said.out
            if "returned error: 30" not in said.text:
                raise explained(said.text)
            traced = await git.call(*words, trace=True)
            location = _location(traced)
            if not location:
                raise explained(said.text)
            address = moved(address, location)
        raise RepoFailed(f"{address.host} sends us on and on")

    async def _received(self, git: Git, ref: Ref, mark: Mark) -> str:
        """Brings the history; the commit that is meant."""
        match ref.kind:
            case "branch":
                spec = f"+refs/heads/{ref.name}:refs/remotes/origin/{ref.name}"
                await self._fetch(git, spec, mark)
                return await _commit(git, f"refs/remotes/origin/{ref.name}")
            case "tag":
                await self._fetch(git, f"+refs/tags/{ref.name}:refs/tags/{ref.name}", mark)
                return await _commit(git, f"refs/tags/{ref.name}")
            case _:
                if ref.is_whole:
                    try:
                        await self._fetch(git, f"+{ref.name}:refs/ouroboros/loaded", mark)
                        return await _commit(git, ref.name)
                    except RepoFailed as refused:
                        if not _is_only_refused(refused):
                            raise
                # The server gives out no single commits: it is among all that it has.
                await git.must(
                    *_fetching(0),
                    "+refs/heads/*:refs/remotes/origin/*",
                    "+refs/tags/*:refs/tags/*",
                    watch=True,
                )
                try:
                    return await _commit(git, ref.name)
                except RepoFailed:
                    raise RepoFailed(f"it has no commit {ref.name} on a branch or tag") from None

    async def _fetch(self, git: Git, spec: str, mark: Mark) -> None:
        """All steps that are left, each of them kept."""
        for depth in steps.depths(self._bounds.depth, mark.done):
            is_first = depth == steps.DEPTHS[0]
            if not is_first and await to_thread.run_sync(steps.is_whole, git.folder):
                return
            said = await git.call(*_fetching(depth, is_shallow=not is_first), spec, watch=True)
            if said.exit_code and is_first and "shallow" in said.text:
                # This server gives out all of a history or nothing.
                said = await git.call(*_fetching(0), spec, watch=True)
            if said.exit_code:
                raise explained(said.text)
            mark = msgspec.structs.replace(mark, done=depth or mark.done)
            await to_thread.run_sync(steps.note, git.folder, mark)

    async def _written(self, git: Git, ref: Ref, commit: str) -> Survey:
        found = await self._surveyed(git, commit)
        # --force: the git of a loader that was killed may have gone on writing files for a moment.
        if ref.kind == "branch":
            await git.must("checkout", "--force", "--progress", "-B", ref.name, commit)
            await git.must("config", f"branch.{ref.name}.remote", "origin")
            await git.must("config", f"branch.{ref.name}.merge", f"refs/heads/{ref.name}")
        else:
            await git.must("checkout", "--force", "--progress", "--detach", commit)
        await to_thread.run_sync(check_links, git.folder, found.links)
        return found

    async def _surveyed(self, git: Git, commit: str) -> Survey:
        listed = await git.must("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        return await to_thread.run_sync(survey, listed.out, self._bounds)

    async def update(self, repo: Repo) -> Repo:
        """Brings a branch up to date, where nothing of one's own is in its way.

        Raises:
            Misuse: It stands at a tag or a commit, or is a folder of the person's own.
            RepoFailed: It cannot be had, or was changed here too.
        """
        if repo.is_own:
            raise Misuse(f"{repo.name} is your own folder", hint="bring it up to date yourself")
        return await self._alone(repo.name, lambda _: self._updated(repo))

    async def _updated(self, repo: Repo) -> Repo:
        git = self._git(
            Path(repo.path), repo.url.partition("://")[0] if "://" in repo.url else "ssh"
        )
        head = await git.call("symbolic-ref", "-q", "--short", "HEAD")
        branch = head.out.decode("utf-8", "replace").strip()
        if head.exit_code or not branch:
            raise Misuse(
                f"{repo.name} stands at a tag or commit, which do not move",
                hint="load another one with --ref and --into",
            )
        before = await _commit(git, "HEAD")
        tracked = f"refs/remotes/origin/{branch}"
        await git.must(*_fetching(0), f"+refs/heads/{branch}:{tracked}", watch=True)
        commit = await _commit(git, tracked)
        found = await self._surveyed(git, commit)
        merged = await git.call("merge", "--ff-only", "-q", tracked)
        if merged.exit_code:
            raise RepoFailed(
                f"{repo.name} was changed here, or rewritten there: {explained(merged.text).message}",
                hint=f"look at it in {repo.path}, or remove it and load it again",
            )
        try:
            await to_thread.run_sync(check_links, git.folder, found.links)
        except RepoRefused:
            with anyio.CancelScope(shield=True):
                await git.must("reset", "-q", "--keep", before)
            raise
        fresh = msgspec.structs.replace(
            repo,
            commit=commit,
            files=found.files,
            bytes=found.bytes,
            ref=branch,
            submodules=found.submodules[:100],
        )
        await to_thread.run_sync(self._shelf.note, fresh)
        return fresh

    async def unsaved(self, repo: Repo) -> str:
        """What would be lost with it, in words; empty where nothing would."""
        git = self._git(Path(repo.path), "file")
        changed = await git.call("status", "--porcelain", "-z", "--ignore-submodules")
        count = sum(1 for entry in changed.out.split(b"\0") if entry)
        ahead = await git.call(
            "log", "--oneline", "--all", "--not", "--remotes", "--tags", repo.commit
        )
        if changed.exit_code or ahead.exit_code:
            return "what git cannot look at, perhaps changes"
        commits = len(ahead.out.splitlines())
        words = [f"{count} changed files"] if count else []
        words += [f"{commits} commits of its own"] if commits else []
        return " and ".join(words)


def registered(shelf: Shelf, folder: Path, name: str, clock: Clock) -> Repo:
    """Notes a folder of the person's own, which stays where it is; blocks.

    Raises:
        Misuse: It is no folder, or the name is taken.
    """
    real = Path(os.path.realpath(folder.expanduser()))
    if not real.is_dir():
        raise Misuse(f"there is no folder {str(folder)!r}", hint="write the path of one")
    known = next((repo for repo in shelf.all() if repo.is_own and repo.path == str(real)), None)
    if known is not None:
        raise Misuse(f"{known.name} is this folder already")
    named = checked_name(name or real.name.lstrip("._-") or "folder")
    shelf.place(named)
    repo = Repo(name=named, path=str(real), label=str(folder), added=clock.now(), is_own=True)
    shelf.note(repo)
    return repo


def _fetching(depth: int, *, is_shallow: bool = False) -> tuple[str, ...]:
    whole = ("--unshallow",) if is_shallow else ()
    shallow = (f"--depth={depth}",) if depth else whole
    return ("fetch", "--progress", "--no-tags", "--no-recurse-submodules", *shallow, "origin")


async def _commit(git: Git, name: str) -> str:
    said = await git.must("rev-parse", "--verify", "-q", f"{name}^{{commit}}")
    return said.out.decode("ascii", "replace").strip()


def _is_only_refused(refused: RepoFailed) -> bool:
    words = ("not our ref", "unadvertised object", "remote ref", "Server does not allow")
    return any(word in refused.message for word in words)


def _location(said: Said) -> str:
    """Where a server sends us on, by the headers of its answer."""
    for line in reversed(said.lines):
        _, mark, value = line.partition("Recv header: ")
        name, _, rest = value.partition(":")
        if mark and name.strip().lower() == "location":
            return rest.strip()
    return ""


def _nobody(progress: Progress) -> None:
    del progress
