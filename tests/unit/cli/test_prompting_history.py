"""What was typed before: one file for all chats, short, private, and whole whoever writes it."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.settings import Settings
from ouroboros.app.typed.history import History, cleaner

pytestmark = pytest.mark.real

WRITES = """
import sys
from pathlib import Path
from ouroboros.app.typed.history import History
history = History(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    history.add(f"{sys.argv[2]} {number} " + sys.argv[2] * 200)
"""


@pytest.mark.deep
@pytest.mark.proves("I16")
def test_two_chats_write_at_once_and_nothing_is_lost_or_mixed(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITES, str(tmp_path), name, "200"])
        for name in ("a", "b")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    entries = History(tmp_path).entries
    assert len((tmp_path / "history").read_bytes().splitlines()) == 400
    for name in ("a", "b"):
        own = [entry for entry in entries if entry.startswith(name)]
        assert own == [f"{name} {number} {name * 200}" for number in range(200)]


@pytest.mark.proves("G11")
def test_keys_that_were_typed_are_there_while_it_runs_and_not_in_the_file(tmp_path: Path) -> None:
    key, own = "ghp_" + "aB3dE5" * 6, "what nobody would take for a key"
    history = History(tmp_path, cleaner({"MY_API_KEY": own}, Settings()))
    history.add(f"! push with {key} and {own}")
    assert key in history.entries[0]
    expected = "! push with [REDACTED:github-pat] and [REDACTED:MY_API_KEY]"
    assert History(tmp_path).entries == [expected]


@pytest.mark.deep
@pytest.mark.proves("I16")
def test_the_file_stays_short_and_keeps_the_latest(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(3000):
        history.add(f"{number} {'x' * 1000}")
    size = (tmp_path / "history").stat().st_size
    assert size <= 1_048_576 + 65_536
    assert (tmp_path / "history").stat().st_mode & 0o777 == 0o600
    entries = History(tmp_path).entries
    assert entries[-1].startswith("2999 ")
    numbers = [int(entry.split()[0]) for entry in entries]
    assert numbers == list(range(numbers[0], 3000))
    assert [path.name for path in tmp_path.iterdir()] == ["history"]


def test_half_a_line_of_a_killed_chat_costs_that_line_only(tmp_path: Path) -> None:
    History(tmp_path).add("first")
    with (tmp_path / "history").open("ab") as file:
        file.write(b'"cut o')
    History(tmp_path).add("second")
    assert History(tmp_path).entries == ["first", "second"]


def test_what_is_too_long_is_only_remembered_here(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add("y" * 100_000)
    history.add("short")
    assert (len(history.entries), History(tmp_path).entries) == (2, ["short"])


@pytest.mark.deep
def test_a_chat_that_stands_still_with_the_file_in_hand_stops_nobody(tmp_path: Path) -> None:
    History(tmp_path).add("first")
    held = os.open(tmp_path / "history", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    history = History(tmp_path)
    history.add("second")
    os.close(held)
    assert (history.entries, History(tmp_path).entries) == (["first", "second"], ["first"])


def test_a_home_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", "utf-8")
    history = History(tmp_path / "home")
    history.add("typed on")
    assert history.entries == ["typed on"]
