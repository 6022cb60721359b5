"""A model asks for a map: ranked, within its tokens, and of nothing that it may not read."""

from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.story.stage import Stage, call, stage

FILES = {
    "lib/rope.py": "class Rope:\n    def cut(\n        self,\n        at: int,\n    ) -> None: ...\n",
    "lib/alone.py": "def lonely(): ...\n",
    "lib/knot.py": "from lib.rope import Rope\n\ndef tie(rope):\n    return Rope().cut()\n",
    "lib/kept.py": "from lib.rope import Rope\n\ndef secret_deed(): Rope()\n",
    "lib/broken.py": "def half(\n",
}


@pytest.fixture
async def ship(tmp_path: Path) -> Path:
    root = tmp_path / "work"

    def fill() -> None:
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

    await to_thread.run_sync(fill)
    return root


def maps(**arguments: object) -> ScriptedCall:
    return call("call_tool", name="repo_map", arguments=arguments)


async def told(tmp_path: Path, *calls: ScriptedCall, **settings: Any) -> list[str]:
    async with stage(tmp_path, [Turn(tool_calls=calls), Turn(text="Done.")], **settings) as s:
        await s.run()
        assert s.events(PermissionRequested) == []
        return results(s)


def results(s: Stage) -> list[str]:
    return [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_what_matters_is_told_with_its_lines(tmp_path: Path, ship: Path) -> None:
    del ship
    (said,) = await told(tmp_path, maps(), mode="ask")
    assert said.index("1: class Rope") < said.index("2: def cut(self, at: int) -> None")
    assert "lib/knot.py:\n  3: def tie(rope)" in said
    assert said.endswith("symbols of 5 files]")


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_a_query_a_folder_and_files_choose(tmp_path: Path, ship: Path) -> None:
    (ship / "other").mkdir()
    (ship / "other/oar.py").write_text("def row(): ...\n", encoding="utf-8")
    tight, wide, other, near = await told(
        tmp_path,
        maps(tokens=100, query="where is LONELY?"),
        maps(tokens=100),
        maps(path="other"),
        maps(path="lib", near=["lib/knot.py"]),
    )
    assert tight.startswith("lib/alone.py:\n  1: def lonely()")
    assert wide.startswith("lib/rope.py:\n  1: class Rope")
    assert other == "oar.py:\n  1: def row()\n[1 symbols of 1 files]"
    assert "class Rope" in near


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_it_stays_within_its_tokens(tmp_path: Path, ship: Path) -> None:
    many = "\n".join(f"def deed_{number}(): ..." for number in range(1500))
    (ship / "many.py").write_text(many, encoding="utf-8")
    small, large, none, more = await told(
        tmp_path, maps(tokens=100), maps(tokens=2000), maps(tokens=99), maps(tokens=8001)
    )
    assert 200 < len(small) < 480
    assert 6_000 < len(large) < 8_100
    assert "tokens" in none
    assert "tokens" in more


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_what_is_denied_is_not_in_it(tmp_path: Path, ship: Path) -> None:
    del ship
    said, named = await told(
        tmp_path,
        maps(),
        maps(query="secret"),
        permissions={"deny": ["read(lib/kept.py)"]},
    )
    assert "def tie" in said
    for text in (said, named):
        assert "secret_deed" not in text
        assert "kept.py" not in text


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_what_is_no_folder_is_said(tmp_path: Path, ship: Path) -> None:
    (ship / "empty").mkdir()
    file, gone, empty = await told(
        tmp_path, maps(path="lib/rope.py"), maps(path="gone"), maps(path="empty")
    )
    assert "is not a folder" in file
    assert "is not there" in gone
    assert empty == "no symbols were found [0 symbols of 0 files]"


@pytest.mark.proves("Y05")
async def test_outside_of_the_workspace_it_is_asked_for(tmp_path: Path, ship: Path) -> None:
    del ship
    await to_thread.run_sync((tmp_path / "elsewhere").mkdir)
    turns = [Turn(tool_calls=(maps(path=str(tmp_path / "elsewhere")),)), Turn(text="Done.")]
    async with stage(tmp_path, turns, mode="ask") as s:
        await s.run()
        assert [each.tool for each in s.events(PermissionRequested)] == ["repo_map"]
