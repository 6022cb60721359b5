"""What a session changed, shown without a trace in the repository."""

from ouroboros.workspace.worktrees import ending, rewinding
from ouroboros.workspace.worktrees.place import Place
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed, silenced_within
from ouroboros.workspace.worktrees.repository.scratch import index, objects

_SHOWN = (
    *("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty"),
)


async def diff(place: Place, session: Kept, *, since: str = "", stat: bool = False) -> bytes:
    """What is different from the beginning or a checkpoint, with files that git does not know yet.

    It is a patch that ``git apply`` takes, or with ``stat`` a line for each file.

    Raises:
        WorkUnknown: There is no such checkpoint.
        WorkRefused: The work tree is no longer one, or git says no.
    """
    start = rewinding.target_of(session, since)
    form = ("--stat=80",) if stat else ("--binary",)
    if not session.tree.is_dir():
        return await _said(place.ground.git, {}, *form, start, await ending.last(place, session))
    tree = await silenced_within(await trees.sound(place.ground, session))
    async with objects(tree) as elsewhere, index(tree) as staged:
        given = {**elsewhere, **staged}
        words = ("add", "--all", "--sparse", "--intent-to-add", "--", ".")
        ended = await tree.call(*words, given=given, seconds=LONG_SECONDS)
        if ended.code:
            raise failed(tree.folder, words, ended)
        return await _said(tree, given, *form, start)


async def numbers(place: Place, session: Kept) -> str:
    """How many lines of which file a session's last commit changed since its beginning."""
    start = rewinding.target_of(session, "")
    git = place.ground.git
    if session.tree.is_dir():
        end = await trees.head(await trees.sound(place.ground, session))
    else:
        end = await ending.last(place, session)
    words = ("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    return await git.ask(*words, start, end, "--", seconds=LONG_SECONDS)


async def _said(git: Git, given: dict[str, str], *words: str) -> bytes:
    ended = await git.call(*_SHOWN, *words, "--", given=given, seconds=LONG_SECONDS)
    if ended.code:
        raise failed(git.folder, ("diff",), ended)
    return ended.out
