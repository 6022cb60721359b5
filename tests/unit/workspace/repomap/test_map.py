"""A map of a folder: what ranks first, what fits, what is kept from one time to the next."""

import os
import time
from pathlib import Path

import anyio
import pytest

from ouroboros.workspace.repomap import worker
from ouroboros.workspace.repomap.cache import file_of
from ouroboros.workspace.repomap.listing import listed
from ouroboros.workspace.repomap.mapping import mapped
from ouroboros.workspace.repomap.outline import outline
from ouroboros.workspace.repomap.ranking import rank
from ouroboros.workspace.repomap.reading import tags_of
from ouroboros.workspace.repomap.worker import Map, Wish
from tests.cases import every

pytestmark = pytest.mark.real

FILES = {
    "lib/rope.py": "class Rope:\n    def cut(self): ...\n    def coil(self): ...\n\ndef unused(): ...\n",
    "lib/knot.py": "from lib.rope import Rope\n\ndef tie(rope):\n    return Rope().cut()\n",
    "lib/sail.py": "from lib.rope import Rope\nfrom lib.knot import tie\n\ndef hoist():\n    return tie(Rope())\n",
    "lib/mast.py": "from lib.sail import hoist\n\ndef raise_all(): hoist()\n",
    "tests/test_all.py": "from lib.mast import raise_all\n\ndef test_it(): raise_all()\n",
}


@pytest.fixture
def ship(tmp_path: Path) -> Path:
    root = tmp_path / "ship"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def ranked(near: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> list[str]:
    tags = {path: tags_of(path, text.encode()) for path, text in FILES.items()}
    return [one.definition.name for one in rank(tags, near=near, names=names)]


def wish(root: Path, tmp_path: Path) -> Wish:
    return Wish(root=str(root), home=str(tmp_path / "home"), most_chars=2000)


async def made(root: Path, tmp_path: Path) -> Map:
    return await mapped(wish(root, tmp_path), os.environ)


@pytest.mark.proves("Y05")
def test_what_much_used_files_use_comes_first() -> None:
    order = ranked()
    assert order[0] == "Rope"
    assert order.index("tie") < order.index("raise_all") < order.index("unused")


@pytest.mark.proves("Y05")
def test_what_the_conversation_is_about_comes_earlier() -> None:
    assert ranked()[0] == "Rope"
    assert ranked(near=("lib/mast.py",))[0] == "hoist"
    assert ranked(names=("raise_all",))[0] == "raise_all"


def test_names_that_are_not_imported_are_no_uses() -> None:
    files = {
        "a.py": "def mode(): ...\ndef size(): ...\n",
        **{f"b{n}.py": "from a import size\nmode = size(mode)\n" for n in range(3)},
    }
    tags = {path: tags_of(path, text.encode()) for path, text in files.items()}
    scores = {(one.path, one.definition.name): one.score for one in rank(tags)}
    assert scores["a.py", "size"] > 0
    assert scores["a.py", "mode"] == 0


@pytest.mark.proves("Y05", "divergences-map-of-a-repository")
@every("most", [0, 20, 60, 100, 200, 5000])
def test_an_outline_stays_within_its_room(most: int) -> None:
    tags = {path: tags_of(path, text.encode()) for path, text in FILES.items()}
    text, shown = outline(rank(tags), most_chars=most)
    assert len(text) <= most
    assert (shown > 0) is (most >= 60)
    if most == 5000:
        assert "lib/rope.py:\n  1: class Rope\n    2: def cut(self)" in text


@pytest.mark.deep
@pytest.mark.proves("Y05")
async def test_the_second_map_reads_only_what_changed(ship: Path, tmp_path: Path) -> None:
    first = await made(ship, tmp_path)
    assert (first.files, first.read, first.symbols[0].name) == (5, 5, "Rope")
    assert (await made(ship, tmp_path)) == Map(
        outline=first.outline, symbols=first.symbols, files=5, read=0, shown=first.shown
    )
    await anyio.Path(ship / "lib/knot.py").write_text("def splice(): ...\n", encoding="utf-8")
    await anyio.Path(ship / "lib/mast.py").unlink()
    third = await made(ship, tmp_path)
    assert (third.files, third.read) == (4, 1)
    assert "splice" in third.outline
    assert "tie" not in {symbol.name for symbol in third.symbols}


@pytest.mark.proves("Y05")
@pytest.mark.parametrize("damage", [b"", b"\x00garbage", b"\x93\x01\xa1a\x80"])
def test_a_damaged_cache_is_made_anew(ship: Path, tmp_path: Path, damage: bytes) -> None:
    first = worker.made(wish(ship, tmp_path))
    file_of(tmp_path / "home", ship).write_bytes(damage)
    assert worker.made(wish(ship, tmp_path)) == first


@pytest.mark.proves("Y05")
def test_a_file_that_brought_a_process_down_is_left_out(ship: Path, tmp_path: Path) -> None:
    diary = file_of(tmp_path / "home", ship).with_suffix(".reading")
    diary.parent.mkdir(parents=True)
    diary.write_bytes(b"lib/knot.py\0")
    found = worker.made(wish(ship, tmp_path))
    assert (found.files, diary.exists()) == (5, False)
    assert "tie" not in {symbol.name for symbol in found.symbols}
    os.utime(ship / "lib/knot.py", (time.time(), time.time() + 5))
    assert "tie" in {symbol.name for symbol in worker.made(wish(ship, tmp_path)).symbols}


def test_a_file_that_another_process_reads_just_now_is_not_left_out(
    ship: Path, tmp_path: Path
) -> None:
    place = file_of(tmp_path / "home", ship)
    other = worker.Diary(place)
    other.write("lib/knot.py")
    assert "tie" in {symbol.name for symbol in worker.made(wish(ship, tmp_path)).symbols}
    assert place.with_suffix(".reading").exists()
    other.end()
    assert worker.Diary(place).taken == ""


def test_a_home_that_cannot_be_written_costs_only_the_cache(ship: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    assert worker.made(wish(ship, tmp_path)).files == 5


def test_what_is_ignored_and_what_is_linked_is_not_listed(ship: Path) -> None:
    (ship / ".gitignore").write_text("/lib/sail.py\nout/\n")
    for folder in ("out", "node_modules", "lib/out"):
        (ship / folder).mkdir()
        (ship / folder / "a.py").write_text("def a(): ...\n")
    (ship / "link.py").symlink_to("/etc/passwd")
    (ship / "loop").symlink_to(ship)
    os.mkfifo(ship / "pipe.py")
    names = [one.path for one in listed(ship)]
    assert sorted(names) == ["lib/knot.py", "lib/mast.py", "lib/rope.py", "tests/test_all.py"]
