"""What the README and the guides tell a reader to type is taken by the program as it is."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ouroboros.app.config import layers as config
from ouroboros.faces.cli.tree import root
from tests.cases import every
from tests.house.rules import ROOT

pytestmark = pytest.mark.real

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md")))
FENCE = re.compile(r"(?ms)^```(\w+)\n(.*?)^```$")


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (page.name, block)
        for page in PAGES
        for kind, block in FENCE.findall(page.read_text("utf-8"))
        if kind == language
    ]


def commands() -> Iterator[list[str]]:
    for _, block in blocks("sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] in {"ouro", "./ouro"}:
                cut = [at for at, word in enumerate(words) if word in {"<", "|", ">"}]
                yield words[1 : cut[0] if cut else None]


COMMANDS = list(commands())


def understood(
    command: click.Command, words: list[str], above: click.Context | None = None
) -> None:
    """Raises what a mistyped line would show; runs nothing.

    The contexts are nested as in a run: click keeps the help option it made for the first of them.
    """
    name = command.name or "ouro"
    if not isinstance(command, click.Group):
        with command.make_context(name, list(words), parent=above):
            return
    settings = command.context_settings
    with click.Context(command, info_name=name, parent=above, **settings) as context:
        wanted = next((word for word in words if not word.startswith("-")), "")
        if not wanted and command.invoke_without_command:
            command.parse_args(context, list(words))
            return
        found = command.get_command(context, wanted)
        assert found is not None, f"{context.command_path} has no command {wanted!r}"
        at = words.index(wanted)
        understood(found, [*words[:at], *words[at + 1 :]], context)


def test_there_is_something_to_follow() -> None:
    assert len(COMMANDS) > 20
    assert {"run", "chat", "sessions", "config"} <= {words[0] for words in COMMANDS if words}


@pytest.mark.proves("spine-papers")
@every("words", COMMANDS)
def test_a_command_of_the_guides_is_understood(words: list[str]) -> None:
    understood(root, words)


@every("written", ["run --no-such-option x", "sessions lst", "config set"])
def test_a_mistyped_command_would_be_noticed(written: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        understood(root, written.split())


@every(("page", "text"), blocks("toml"))
def test_settings_of_the_guides_are_settings(tmp_path: Path, page: str, text: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(text, "utf-8")
    loaded = config.load(tmp_path, {"OUROBOROS_HOME": str(home)}, {}, managed=tmp_path / "none")
    assert loaded.warnings == (), page
    assert "user" in loaded.origins.values()


ONE_AFTER_ANOTHER = """
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
    print("end of", path, flush=True)
"""


def test_the_python_of_the_guides_runs(tmp_path: Path) -> None:
    programs: list[str] = []
    for number, (page, text) in enumerate(blocks("python")):
        programs.append(f"{number} of {page}.py")
        (tmp_path / programs[-1]).write_text(text, "utf-8")
    assert programs
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_ANOTHER, *programs],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    for program in programs:
        said, _, done.stdout = done.stdout.partition(f"end of {program}\n")
        assert said.splitlines()[-1] == "completed Say this again", program


@every("picture", sorted((ROOT / "docs" / "images").glob("*.svg")))
def test_a_picture_is_small_and_loads_nothing(picture: Path) -> None:
    text = picture.read_text("utf-8")
    assert len(text) < 150_000
    assert re.findall(r"https?://[^\s\"']+", text.replace("http://www.w3.org/2000/svg", "")) == []
