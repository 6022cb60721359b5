"""What is in a repository, for a person and for a model."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.workspace.repomap.worker import Map
from ouroboros.workspace.repos.progress import Progress
from ouroboros.workspace.repos.shelf import Repo, Shelf
from ouroboros.workspace.repos.tree import Tree, compact, read_tree

__all__ = ["About", "Map", "Progress", "Repo", "map_of", "place_of", "shown_tree", "tree_of"]


class About(Struct, frozen=True, kw_only=True):
    """What a map is asked for: so many tokens, near files and names that matter more."""

    tokens: int = 1_000
    near: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def tree_of(repo: Repo, tokens: int) -> str:
    """Its files as a compact tree of about so many tokens; blocks."""
    return compact(read_tree(Path(repo.path)), most_chars=int(tokens * CHARS_PER_TOKEN))


def shown_tree(repo: Repo, tokens: int) -> str:
    """The same for a model, without the readme: what strangers wrote is read by a tool, if at all."""
    tree = read_tree(Path(repo.path))
    bare = Tree(top=tree.top, languages=tree.languages, is_cut=tree.is_cut)
    return compact(bare, most_chars=int(tokens * CHARS_PER_TOKEN))


async def map_of(root: Path, about: About, *, home: Path, environment: Mapping[str, str]) -> Map:
    """The symbols that matter most in a folder, as an outline.

    Raises:
        MapFailed: It could not be made.
    """
    from ouroboros.workspace.repomap.mapping import mapped
    from ouroboros.workspace.repomap.worker import Wish

    wish = Wish(
        root=str(root),
        home=str(home),
        most_chars=int(about.tokens * CHARS_PER_TOKEN),
        near=tuple(_below(root, each) for each in about.near),
        names=about.names,
    )
    return await mapped(wish, environment)


def place_of(shelf: Shelf, written: str, cwd: Path) -> Path:
    """The folder that a name of the shelf or a path means; ``cwd`` for nothing; blocks.

    Raises:
        Misuse: There is neither.
    """
    if not written:
        return cwd
    path = cwd / written
    if path.is_dir() and ("/" in written or written.startswith(".")):
        return path.resolve()
    try:
        return Path(shelf.find(written).path)
    except Misuse:
        if path.is_dir():
            return path.resolve()
        raise


def _below(root: Path, written: str) -> str:
    path = Path(written)
    inside = path.relative_to(root) if path.is_relative_to(root) else path
    return inside.as_posix().removeprefix("./")
