"""What outlives a run: values, marks of files, and variables."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio.to_thread
import pytest

from ouroboros.core.errors import ToolFailed
from ouroboros.core.state import State
from ouroboros.repl import keepsakes
from ouroboros.repl.checkpoints import ALL_BYTES, Checkpoint, Checkpoints, Found
from ouroboros.repl.keepsakes import Keepsakes
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.taint import Saved
from tests.cases import every
from tests.small_disk import fill, mounted
from tests.unit.repl.repls import Ground
from tests.unit.tools.spine import Spine

pytestmark = pytest.mark.real

SHOP = "https://shop.example"


@pytest.mark.proves("B20")
def test_a_value_comes_back_in_another_process_and_knows_where_it_is_from(tmp_path: Path):
    Keepsakes(tmp_path, "/project").put("prices", b'{"lamp":20}', (SHOP,))
    found = Keepsakes(tmp_path, "/project").get("prices")
    assert found is not None
    assert (found.value, found.by) == (b'{"lamp":20}', (SHOP,))
    assert Keepsakes(tmp_path, "/other").get("prices") is None
    assert Keepsakes(tmp_path, "/project").get("other") is None


def test_null_drops_a_value(tmp_path: Path):
    kept = Keepsakes(tmp_path, "/project")
    kept.put("a", b"1")
    kept.put("a", b"null")
    assert kept.get("a") is None
    assert list(tmp_path.rglob("*.value")) == []


@every("key", ["../../x", "a/b", "é" * 200, " "])
def test_any_key_is_a_key_and_no_path(tmp_path: Path, key: str):
    kept = Keepsakes(tmp_path / "home", "/project")
    kept.put(key, b"1")
    assert [p.name for p in tmp_path.iterdir()] == ["home"]


@every(
    "key, value",
    [
        ("", b"1"),
        ("\ud800", b"1"),
        ("\x00", b"1"),
        ("k" * 201, b"1"),
        ("k", b"1" * (keepsakes.VALUE_BYTES + 1)),
    ],
)
def test_what_is_too_large_is_refused(tmp_path: Path, key: str, value: bytes):
    with pytest.raises(ToolFailed):
        Keepsakes(tmp_path, "/project").put(key, value)


@pytest.mark.deep
def test_all_values_together_are_bounded(tmp_path: Path):
    kept = Keepsakes(tmp_path, "/project")
    kept.put("a", b"1")
    (file,) = tmp_path.rglob("*.value")
    for number in range(keepsakes.KEYS):
        (file.parent / f"{number}.value").touch()
    with pytest.raises(ToolFailed, match="are kept already"):
        kept.put("b", b"1")


@pytest.mark.proves("B20")
def test_the_bytes_of_all_values_are_bounded(tmp_path: Path):
    kept = Keepsakes(tmp_path, "/project")
    kept.put("a", b"1")
    (file,) = tmp_path.rglob("*.value")
    with (file.parent / "large.value").open("wb") as large:
        large.truncate(keepsakes.ALL_BYTES)
    with pytest.raises(ToolFailed, match="are kept already"):
        kept.put("b", b"1")


@pytest.mark.proves("B20")
def test_a_file_in_the_place_of_another_is_none(tmp_path: Path):
    kept = Keepsakes(tmp_path, "/project")
    kept.put("mine", b"1")
    (mine,) = tmp_path.rglob("*.value")
    content = mine.read_bytes()
    mine.unlink()
    kept.put("other", b"2")
    (other,) = tmp_path.rglob("*.value")
    other.write_bytes(content)
    assert kept.get("other") is None


@pytest.mark.proves("B20")
def test_a_damaged_value_is_none(tmp_path: Path):
    kept = Keepsakes(tmp_path, "/project")
    kept.put("a", b'"long enough"')
    (file,) = tmp_path.rglob("*.value")
    for damage in (file.read_bytes()[:-3], b"", b"\xff\xfe\n1", b"{}\n1"):
        file.write_bytes(damage)
        assert kept.get("a") is None


_WRITER = """
import sys
from pathlib import Path
from ouroboros.repl.keepsakes import Keepsakes
from tests.cases import every
from tests.cases import every
kept = Keepsakes(Path(sys.argv[1]), "/project")
n = 0
while True:
    n += 1
    kept.put("a", b'"%d' % n + b"x" * 100_000 + b'"')
    print(n, flush=True)
