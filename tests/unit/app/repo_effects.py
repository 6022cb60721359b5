"""What the settings of repositories change when one is loaded."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.repos.bringing import Asked, Repos
from ouroboros.app.settings import Settings
from ouroboros.llm.turns import Turn
from ouroboros.workspace.repos.faults import RepoFailed
from tests.story.stage import stage
from tests.unit.workspace.repos.git_host import Upstream, serving

type Effect = Callable[[Path], Awaitable[None]]


def _repos(folder: Path, **settings: object) -> Repos:
    wanted = msgspec.convert({"repos": settings}, Settings)
    return Repos(wanted, home=folder / "home", cwd=folder, environment=dict(os.environ))


def _upstream(folder: Path) -> Upstream:
    made = Upstream(folder / "srv/o/r.git")
    made.commit(a="1")
    made.commit(b="2" * 2000)
    return made


async def host(folder: Path) -> None:
    await to_thread.run_sync(_upstream, folder)
    repo = await _repos(folder, host=f"file://{folder}/srv").add(Asked(source="o/r"))
    assert repo.files == 2


async def depth(folder: Path) -> None:
    await to_thread.run_sync(_upstream, folder)
    repos = _repos(folder, depth=0)
    repo = await repos.add(Asked(source=f"file://{folder}/srv/o/r.git"))
    assert not await anyio.Path(repo.path, ".git/shallow").exists()


def refusing(message: str, **settings: object) -> Effect:
    async def effect(folder: Path) -> None:
        await to_thread.run_sync(_upstream, folder)
        with pytest.raises(RepoFailed, match=message):
            await _repos(folder, **settings).add(Asked(source=f"file://{folder}/srv/o/r.git"))

    return effect


def waiting(message: str, **settings: object) -> Effect:
    async def effect(folder: Path) -> None:
        with serving(folder) as silent:
            silent.hangs = True
            with pytest.raises(RepoFailed, match=message):
                await _repos(folder, **settings).add(Asked(source=f"{silent.url}/o/r"))

    return effect


async def tree_tokens(folder: Path) -> None:
    """Fewer tokens, fewer names in the first request."""
    many = folder / "many"

    def fill() -> None:
        many.mkdir()
        for number in range(300):
            (many / f"file_{number:03}.txt").write_text("x", encoding="utf-8")

    await to_thread.run_sync(fill)
    sizes: list[int] = []
    for tokens in (60, 2000):
        place = anyio.Path(folder / f"run-{tokens}")
        await place.mkdir()
        async with stage(Path(place), [Turn(text="done")]) as s:
            repos = _repos(Path(place), tree_tokens=tokens)
            await s.session.visit(Asked(source=str(many)), repos)
            await s.run("hello")
            sizes.append(str(s.body(0)["messages"]).count("file_"))
    assert sizes[0] < 20
    assert sizes[1] == 300


REPO_EFFECTS: dict[str, Effect] = {
    "repos.host": host,
    "repos.depth": depth,
    "repos.tree_tokens": tree_tokens,
    "repos.max_bytes": refusing("larger than 1,000 bytes", max_bytes=1000),
    "repos.max_files": refusing("2 files, more than 1", max_files=1),
    "repos.idle_timeout": waiting("nothing came for", idle_timeout=0.3),
    "repos.timeout": waiting("took longer than", timeout=0.3),
}
