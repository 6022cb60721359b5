"""What is called safe, run by real bash: only the programs and the words that were read may run."""

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.flow import parse_script
from ouroboros.safety.paths import Places
from tests.unit.safety.command_cases.harmless import READS

pytestmark = pytest.mark.real

HARMLESS = [line for line in READS.split("\n") if line]
BUILTINS = frozenset([
    "[",
    "cd",
    "command",
    "echo",
    "false",
    "printf",
    "pwd",
    "test",
    "time",
    "true",
    "type",
    "ulimit",
    "umask",
    ":",
])
ODD = (
    *"'\"\\$`;&|<>(){}[]*?!~#^=%,:@+-. \t\n\r/",
    *("&&", "||", "|&", ";;", "\\\n", "$(", "${", "$((", "$'", '$"', "<<", "<<<", ">&", "&>", "<("),
    *(
        " -x ",
        " evil ",
        "evil",
        " EVIL=1 ",
        "~evil",
        "a=",
        "=~",
        "\u00e9",
        "\u00a0",
        "\x00",
        "\x1b",
    ),
    *(
        "{a,b}",
        "{1..3}",
        "@(a)",
        "$x",
        "$?",
        "$$",
        "$-",
        "!!",
        "!e",
        "#",
        " #",
        "[[",
        "]]",
        "((",
        "))",
    ),
    *(
        " if ",
        " then ",
        " do ",
        " done",
        " in ",
        " case ",
        " esac",
        " function ",
        " coproc ",
        " time ",
    ),
)
RECORDER = """#!/bin/bash
printf '%s\\0' "${0##*/}" "$@" $'\\1' >> "$RECORD"
"""


class Stage:
    """A folder of programs that only note how they were called, and a workspace with odd names."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.ws, self.record = folder / "bin", folder / "ws", folder / "record"
        self.bin.mkdir()
        (self.ws / "src").mkdir(parents=True)
        for name in ("README.md", "log.txt", "src/app.py", "-x", "--pre=evil", "a b", "evil"):
            (self.ws / name).touch()
        recorder = self.bin / "recorder"
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        names = {
            word.text
            for line in HARMLESS
            for simple in parse_script(line).commands
            for word in simple.words
        }
        for name in names | {"evil", "EVIL", "rm"}:
            if (
                "/" not in name
                and name not in {"", "recorder", ".", "bash", "sh"}
                and len(name) < 40
            ):
                (self.bin / name).symlink_to(recorder)
        self.before = sorted(self.ws.rglob("*"))

    def safe(self, text: str) -> bool:
        places = Places(roots=(self.ws,)).resolved()
        return classify(text, cwd=self.ws, places=places).kind == "safe"

    def ran(self, text: str) -> list[list[str]]:
        """The argument lists of every program that bash started."""
        self.record.unlink(missing_ok=True)
        subprocess.run(
            ["/bin/bash", "-c", text],
            cwd=self.ws,
            env={"PATH": str(self.bin), "RECORD": str(self.record), "HOME": str(self.ws)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        if not self.record.exists():
            return []
        calls = self.record.read_bytes().split(b"\1\0")
        return [os.fsdecode(call).split("\0")[:-1] for call in calls if call]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def disagreement(stage: Stage, text: str) -> str:
    """How bash and the reading differ on a text that was called safe, empty when they do not."""
    commands = parse_script(text).commands
    fixed = [[word.text for word in simple.words] for simple in commands]
    words = [word for simple in commands for word in simple.words]
    loose = any(word.is_pattern or word.is_home or word.is_stream for word in words)
    for call in stage.ran(text):
        if call[0] in {"evil", "EVIL", "rm"}:
            return f"{call} ran"
        starts = [words[0] for words in fixed] + [word for words in fixed for word in words]
        known = call in fixed or any(words[-len(call) :] == call for words in fixed)
        if not (known or (loose and call[0] in starts)):
            return f"{call} is not what was read: {fixed}"
    after = sorted(stage.ws.rglob("*"))
    return "" if after == stage.before else f"files changed: {after}"


def mutated(random: Random, text: str) -> str:
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(text))
        cut = random.choice((0, 0, 0, 1))
        text = text[:at] + random.choice(ODD) + text[at + cut :]
    return text


def compared(stage: Stage, seed: int, count: int) -> int:
    random, run = Random(seed), 0
    for _ in range(count):
        text = mutated(random, random.choice(HARMLESS))
        if "\0" not in text and stage.safe(text):
            run += 1
            assert not (wrong := disagreement(stage, text)), (text, wrong)
    return run


@pytest.mark.deep
@pytest.mark.proves("E09")
def test_bash_runs_nothing_else_than_what_was_read(stage: Stage):
    assert compared(stage, 1, 400) >= 20


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(2, marks=pytest.mark.deep),
        *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 12)),
    ],
)
def test_bash_runs_nothing_else_than_what_was_read_at_length(stage: Stage, seed: int):
    assert compared(stage, seed, 3_000) >= 150


def test_the_stage_sees_what_runs(stage: Stage):
    """Else it would prove nothing."""
    assert stage.ran("ls 'a b' | grep x; $(echo evil)").count(["evil"]) == 1
    assert ["ls", "a b"] in stage.ran("ls 'a b'")
    assert disagreement(stage, "evil") == "['evil'] ran"
    assert "files changed" in disagreement(stage, "ls > out.txt")
