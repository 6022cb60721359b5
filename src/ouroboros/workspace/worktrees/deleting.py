"""A session is deleted: its files, branch, tags and record go; commits that are nowhere else keep a ref."""

from anyio import to_thread
from msgspec import Struct

from ouroboros.workspace.worktrees import ending
from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.place import Place, manifest_of
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.shelf import Kept


class Deleted(Struct, frozen=True, kw_only=True):
    """A session that is no more; ``kept`` are refs of commits that no branch, tag or remote has."""

    session_id: str
    kept: tuple[str, ...] = ()


async def delete(place: Place, session: Kept, *, force: bool) -> Deleted:
    """Deletes a session; the lists must be held alone, and nobody be at work in it.

    Every step may be the last before a crash: then the session is archived, and is deleted anew.

    Args:
        place: Where it is.
        session: Held alone.
        force: Keep what is in no commit in one, and do not refuse for work that was not merged.

    Raises:
        WorkRefused: It is not archived and has work that is nowhere else, or its branch is checked
            out elsewhere; nothing was changed.
    """
    await _refuse_checked_out(place, session)
    if manifest_of(session).status != "archived":
        if not force and (count := len(await _own(place, session))):
            short = session.id[:8]
            what = "1 commit" if count == 1 else f"{count:,} commits"
            raise WorkRefused(
                f"{what} of session {short} in no other branch or tag",
                hint=f"`paws session merge {short}`, or archive it first; --force deletes it, and a "
                "ref keeps them",
            )
        session = await ending.saved(place, session, keep=force, flag="--force")
        session = (await ending.archive(place, session)).session
    kept = await _parted(place, session)
    await to_thread.run_sync(place.shelf.discard, session.id)
    if session.folder.exists():
        raise WorkRefused(
            f"{str(session.folder)!r} cannot be removed", hint="let yourself write there"
        )
    return Deleted(session_id=session.id, kept=kept)


async def _refuse_checked_out(place: Place, session: Kept) -> None:
    ref = f"refs/heads/{names.branch(session.id)}"
    at = await place.ground.git.ask("for-each-ref", "--format=%(worktreepath)", ref)
    if at and at != str(session.tree):
        raise WorkRefused(
            f"the branch of session {session.id[:8]} is checked out in {at!r}",
            hint=f"take another one there: git -C {at} switch -",
        )


async def _refs(place: Place, session: Kept) -> dict[str, str]:
    """The refs of a session, by names that only it can have; what a record says is not believed."""
    short = names.short(session.id)
    patterns = (
        f"refs/heads/{names.branch(session.id)}",
        f"refs/tags/paws-checkpoint-{short}-*",
        f"refs/paws/{short}/",
    )
    listed = await place.ground.git.ask(
        "for-each-ref", "--format=%(objectname) %(refname)", *patterns
    )
    pairs = (line.split(" ", 1) for line in listed.splitlines())
    return {ref: commit for commit, ref in pairs}


async def _own(place: Place, session: Kept) -> set[str]:
    """Commits that only refs of this session lead to."""
    refs = await _refs(place, session)
    if not refs:
        return set()
    short = names.short(session.id)
    others = (
        *(f"--exclude={names.branch(session.id)}", "--branches"),
        *(f"--exclude=paws-checkpoint-{short}-*", "--tags", "--remotes"),
        *(f"--exclude=refs/paws/{short}/*", "--glob=refs/paws/*"),
    )
    words = ("rev-list", *dict.fromkeys(refs.values()), "--not", *others)
    return set((await place.ground.git.ask(*words)).split())


async def _parted(place: Place, session: Kept) -> tuple[str, ...]:
    """Takes its branch and tags away in one step, in which what is only there is given refs."""
    git, refs = place.ground.git, await _refs(place, session)
    if not refs:
        return ()
    above = names.kept_above(session.id)
    kept = {commit: ref for ref, commit in refs.items() if ref.startswith(above)}
    ends = sorted(set(refs.values()) & await _own(place, session))
    if ends:
        ends = (await git.ask("merge-base", "--independent", *ends)).split()
    taken = [int(each) for ref in kept.values() if (each := ref.removeprefix(above)).isdigit()]
    number = max(taken, default=0)
    changes: list[str] = []
    for commit in ends:
        if commit not in kept:
            number += 1
            kept[commit] = names.kept(session.id, number)
            changes.append(f"create {kept[commit]} {commit}")
    gone = [ref for ref in refs if not ref.startswith("refs/paws/")]
    await git.refs(*changes, *(f"delete {ref} {refs[ref]}" for ref in gone))
    return tuple(sorted(kept.values()))
