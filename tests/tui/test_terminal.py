"""The full-screen face on a real terminal: how it is entered, and how the terminal is given back."""

import os
import re
import select
import signal
import termios
import time
from pathlib import Path

import pytest

from tests.story.cli_terminal import DEADLINE_SECONDS, Program
from tests.story.test_cli_run import SLEEPS, ouro, script

ANSWER = {"text": "First answer."}
ENTERED, LEFT = "\x1b[?1049h", "\x1b[?1049l"
BEGUN = re.compile(r"\x1b\[\?(1000|1003|1006|1015|1004|2004|25)([hl])")


class Whole(Program):
    """A program that has the whole terminal; what it writes is kept as it is."""

    raw: str

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return False
        try:
            content = os.read(self._fd, 65_536)
        except OSError:
            return False
        self.raw += content.decode("utf-8", "replace")
        return bool(content)

    def writes(self, words: str, *, times: int = 1) -> None:
        """Waits until that was written, as often as that."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while self.raw.count(words) < times:
            assert self._read(deadline), f"never saw {words!r} in {self.raw[-2_000:]!r}"

    def reads_on(self) -> None:
        """Takes what was written by now, without waiting for more."""
        self._read(time.monotonic())

    def modes(self) -> int:
        """The terminal's local modes."""
        return termios.tcgetattr(self._fd)[3]

    @property
    def left_on(self) -> set[str]:
        """Modes that were begun and not ended."""
        last = dict(BEGUN.findall(self.raw))
        return {mode for mode, way in last.items() if way == ("l" if mode == "25" else "h")}


@pytest.fixture
def model(tmp_path: Path) -> str:
    return script(tmp_path, ANSWER, ANSWER)


@pytest.mark.deep
@pytest.mark.proves("V23")
def test_without_a_command_a_person_gets_the_whole_screen(tmp_path: Path, model: str) -> None:
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes("full-auto")
        program.type("hello\r")
        program.writes("First answer.")
        program.writes("Done after 1 turn")
        program.type("\x04")
        assert program.ends() == 0
        after = program.modes()
    assert program.raw.index(ENTERED) < program.raw.rindex(LEFT)
    assert program.raw.count(ENTERED) == 1
    assert "ouro tui --resume ses_" in program.raw
    assert program.left_on == set()
    assert after & termios.ECHO
    assert after & termios.ICANON


@pytest.mark.deep
@pytest.mark.proves("V21")
def test_keys_that_come_before_all_is_loaded_are_not_lost(tmp_path: Path, model: str) -> None:
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes(ENTERED)
        program.type("hello\r")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.deep
@pytest.mark.proves("V25")
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.deep),
        pytest.param(signal.SIGKILL, marks=pytest.mark.deep),
    ],
)
def test_however_it_ends_the_terminal_is_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    model = script(tmp_path, SLEEPS, ANSWER)
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes("full-auto")
        before_run = program.modes()
        program.type("begin\r")
        program.writes("step 1")
        program.signal(number)
        program.writes(LEFT)
        code = program.process.wait(DEADLINE_SECONDS)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while program.left_on or not program.modes() & termios.ECHO:
            assert time.monotonic() < deadline, program.left_on
            program.reads_on()
            time.sleep(0.02)
    assert not before_run & termios.ECHO
    assert code == (-signal.SIGKILL if number == signal.SIGKILL else 130)


@pytest.mark.proves("interfaces-going-on-in-the-terminal")
@pytest.mark.deep
def test_a_session_is_gone_on_with_and_its_words_are_there_again(
    tmp_path: Path, model: str
) -> None:
    assert ouro("run", "earlier words", "--model", model, cwd=tmp_path).returncode == 0
    with Whole(["--continue", "--model", model], cwd=tmp_path) as program:
        program.writes("earlier words")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.proves("V23")
@pytest.mark.deep
def test_a_terminal_without_a_cursor_gets_the_plain_chat(tmp_path: Path, model: str) -> None:
    dumb = {"TERM": "dumb"}
    with Program(["--model", model], cwd=tmp_path, environment=dumb) as program:
        program.sees("ask> ")
        program.type("hello\r")
        program.sees("First answer.")
        program.type("\x04")
        assert program.ends() == 0
    assert "\x1b" not in program.raw


