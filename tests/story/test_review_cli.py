"""`ouro review` and `/review` as a person meets them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.llm.turns import Turn
from tests import forked
from tests.story.stage import stage
from tests.story.test_cli_run import ouro, script
from tests.story.test_review import finding, repository

REVIEW = {
    "findings": [finding("a.py", 1), finding("a.py", 99, "[P3] Nice", priority=3)],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "One thing is wrong.",
    "overall_confidence_score": 0.8,
}


def changed(tmp_path: Path) -> Path:
    folder = repository(tmp_path)
    (folder / "a.py").write_text("new\n")
    return folder


@pytest.mark.deep
def test_a_review_is_the_answer_and_the_rest_stands_beside_it(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    model = script(tmp_path, {"text": json.dumps(REVIEW)})
    done = ouro("review", "--model", model, cwd=folder)
    assert done.returncode == 0
    assert done.stdout == (
        "One thing is wrong.\n\nFull review comments:\n\n"
        f"- [P1] Mend it — {folder}/a.py:1-1\n  It breaks.\n\n"
        f"- [P3] Nice — {folder}/a.py:99-99\n  It breaks.\n  (the file has no such line)\n"
    )
    assert "Review begins: the uncommitted changes" in done.stderr
    assert "Continue with: ouro run --resume" in done.stderr
    listed = ouro("sessions", "list", cwd=folder)
    assert listed.stdout.count("\n") == 1
    assert "Review of the uncommitted changes" in listed.stdout


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fail_on", "text", "code"),
    [("P0", None, 0), ("P1", None, 5), ("P3", None, 5), ("P3", "Fine.", 1)],
)
def test_a_gate_is_told_by_the_exit_code_and_a_program_by_json(
    tmp_path: Path, fail_on: str, text: str | None, code: int
) -> None:
    """A reply that is no review passes no gate."""
    folder = changed(tmp_path)
    model = script(tmp_path, {"text": text or json.dumps(REVIEW)})
    words = ("--json", "--max-findings", "1", "--fail-on", fail_on)
    done = ouro("review", "--model", model, *words, cwd=folder)
    assert done.returncode == code
    printed = json.loads(done.stdout)
    assert printed["overall_explanation"] == (text or "One thing is wrong.")
    titles = [one["title"] for one in printed["findings"]]
    assert titles == ([] if text else ["[P1] Mend it"])
    if not text:
        place = printed["findings"][0]["code_location"]
        assert place["absolute_file_path"] == f"{folder}/a.py"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--base", "main", "--commit", "HEAD"), "contradict each other"),
        (("--base", "nowhere"), "'nowhere' names no commit"),
        (("--fail-on", "P9"), "P9"),
    ],
)
def test_a_mistake_is_told_before_a_model_is_asked(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = ouro("review", "--model", "echo", *words, cwd=changed(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.deep
def test_a_review_in_the_chat_and_the_other_words_beside_the_turns(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    model = script(tmp_path, {"text": json.dumps(REVIEW)})
    lines = "/review\n/queue\n/personality\n/personality friendly\n/plan\n/mode\n/plan yes\n/quit\n"
    done = ouro("chat", "--model", model, cwd=folder, given=lines)
    assert f"[P1] Mend it — {folder}/a.py:1-1" in done.stderr
    for said in (
        "nothing waits for the end of the run", "personality: none", "Now personality: friendly",
        "mode: plan", "no plan waits for an answer",
    ):  # fmt: skip
        assert said in done.stderr


@pytest.mark.deep
@pytest.mark.proves("A28")
async def test_a_change_to_a_plan_stands_before_it_and_wins(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    plan = "<proposed_plan>\n1. Write a.txt\n</proposed_plan>"
    model = script(tmp_path, {"text": plan}, {"text": "Done."})
    words = ("chat", "--mode", "plan", "--model", model)
    lines = "Plan it\n/plan edit only say how\n/quit\n"
    home = str(tmp_path / "home")
    await to_thread.run_sync(lambda: ouro(*words, cwd=folder, given=lines, OUROBOROS_HOME=home))
    async with stage(tmp_path, [], latest=True) as s:
        said = [m.text for m in s.session.state.history if m.kind == "plain" and m.role == "user"]
    change = "My change, which wins wherever the plan below says otherwise: only say how"
    assert said[1].endswith(f"<proposed_plan>\n{change}\n\n1. Write a.txt\n</proposed_plan>")


@pytest.mark.deep
@pytest.mark.proves("codex-21.3", "codex-21.4")
async def test_a_review_that_a_kill_cut_off_is_over_when_the_session_goes_on(
    tmp_path: Path,
) -> None:
    folder = changed(tmp_path)
    model = script(tmp_path, {"text": "never", "delay_seconds": 60})
    await to_thread.run_sync(_killed, folder, model, tmp_path / "home")
    async with stage(tmp_path, [Turn(text="Yes.")], latest=True) as s:
        history = s.session.state.history
        assert s.session.state.reviewing == ""
        assert "stopped before it was done" in history[0].text
        await s.run("And now?")


def _killed(folder: Path, model: str, home: Path) -> None:
    """A review that is killed as soon as it has begun."""
    program = forked.Popen(
        [sys.executable, "-m", "ouroboros", "review", "--model", model],
        cwd=folder,
        env={**os.environ, "OUROBOROS_HOME": str(home)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    with program:
        assert program.stderr is not None
        assert "Review begins" in program.stderr.readline()
        program.kill()
