"""What `ouro browse` can know to be wrong is said at once, before a model is asked or a browser started."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio.to_thread
import pytest

from ouroboros.browser.profiles import held
from tests import forked
from tests.cases import every
from tests.unit.llm.fault_ground import nobody


def ouro(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return forked.run(
        [sys.executable, "-I", "-m", "ouroboros", *words],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        cwd=folder,
        timeout=60,
        check=False,
    )


def refused(folder: Path, *words: str) -> str:
    """What was said on standard error by a run that did not begin."""
    ended = ouro(folder, "browse", "--model", "echo", *words, "look")
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert "Iteration" not in ended.stderr
    assert "\nhint: " in ended.stderr
    return ended.stderr


@pytest.mark.deep
@pytest.mark.proves("browser-mistakes-at-the-command-line")
@every("name", ["../x", "a/b", ".hidden", "a b"])
def test_a_name_that_no_profile_can_have(tmp_path: Path, name: str) -> None:
    said = refused(tmp_path, "--profile", name)
    assert "--profile: expected a name of letters, digits, dot, dash and underscore" in said
    assert f"got {name!r}" in said


@pytest.mark.deep
@pytest.mark.proves("C11")
async def test_a_profile_that_another_run_uses(tmp_path: Path) -> None:
    async with held(tmp_path / ".ouroboros", "work"):
        words = (tmp_path, "--profile", "work")
        said = await anyio.to_thread.run_sync(lambda: refused(*words))
    assert f"the profile 'work' is used by process {os.getpid()}" in said


@pytest.mark.deep
@pytest.mark.proves("C11")
def test_a_browser_to_attach_to_that_is_not_there(tmp_path: Path) -> None:
    assert "lets itself be attached to" in refused(tmp_path, "--attach", "--mode", "ask")
    with nobody() as url:
        port = url.rpartition(":")[2]
        said = refused(tmp_path, "--attach", port)
    assert f"no browser answers at 127.0.0.1:{port}" in said
    assert "--remote-debugging-port" in said


@pytest.mark.deep
@every("word", ["http://x y/", "*.", "a b"])
def test_a_domain_that_is_none(tmp_path: Path, word: str) -> None:
    assert repr(word) in refused(tmp_path, "--allow-domain", word)


@pytest.mark.deep
@every("words", [("--headed",), ("--profile", "work")])
def test_what_only_a_browser_of_ours_can_be_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert f"{words[0]} does not go with --attach" in refused(tmp_path, "--attach", "9222", *words)


@pytest.mark.proves("browser-commands")
@every("words", [("--data", "x.csv"), ("--max-iterations", "3")])
def test_what_the_mind_that_calls_tools_would_not_heed(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    said = refused(tmp_path, "--mind", "tools", *words)
    assert f"{words[0]} does not go with --mind tools" in said


@pytest.mark.deep
@pytest.mark.proves("browser-commands")
async def test_the_state_for_machines_is_json(tmp_path: Path) -> None:
    async with held(tmp_path / ".ouroboros", "work") as path:
        state = await anyio.to_thread.run_sync(
            lambda: ouro(tmp_path, "browser", "status", "--json")
        )
        listed = await anyio.to_thread.run_sync(
            lambda: ouro(tmp_path, "browser", "profiles", "--json")
        )
    profiles = json.loads(listed.stdout)
    assert json.loads(state.stdout)["profiles"] == profiles
    assert [(one["name"], one["path"], one["owner"]) for one in profiles] == [
        ("work", str(path), os.getpid())
    ]


@pytest.mark.deep
@pytest.mark.proves("browser-commands")
@every("options", [(), ("--output", "result.txt")])
@every("turns", [["```repl\n1\n```"], ["I cannot do this.", "No.", "I cannot do this."]])
def test_without_a_value_there_is_no_result(
    tmp_path: Path, turns: list[str], options: tuple[str, ...]
) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps({"text": turn}) + "\n" for turn in turns), "utf-8")
    ended = ouro(tmp_path, "browse", "--model", f"script:{path}", *options, "look")
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert not (tmp_path / "result.txt").exists()
    assert ("I cannot do this." in ended.stderr) == (len(turns) > 1)
    assert ("nothing was written to" in ended.stderr) == bool(options)


@pytest.mark.proves("C11")
def test_a_port_of_a_host_is_where_to_attach_and_no_word_of_the_task(tmp_path: Path) -> None:
    with nobody() as url:
        place = url.removeprefix("http://")
        assert f"no browser answers at {place}" in refused(tmp_path, "--attach", place)
