"""The MiniWoB++ pages of the development dependency; the package itself is never imported."""

import importlib.util
from pathlib import Path


def folder() -> Path:
    """Where its HTML is."""
    found = importlib.util.find_spec("miniwob")
    assert found is not None, "the tests need the pages of miniwob: run ./test once"
    assert found.origin is not None
    return Path(found.origin).parent / "html"


def tasks() -> tuple[str, ...]:
    """The names of all its tasks."""
    return tuple(sorted(page.stem for page in (folder() / "miniwob").glob("*.html")))


def address(task: str) -> str:
    """The path of a task's page."""
    return f"miniwob/{task}.html"
