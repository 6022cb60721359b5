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
@pytest.mark.parametrize("words", COMMANDS, ids=[" ".join(words)[:60] for words in COMMANDS])
def test_a_command_of_the_guides_is_understood(words: list[str]) -> None:
    understood(root, words)


@pytest.mark.parametrize("written", ["run --no-such-option x", "sessions lst", "config set"])
def test_a_mistyped_command_would_be_noticed(written: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        understood(root, written.split())


@pytest.mark.parametrize(("page", "text"), blocks("toml"))
def test_settings_of_the_guides_are_settings(tmp_path: Path, page: str, text: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(text, "utf-8")
    loaded = config.load(tmp_path, {"OUROBOROS_HOME": str(home)}, {}, managed=tmp_path / "none")
    assert loaded.warnings == (), page
    assert "user" in loaded.origins.values()


@pytest.mark.parametrize(("page", "text"), blocks("python"))
def test_the_python_of_the_guides_runs(tmp_path: Path, page: str, text: str) -> None:
    program = tmp_path / "example.py"
    program.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), page
    assert done.stdout.splitlines()[-1] == "completed Say this again"


@pytest.mark.parametrize(
    "picture", sorted((ROOT / "docs" / "images").glob("*.svg")), ids=lambda p: p.name
)
def test_a_picture_is_small_and_loads_nothing(picture: Path) -> None:
    text = picture.read_text("utf-8")
    assert len(text) < 150_000
    assert re.findall(r"https?://[^\s\"']+", text.replace("http://www.w3.org/2000/svg", "")) == []
