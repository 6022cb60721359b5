"""What is in a repository, for a person and for a model."""

from pathlib import Path

from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.workspace.repos.progress import Progress
from ouroboros.workspace.repos.shelf import Repo
from ouroboros.workspace.repos.tree import compact, read_tree

__all__ = ["Progress", "Repo", "tree_of"]


def tree_of(repo: Repo, tokens: int) -> str:
    """Its files as a compact tree of about so many tokens; blocks."""
    return compact(read_tree(Path(repo.path)), most_chars=int(tokens * CHARS_PER_TOKEN))