"""


@pytest.mark.deep
@pytest.mark.proves("B20")
def test_a_writer_that_is_killed_leaves_a_whole_value(tmp_path: Path):
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": "src"},
    )
    assert writer.stdout is not None
    last = 0
    for _ in range(20):
        last = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    writer.stdout.close()
    writer.wait()
    found = Keepsakes(tmp_path, "/project").get("a")
    assert found is not None
    assert int(found.value[1:].partition(b"x")[0]) >= last


@pytest.mark.proves("B20")
def test_a_full_disk_keeps_the_old_value(tmp_path: Path):
    with mounted(tmp_path / "disk", mebibytes=2) as disk:
        kept = Keepsakes(disk, "/project")
        kept.put("a", b'"old"')
        with pytest.raises(ToolFailed, match="could not be kept"):
            kept.put("a", b'"' + b"x" * 4_000_000 + b'"')
        found = kept.get("a")
        assert found is not None
        assert found.value == b'"old"'


@pytest.mark.proves("browser-taint")
def test_a_file_whose_mark_finds_no_room_is_not_written(tmp_path: Path):
    with mounted(tmp_path / "disk", mebibytes=1) as disk:
        ledger = Ledger(disk)
        ledger.mark(disk / "x", b"1", (SHOP,))
        fill(disk / "filler")
        large = (f"https://{'x' * 8_000}.example",)
        with pytest.raises(ToolFailed, match="is not written"):
            ledger.mark(disk / "y", b"1", large)
        assert ledger.of(disk / "x", b"") == (SHOP,)


@pytest.mark.proves("browser-taint")
def test_a_marked_file_is_known_in_another_process_by_path_and_by_content(tmp_path: Path):
    path = tmp_path / "prices.json"
    path.write_bytes(b"[1]")
    link = tmp_path / "link.json"
    link.symlink_to(path)
    Ledger(tmp_path / "home").mark(link, b"[1]", (SHOP,))
    later = Ledger(tmp_path / "home")
    assert later.of(path, b"changed by hand") == (SHOP,)
    assert later.of(tmp_path / "copy.json", b"[1]") == (SHOP,)
    assert later.of(tmp_path / "copy.json", b"[2]") == ()
    assert later.of(tmp_path / "empty", b"") == ()


@pytest.mark.proves("browser-taint")
def test_downloads_and_screenshots_are_page_data(tmp_path: Path):
    ledger = Ledger(tmp_path / "home")
    assert ledger.of(tmp_path / "home/artifacts/ses_1/invoice.csv", b"a") == ("a download",)
    assert ledger.of(tmp_path / "home/artifacts-of-mine.txt", b"a") == ()


def test_a_file_that_is_written_anew_by_clean_code_is_clean(tmp_path: Path):
    ledger = Ledger(tmp_path / "home")
    ledger.mark(tmp_path / "a", b"[1]", (SHOP,))
    ledger.mark(tmp_path / "a", b"[2]", ())
    assert Ledger(tmp_path / "home").of(tmp_path / "a", b"[2]") == ()


def test_clean_code_writes_no_ledger(tmp_path: Path):
    Ledger(tmp_path / "home").mark(tmp_path / "a", b"[1]", ())
    assert not (tmp_path / "home").exists()


def test_two_sessions_share_a_ledger_and_a_torn_line_is_skipped(tmp_path: Path):
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    first.mark(tmp_path / "a", b"1", (SHOP,))
    with (tmp_path / "taint.jsonl").open("ab") as file:
        file.write(b'{"path":"/torn')
    second.mark(tmp_path / "b", b"2", (SHOP,))
    assert first.of(tmp_path / "b", b"") == (SHOP,)
    assert second.of(tmp_path / "a", b"") == (SHOP,)


def test_variables_and_what_was_read_come_back(tmp_path: Path):
    saved = Saved(by=(SHOP,), known=(SHOP,))
    Checkpoints.of(tmp_path, State(session="ses_1")).keep(
        Checkpoint(variables=b"\x00any\nbytes", saved=saved)
    )
    found = Checkpoints.of(tmp_path, State(session="ses_1")).load()
    assert found == Found(checkpoint=Checkpoint(variables=b"\x00any\nbytes", saved=saved))
    assert Checkpoints.of(tmp_path, State(session="ses_2")).load() is None
    assert Checkpoints.of(tmp_path, State(session="ses_1"), "child").load() is None


@pytest.mark.proves("I12")
def test_earlier_variables_have_a_bound_in_bytes(tmp_path: Path):
    kept = Checkpoints.of(tmp_path, State(session="ses_1"))
    names = [kept.keep(Checkpoint(variables=b"%d" % n, saved=Saved())) for n in range(2)]
    folder = tmp_path / "repl" / "ses_1"
    for number, name in enumerate(names):
        path = folder / f"main.{name}.variables"
        os.truncate(path, ALL_BYTES - 1000)  # of holes
        os.utime(path, (number, number))
    last = kept.keep(Checkpoint(variables=b"2", saved=Saved()))
    there = {path.name for path in folder.iterdir()}
    assert there == {"main.variables", *(f"main.{name}.variables" for name in (names[1], last))}


def test_damaged_variables_are_none(tmp_path: Path):
    kept = Checkpoints.of(tmp_path, State(session="ses_1"))
    kept.keep(Checkpoint(variables=b"12345", saved=Saved()))
    (file,) = tmp_path.rglob("main.variables")
    file.write_bytes(file.read_bytes()[:-1])
    assert kept.load() is None


def test_what_is_kept_is_for_the_person_alone(tmp_path: Path):
    Keepsakes(tmp_path / "h", "/p").put("a", b"1")
    Ledger(tmp_path / "h").mark(tmp_path / "a", b"1", (SHOP,))
    Checkpoints.of(tmp_path / "h", State(session="s")).keep(
        Checkpoint(variables=b"1", saved=Saved())
    )
    files = [path for path in (tmp_path / "h").rglob("*") if path.is_file()]
    assert len(files) == 4
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


@pytest.mark.deep
@pytest.mark.parametrize(
    "code", ["await grep('secret')", "await find('*.txt')", "await listFiles('.')"]
)
async def test_lines_and_names_of_marked_files_count_as_read(tmp_path: Path, code: str):
    home = tmp_path / "home"
    ground = Ground(Spine(tmp_path), home)

    def write() -> None:
        path = tmp_path / "secret.txt"
        Ledger(home).mark(path, b"a secret", (SHOP,))
        path.write_bytes(b"a secret")
        if "grep" in code:
            path.rename(tmp_path / "moved.txt")

    async with ground.repl() as repl:
        assert (await repl.run_block(code, call_id="c1")).ok
        assert not ground.taint.is_tainted
        await anyio.to_thread.run_sync(write)
        assert (await repl.run_block(code, call_id="c2")).ok
        assert ground.taint.by == (SHOP,)
