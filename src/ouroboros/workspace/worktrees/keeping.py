"""A checkpoint is made: a commit of all that is in the work tree, a tag, and a line in the record."""

from functools import partial

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.place import Place, manifest_of
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.manifest import Checkpoint, Step
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed, silenced_within
from ouroboros.workspace.worktrees.repository.trees import State

_NOBODY = {"NAME": "Ouroboros", "EMAIL": "ouroboros@localhost"}


class Wish(Struct, frozen=True, kw_only=True):
    """What a checkpoint is called, and what belongs to it, as paths relative to the project."""

    name: str
    cats: str | None = None
    dogs: str | None = None
    log: str | None = None


async def checkpoint(place: Place, session: Kept, wish: Wish) -> Kept:
    """Keeps the work tree as it is under a name; the session must be held alone.

    Raises:
        Misuse: The name cannot be one.
        WorkRefused: The name is taken, something of git's is going on there, or git says no.
    """
    name, tree, state = await checkable(place, session, wish.name)
    turn = manifest_of(session).turn_count + 1
    commit = await snapshot(tree, state, f"PAWS Turn {turn}: {name}")
    made = Checkpoint(
        timestamp=place.moment(),
        commit_sha=commit,
        turn_number=turn,
        cats_artifact_path=wish.cats,
        dogs_artifact_path=wish.dogs,
        agent_log_path=wish.log,
    )
    step = Step(kind="checkpoint", target=commit, onto=state.head, name=name, made=made)
    return await finish(place, await place.begun(session, step), step)


async def checkable(place: Place, session: Kept, wanted: str) -> tuple[str, Git, State]:
    """The name of a checkpoint that can be made now, with the work tree and how it stands.

    Raises:
        Misuse: The name cannot be one.
        WorkRefused: The name is taken, something of git's is going on there, or git says no.
    """
    manifest = manifest_of(session)
    name = names.checked(wanted, "checkpoint")
    if name.casefold() in {each.casefold() for each in manifest.checkpoints}:
        raise WorkRefused(
            f"session {session.id[:8]} has a checkpoint {name!r} already",
            hint=f"name it otherwise, such as {names.free(name, manifest.checkpoints)!r}",
        )
    tree = await trees.sound(place.ground, session)
    state = await ready(tree, session, merge=True)
    if state.nested:
        raise WorkRefused(
            f"{state.nested[0]!r} is a repository of its own, which no checkpoint can hold",
            hint="move it out of the work tree, or let .gitignore name it",
        )
    return name, tree, state


async def finish(place: Place, session: Kept, step: Step) -> Kept:
    """Ends a checkpoint whose commit is made, however far it came."""
    assert step.made is not None
    is_there = session.tree.is_dir()
    git = await trees.sound(place.ground, session) if is_there else place.ground.git
    tag = f"refs/tags/{names.tag(session.id, step.name)}"
    changes: list[str] = []
    own = f"refs/heads/{session.work.branch}" if session.work.branch else ""
    listed = await git.ask(
        "for-each-ref", "--format=%(refname) %(objectname)", tag, *filter(None, [own])
    )
    refs = dict(line.split(" ", 1) for line in listed.splitlines())
    if not own and is_there:
        own, refs["HEAD"] = "HEAD", await trees.head(git)
    before = refs.get(tag, "")
    if before and before != step.target:  # of a checkpoint that was left behind by a rewind
        changes.append(f"create {await trees.spare(place.ground, session.id)} {before}")
    if before != step.target:
        changes.append(f"update {tag} {step.target} {before or '0' * len(step.target)}")
    if step.onto != step.target and refs.get(own) == step.onto:
        changes.append(f"update {own} {step.target} {step.onto}")
    if changes:
        await git.refs(*changes)
    if is_there and await to_thread.run_sync(trees.merging, git):
        await git.ask("merge", "--quit")
    manifest = manifest_of(session)
    manifest = structs.replace(
        manifest,
        turn_count=max(manifest.turn_count, step.made.turn_number),
        checkpoints={**manifest.checkpoints, step.name: step.made},
    )
    return await place.begun(await place.recorded(session, manifest), None)


async def ready(tree: Git, session: Kept, *, merge: bool = False) -> State:
    """How a session's work tree stands; its own branch is checked out and nothing is going on.

    Raises:
        WorkRefused: It is not so; with ``merge`` one may be going on whose conflicts are solved.
    """
    state = await trees.state(tree)
    branch, wanted = state.branch, session.work.branch
    if branch != wanted:
        there = f"branch {branch!r}" if branch else "a commit without a branch"
        raise WorkRefused(
            f"in the work tree of session {session.id[:8]} {there} is checked out, not its own",
            hint=f"git -C {tree.folder} switch {wanted}" if wanted else "switch --detach there",
        )
    await trees.refuse_unborn(tree, session, state)
    check = partial(trees.refuse_unfinished, tree, conflicts=bool(state.conflicts), merge=merge)
    await to_thread.run_sync(check)
    return state


async def snapshot(tree: Git, state: State, message: str) -> str:
    """A commit of all that is in the work tree, on no branch; that of HEAD where nothing is new."""
    others = await to_thread.run_sync(trees.merging, tree)
    if not state.unsaved and not others:
        return state.head
    staging = await silenced_within(tree)
    await staging.ask("add", "--all", "--sparse", "--", ".", seconds=LONG_SECONDS)
    content = await tree.ask("write-tree", seconds=LONG_SECONDS)
    if not others and content == await tree.ask("rev-parse", f"{state.head}^{{tree}}"):
        return state.head
    parents = [word for each in (state.head, *others) for word in ("-p", each)]
    return await commit_of(tree, content, parents, message)


async def commit_of(tree: Git, content: str, parents: list[str], message: str) -> str:
    """A commit by the person, or in our name where git does not know theirs."""
    words = ("commit-tree", "--no-gpg-sign", content, *parents, "-m", message)
    given: dict[str, str] = {}
    if not await knows_person(tree):
        roles = ("AUTHOR", "COMMITTER")
        given = {f"GIT_{role}_{key}": value for role in roles for key, value in _NOBODY.items()}
    ended = await tree.call(*words, given=given)
    if ended.code:
        raise failed(tree.folder, words, ended)
    return ended.text


async def knows_person(tree: Git) -> bool:
    """Whether git knows who commits here, without a guess."""
    return await tree.holds("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
