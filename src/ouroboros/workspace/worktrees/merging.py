"""What was done in a session comes into the branch that is checked out: all of it, or nothing."""

import os
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.core.errors import Misuse
from ouroboros.workspace.worktrees import ending, keeping
from ouroboros.workspace.worktrees.faults import MergeConflict, NoRepository, WorkRefused
from ouroboros.workspace.worktrees.place import Place, manifest_of
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.manifest import Step
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed
from ouroboros.workspace.worktrees.repository.scratch import objects
from ouroboros.workspace.worktrees.undoing import unwritten

_SIGNERS = {
    "gpg.program": "gpg",
    "gpg.openpgp.program": "",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.ssh.defaultkeycommand": "",
    "gpg.x509.program": "gpgsm",
}

_FORWARD = (
    *("merge", "--ff-only", "--quiet"),
    *("--commit", "--no-squash", "--no-autostash"),  # a branch may have options of its own
    "--no-overwrite-ignore",  # what git ignores is overwritten otherwise, without a word
)


class Wish(Struct, frozen=True, kw_only=True):
    """How a session is to be merged.

    Attributes:
        squash: As one commit, without those of the session.
        message: Of that commit, or of the merge.
        sign: As the person's settings say; otherwise it is not signed.
    """

    squash: bool = False
    message: str = ""
    sign: bool = True


class Merged(Struct, frozen=True, kw_only=True):
    """A session whose work is in the person's branch; ``commit`` is empty where there was none."""

    session: Kept
    branch: str
    commit: str = ""
    kept: tuple[str, ...] = ()


async def merge(place: Place, session: Kept, wish: Wish) -> Merged:
    """Merges a session whose work is saved, then archives it; both lists must be held alone.

    The merge is made beside the files first, so that a conflict touches none of them.

    Raises:
        MergeConflict: Both sides changed the same lines.
        WorkRefused: The main tree stands in the way: another branch, own changes, a lock.
        Misuse: git does not know who commits.
    """
    main = place.ground.git.at(place.ground.top)
    onto, branch = await _ready(place, main, session)
    tip = await ending.last(place, session) if session.work.branch else await _tip(place, session)
    if await main.holds("merge-base", "--is-ancestor", tip, onto):
        if not manifest_of(session).checkpoints and tip == manifest_of(session).base_commit:
            raise WorkRefused(
                f"session {session.id[:8]} has no commits, so there is nothing to merge",
                hint=f"`paws session archive {session.id[:8]}` puts it away",
            )
        return await _over(place, session, branch, "")
    content = await _content(main, onto, tip, session, branch)
    if wish.squash and content == await main.ask("rev-parse", f"{onto}^{{tree}}"):
        return await _over(place, session, branch, "")
    commit = await _commit(main, content, (onto, tip), session, wish)
    ref, top = (quote(os.fsencode(each)) for each in (branch, place.ground.top))
    step = Step(kind="merge", target=commit, onto=onto, ref=ref, top=top)
    await main.ask("update-ref", names.merging(session.id), commit)
    session = await place.begun(session, step)
    ended = await main.call(*_FORWARD, commit, seconds=LONG_SECONDS)
    if ended.code:
        await main.call("update-ref", "-d", names.merging(session.id))
        await place.begun(session, None)
        raise _stopped(main, ended.said) or failed(main.folder, ("merge",), ended)
    return await _over(place, session, branch, commit)


async def finish(place: Place, session: Kept, step: Step) -> Kept:
    """What is to be done about a merge that was cut short: it is ended, or was never begun."""
    main = place.ground.git
    ref, top = (os.fsdecode(unquote_to_bytes(each)) for each in (step.ref, step.top))
    if await main.holds("merge-base", "--is-ancestor", step.target, f"refs/heads/{ref}"):
        return (await _over(place, session, ref, step.target)).session
    await unwritten(main.at(Path(top)), step)
    await main.call("update-ref", "-d", names.merging(session.id))
    return await place.begun(session, None)


async def _over(place: Place, session: Kept, branch: str, commit: str) -> Merged:
    manifest = structs.replace(manifest_of(session), status="completed")
    session = await place.recorded(session, manifest)
    put = await ending.archive(place, session)
    await place.ground.git.call("update-ref", "-d", names.merging(session.id))
    return Merged(session=put.session, branch=branch, commit=commit, kept=put.kept)