def test_without_a_terminal_there_is_help_as_before(tmp_path: Path) -> None:
    done = ouro(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ouro ")


@pytest.mark.proves("V23")
@pytest.mark.deep
def test_stopped_and_continued_it_is_drawn_again(tmp_path: Path, model: str) -> None:
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes("full-auto")
        program.writes("1 %")
        program.type("\x1a")
        program.writes(LEFT)
        stands = Path(f"/proc/{program.process.pid}/stat")
        deadline = time.monotonic() + DEADLINE_SECONDS
        while stands.read_text("utf-8").rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        program.signal(signal.SIGCONT)
        program.writes(ENTERED, times=2)
        program.type("hello\r")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.proves("V23")
@pytest.mark.deep
def test_nonsense_on_the_keyboard_and_a_storm_of_sizes_do_no_harm(
    tmp_path: Path, model: str
) -> None:
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes("1 %")
        os.write(program._fd, b"\xff\xfe\x1b[999;999;999~\x1b[<0;1\x1bO\x1b]0;x\x1b\\")
        for width in range(1, 160, 3):
            program.resize(width, 1 + width % 40)
        program.resize(80, 24)
        program.type("\x15")
        program.type("hello\r")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.proves("V22")
@pytest.mark.deep
def test_what_a_model_says_cannot_command_the_terminal(tmp_path: Path) -> None:
    evil = "a\x1b]0;owned\x07b\x1b[2Jc\u009b31md &#27;[5;1Hx \u202egnp.exe"
    call = {"name": "shell", "arguments": {"command": r"printf '\033]0;owned\007\033[2Jzz\n'"}}
    model = script(tmp_path, {"text": evil, "tool_calls": [call]}, ANSWER)
    with Whole(["--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.writes("1 %")
        program.type("hello\r")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0
    assert "\x1b]0;" not in program.raw
    assert "\x1b[2J" not in program.raw.split(ENTERED, 1)[1].split("hello", 1)[-1]
    assert "\u202e" not in program.raw
    assert "\u009b" not in program.raw


@pytest.mark.deep
@pytest.mark.proves("V22")
def test_with_debug_the_log_tells_what_happened_and_nothing_of_what_was_said(
    tmp_path: Path, model: str, fresh_home: Path
) -> None:
    arguments = ["--model", model, "--mode", "full-auto", "--debug"]
    with Whole(arguments, cwd=tmp_path) as program:
        program.writes("full-auto")
        program.type("secret words\r")
        program.writes("First answer.")
        program.writes("Done after 1 turn")
        program.type("/quit\r")
        assert program.ends() == 0
    log = (fresh_home / ".ouroboros" / "log" / "ouro.log").read_text("utf-8")
    told = [line.partition(" ouroboros.")[2] for line in log.splitlines()]
    assert told[0].startswith("faces.tui.door: the screen is there: ")
    assert told[-1].startswith("faces.tui.door: the screen is left: Left(code=0, session='ses_")
    kinds = [line.split()[-1] for line in told if line.startswith("agent.journal: ")]
    assert {"session.ready", "user.message", "agent.message", "completed"} <= set(kinds)
    assert "secret words" not in log
    assert "First answer." not in log
    assert "agent.journal" not in program.raw


@pytest.mark.proves("V24")
@pytest.mark.deep
def test_a_run_that_a_kill_cut_off_is_told_when_the_session_is_opened_again(
    tmp_path: Path,
) -> None:
    arguments = ["--model", script(tmp_path, SLEEPS, ANSWER), "--mode", "full-auto"]
    with Whole(arguments, cwd=tmp_path) as program:
        program.writes("full-auto")
        program.type("begin\r")
        program.writes("step 1")
        program.signal(signal.SIGKILL)
        program.process.wait(DEADLINE_SECONDS)
    with Whole(["--continue"], cwd=tmp_path) as program:
        program.writes("The program ended in the middle of this run")
        program.type("go on\r")
        program.writes("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0
