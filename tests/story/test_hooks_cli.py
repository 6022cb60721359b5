"""Hooks of a whole program: those of the person's home run, those of a clone only when trusted."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.story.test_cli_run import ouro, script
from tests.story.test_review import repository
from tests.story.test_review_cli import REVIEW

CALLS = {
    "text": "I look.",
    "tool_calls": [{"name": "shell", "arguments": {"command": "touch made"}}],
}
DONE = {"text": "Done."}
REFUSE = {"type": "command", "command": "echo not so >&2; exit 2", "statusMessage": "Looking at it"}
TABLE = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [REFUSE]}]}})


@pytest.mark.proves("Z08")
def test_a_hook_of_the_home_refuses_and_the_person_reads_it(tmp_path: Path):
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    (home / "hooks.json").write_text(TABLE, encoding="utf-8")
    model = script(tmp_path, CALLS, DONE)
    words = ("run", "--model", model, "--mode", "full-auto", "look")
    ended = ouro(*words, cwd=work, OUROBOROS_HOME=str(home))
    assert (ended.returncode, ended.stdout) == (0, "Done.\n")
    assert "Looking at it\n" in ended.stderr
    assert f"Hook PreToolUse of {home / 'hooks.json'} refused: not so\n" in ended.stderr
    assert not (work / "made").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-13.8", "W07", "divergences-hooks-of-the-person")
def test_a_hook_of_a_clone_does_nothing_until_it_is_trusted(tmp_path: Path):
    home, work = tmp_path / "home", tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / ".ouroboros").mkdir()
    (work / ".ouroboros" / "hooks.json").write_text(TABLE, encoding="utf-8")

    def program(*words: str) -> CompletedProcess[str]:
        return ouro(*words, cwd=work, OUROBOROS_HOME=str(home))

    words = ("run", "--model", script(tmp_path, CALLS, DONE), "--mode", "full-auto", "look")
    for step, says in (
        (("hooks", "list"), "not trusted, so not used: .ouroboros/hooks.json"),
        (("trust", "--yes"), "1 hook of this project will not run"),
    ):
        assert program(*step).returncode == 0
        ended = program(*words)
        assert "refused" not in ended.stderr
        assert says in ended.stderr
        assert (work / "made").exists()
        (work / "made").unlink()
    assert program("hooks", "trust", "--yes").returncode == 0
    ended = program(*words)
    assert "refused: not so" in ended.stderr
    assert not (work / "made").exists()


@pytest.mark.deep
def test_a_review_asks_hooks_as_a_run_does(tmp_path: Path):
    folder = repository(tmp_path)
    (folder / "a.py").write_text("new\n", encoding="utf-8")
    home, project = tmp_path / "home", folder / ".ouroboros"
    home.mkdir()
    project.mkdir()
    end = {"type": "command", "command": f"touch {tmp_path / 'of_home'}"}
    table = {"hooks": {"SessionEnd": [{"hooks": [end]}]}}
    (home / "hooks.json").write_text(json.dumps(table), encoding="utf-8")
    (project / "config.toml").write_text(
        f"[[hooks.SessionEnd]]\nhooks = [{{type = 'command', command = 'touch {tmp_path}/of_clone'}}]\n",
        encoding="utf-8",
    )
    ouro("trust", "--yes", cwd=folder, OUROBOROS_HOME=str(home))
    model = script(tmp_path, {"text": json.dumps(REVIEW)})
    ended = ouro("review", "--model", model, cwd=folder, OUROBOROS_HOME=str(home))
    assert ended.returncode == 0
    assert not (tmp_path / "of_clone").exists()
    assert (tmp_path / "of_home").exists()
    assert "for you have not trusted them" in ended.stderr