async def _ready(place: Place, main: Git, session: Kept) -> tuple[str, str]:
    """The commit and the branch that are checked out; raises ``WorkRefused`` where none can be."""
    top = place.ground.top
    if top.is_relative_to(place.ground.sessions):
        raise WorkRefused(
            "a session is merged into the tree that the command is given in, and this is a session's",
            hint=f"cd {place.ground.root}",
        )
    conflicts = bool(await main.names("ls-files", "--unmerged", "-z"))
    await to_thread.run_sync(partial(trees.refuse_unfinished, main, conflicts=conflicts))
    branch = await trees.on_branch(main)
    if not branch:
        raise WorkRefused(
            f"no branch is checked out in {str(top)!r}, so a merge would be named by nothing",
            hint="git switch BRANCH, then merge again",
        )
    if branch == session.work.branch:
        raise WorkRefused(f"{branch!r} is the session's own branch", hint="git switch ANOTHER")
    if not await keeping.knows_person(main):
        raise Misuse(
            "git does not know who makes the commit of the merge",
            hint="git config --global user.name 'NAME', and user.email 'ADDRESS'",
        )
    return await trees.head(main), branch


async def _tip(place: Place, session: Kept) -> str:
    if session.tree.is_dir():
        return await trees.head(await trees.sound(place.ground, session))
    return await ending.last(place, session)


async def _content(main: Git, onto: str, tip: str, session: Kept, branch: str) -> str:
    """The tree of the merge; it is tried where it leaves nothing behind first."""
    words = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", onto, tip)
    async with objects(main) as given:
        ended = await main.call(*words, given=given, seconds=LONG_SECONDS)
    tree, *rest = ended.text.split("\0")
    paths = tuple(dict.fromkeys(filter(None, rest)))
    if ended.code == 1:
        raise _conflict(session, branch, paths)
    if ended.code:
        if "usage:" in ended.said:
            raise NoRepository("this git is too old to merge", hint="install git 2.38 or later")
        raise failed(main.folder, words, ended)
    await main.ask(*words, seconds=LONG_SECONDS)
    return tree


def _conflict(session: Kept, branch: str, paths: tuple[str, ...]) -> MergeConflict:
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    short = session.id[:8]
    return MergeConflict(
        f"session {short} and {branch!r} changed the same lines of {shown}; nothing was changed",
        hint=f"bring {branch} into the session and solve it there: `paws session shell {short}`, "
        f"`git merge {branch}`, mend the files, `git commit -a`; then merge the session again",
        paths=paths,
    )


async def _commit(main: Git, content: str, both: tuple[str, str], session: Kept, wish: Wish) -> str:
    onto, tip = both
    label = f": {session.work.label}" if session.work.label else ""
    message = wish.message or f"Merge work session {session.id[:8]}{label}"
    parents = ["-p", onto]
    if wish.squash:
        made = [f"* {name}" for name in manifest_of(session).checkpoints]
        first = session.work.label or f"Work session {session.id[:8]}"
        message = wish.message or "\n\n".join(filter(None, (first, "\n".join(made))))
    else:
        parents += ["-p", tip]
    words = ("commit-tree", content, *parents, "-m", message)
    if not wish.sign or await main.found("config", "--bool", "commit.gpgSign") != "true":
        return await main.ask(*words)
    ended = await main.call(*(await _signing(main)), *words, "--gpg-sign", seconds=LONG_SECONDS)
    if ended.code:
        said = ended.said.splitlines()[-1:] or ["it failed"]
        raise WorkRefused(
            f"the commit of the merge cannot be signed, as commit.gpgSign wants it: {said[0]}",
            hint="nothing was merged; --no-sign merges without a signature",
        )
    return ended.text


async def _signing(main: Git) -> tuple[str, ...]:
    """The programs that sign, as the person's own settings name them; never as the repository's do."""
    words = ("config", "--show-scope", "-z", "--get-regexp", r"^gpg\.")
    parts = (await main.found(*words)).split("\0")
    programs = dict(_SIGNERS)
    for scope, setting in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = setting.partition("\n")
        if scope in {"global", "system"} and name.lower() in programs:
            programs[name.lower()] = value
    programs["gpg.program"] = programs["gpg.openpgp.program"] or programs["gpg.program"]
    programs["gpg.openpgp.program"] = programs["gpg.program"]
    return tuple(word for name, value in programs.items() for word in ("-c", f"{name}={value}"))


def _stopped(main: Git, said: str) -> WorkRefused | None:
    """The files of the person's that a merge would have written over; nothing was changed."""
    if "would be overwritten" not in said and "would lose untracked files" not in said:
        return None
    paths = [line.strip() for line in said.splitlines() if line.startswith("\t")]
    shown = ", ".join(paths[:5])
    return WorkRefused(
        f"{str(main.folder)!r} has changes of yours in files that the session changed too: {shown}",
        hint="nothing was changed; commit or stash them, or move them away, then merge again",
    )
