"""`ouro dogs` as a person and a script meet it: output, exit codes, a killed program, the review."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import forked
from tests.cases import every
from tests.story.cli_terminal import DEADLINE_SECONDS
from tests.story.test_cli_run import ouro
from tests.tui.test_terminal import ENTERED, LEFT, Whole
from tests.unit.app.dogs.dogs_stage import BUNDLE, git, picture, project_in

REFUSED = BUNDLE.replace('-print("dirty")', "-nowhere")
ASKS = '--- File: x ---\n```diff\n@@ PAWS_CMD REQUEST_CONTEXT("a.py", "why", "cat a.py") @@\n```\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = project_in(tmp_path)
    (tmp_path / "answer.md").write_text(BUNDLE)
    (tmp_path / "refused.md").write_text(REFUSED)
    return made


@pytest.mark.deep
@pytest.mark.proves("M01", "M22", "M23")
def test_a_script_gets_json_and_an_exit_code_for_each_ending(root: Path) -> None:
    def dogs(*words: str, given: str = BUNDLE) -> tuple[int, object]:
        done = ouro("dogs", "-", str(root), "-y", "--json", *words, cwd=root.parent, given=given)
        said = json.loads(done.stdout)
        if done.returncode == 64:
            return 64, (said["outcome"], done.stderr)
        return done.returncode, (
            said["outcome"],
            {each["path"]: each["action"] for each in said["files"]},
        )

    nothing = {"docs/new.md": "none", "src/app.py": "none"}
    both = {"docs/new.md": "add", "src/app.py": "change"}
    assert dogs(given=REFUSED) == (
        1,
        ("refused", {"src/app.py": "refused", "docs/new.md": "skipped"}),
    )
    assert dogs("--verify", "false", "--revert-on-fail") == (3, ("reverted", nothing))
    assert dogs("--dry-run") == (0, ("planned", both))
    assert not (root / "docs").exists()
    assert dogs("--verify", "false") == (2, ("verify_failed", both))
    git(root, "checkout", "src/app.py")
    (root / "src" / "app.py").write_text('import os\nprint("dirty")\n')
    (root / "docs" / "new.md").unlink()
    assert dogs() == (0, ("applied", both))
    assert dogs(given="no change at all\n")[0] == 5
    words = "error: --revert-on-fail needs --verify\nhint: name the command that judges\n"
    assert dogs("--revert-on-fail") == (64, ("wrong_command_line", words))
    assert dogs("--nonsense")[0] == 64


@pytest.mark.deep
@pytest.mark.proves("M15")
def test_a_bundle_of_the_guide_changes_nothing_but_what_differs(tmp_path: Path) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide"
    copy = tmp_path / "copy"
    shutil.copytree(guide, copy / "docs" / "guide")
    (copy / "a.py").write_text("x = 1\n")
    done = ouro("cats", "docs", "-o", str(tmp_path / "bundle.md"), cwd=copy)
    assert done.returncode == 0, done.stderr
    assert ouro("dogs", "../bundle.md", "-y", cwd=copy).returncode == 5
    (copy / "docs" / "guide" / "paws.md").unlink()
    (copy / "docs" / "guide" / "tui.md").write_text("changed\n")
    assert ouro("dogs", "../bundle.md", "--dry-run", cwd=copy).returncode == 0
    assert not (copy / "docs" / "guide" / "paws.md").exists()
    done = ouro("dogs", "../bundle.md", "-y", cwd=copy)
    assert done.returncode == 0, done.stderr
    found = {path.name: path.read_bytes() for path in copy.rglob("*.*") if path.is_file()}
    assert found == {path.name: path.read_bytes() for path in guide.iterdir()} | {
        "a.py": b"x = 1\n"
    }


@pytest.mark.deep
@pytest.mark.proves("M22")
def test_what_was_applied_is_not_taken_back_where_more_was_asked(root: Path) -> None:
    def undo(*words: str) -> tuple[int, object, str]:
        done = ouro("dogs", "--undo", "--json", *words, cwd=root.parent)
        said = json.loads(done.stdout)
        return done.returncode, said["outcome"], said.get("reason", "")

    code, ending, reason = undo("project")
    assert (code, ending) == (1, "failed")
    assert "no bundle was applied" in reason
    assert ouro("dogs", "answer.md", "project", "-y", cwd=root.parent).returncode == 0
    after = picture(root)
    for words in (["--dry-run"], ["--checkpoint", "x"], ["--verify", "true"], ["project"]):
        assert undo("project", *words)[:2] == (64, "wrong_command_line")
    assert picture(root) == after
    assert undo("project", "-y") == (0, "applied", "")
    assert not (root / "docs").exists()


@pytest.mark.deep
@pytest.mark.proves("M22", "M23")
def test_a_person_reads_what_was_done_and_why_not(root: Path) -> None:
    refused = ouro("dogs", "../refused.md", "-y", cwd=root)
    assert refused.returncode == 1
    assert "refused  src/app.py: block 1, line " in refused.stdout
    assert "Refused; nothing was written\n" in refused.stderr
    failed = ouro("dogs", "../answer.md", "-y", "--verify", "echo why; false", cwd=root)
    assert failed.stdout == "add      docs/new.md  +1 -0\nchange   src/app.py  +1 -1\n"
    assert failed.stderr == (
        "Applying changes from ../answer.md\n"
        "Running verification command: echo why; false\n"
        "--- stdout of echo why; false\nwhy\n"
        "The verification command failed with exit code 1; the changes are kept\n"
        "hint: `ouro dogs --undo` takes the changes back\n"
    )
    undone = ouro("dogs", "--undo", cwd=root)
    assert (undone.returncode, undone.stderr) == (0, "Taking back ../answer.md\nTaken back\n")
    quiet = ouro("dogs", "../answer.md", "-y", "-q", cwd=root)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


@pytest.mark.deep
@pytest.mark.proves("M22", "M23")
@every(
    "words",
    [["--nonsense"], [], ["missing.md"], ["answer.md", "no/such/folder"], ["a", "b", "c"]],
)
def test_a_wrong_command_line_is_64(root: Path, words: list[str]) -> None:
    assert ouro("dogs", *words, cwd=root.parent).returncode == 64


def begun(root: Path, command: str) -> subprocess.Popen[bytes]:
    """Dogs whose verification runs; ``started`` is there by then."""
    words = ("dogs", "../answer.md", "-y", "--revert-on-fail", "--verify", command)
    command_line = [sys.executable, "-m", "ouroboros", *words]
    program = forked.Popen(command_line, cwd=root, stderr=subprocess.PIPE)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not (root / "started").exists():
        assert program.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return program


@pytest.mark.deep
@pytest.mark.proves("M18", "N15")
def test_interrupted_while_it_is_judged_everything_is_as_it_was(root: Path) -> None:
    before = picture(root)
    program = begun(root, "touch started; sleep 600")
    program.send_signal(signal.SIGTERM)
    assert program.stderr is not None
    with program.stderr as said:
        while b"bringing the files back" not in (line := said.readline()):
            assert line
        program.send_signal(signal.SIGINT)  # whoever presses the key twice loses nothing
        assert b"interrupted" in said.read()
    assert program.wait(DEADLINE_SECONDS) == 130
    assert picture(root) == before


@pytest.mark.deep
@pytest.mark.proves("M01")
def test_ctrl_c_ends_it_while_it_waits_for_the_bundle(root: Path) -> None:
    os.mkfifo(root.parent / "pipe")
    words = [sys.executable, "-m", "ouroboros", "dogs", "pipe", str(root), "-y"]
    with forked.Popen(words, cwd=root.parent, stderr=subprocess.PIPE) as program:
        # A pipe opens for the writer when its reader is there.
        with (root.parent / "pipe").open("wb", buffering=0) as bundle:
            bundle.write(b"--- File: ")
            program.send_signal(signal.SIGINT)
            try:
                code = program.wait(DEADLINE_SECONDS / 2)
            except subprocess.TimeoutExpired:
                # It came after Python looked for signals, and before the read began.
                program.send_signal(signal.SIGINT)
                code = program.wait(DEADLINE_SECONDS)
            finally:
                program.kill()
        assert program.stderr is not None
        assert b"interrupted" in program.stderr.read()
    assert code == 130


@pytest.mark.deep
@pytest.mark.proves("M18")
def test_killed_while_it_is_judged_it_is_told_and_can_be_taken_back(root: Path) -> None:
    before = picture(root)
    program = begun(root, "touch started; sleep 600")
    program.kill()
    program.communicate(timeout=DEADLINE_SECONDS)
    assert "better" in (root / "src" / "app.py").read_text()
    told = ouro("dogs", "../refused.md", "-y", cwd=root)
    assert "cut off while 'touch started; sleep 600' judged it" in told.stderr
    assert ouro("dogs", "--undo", cwd=root).returncode == 0
    (root / "started").unlink()
    assert picture(root) == before


@pytest.mark.deep
@pytest.mark.proves("M16", "M17")
def test_a_person_chooses_on_the_screen_and_only_that_is_written(root: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    (root / "long.txt").write_text(text)
    (root.parent / "answer.md").write_text(
        BUNDLE
        + "\n--- File: long.txt ---\n```diff\n line 1\n-line 2\n+two\n line 3\n@@\n line 29\n"
        "-line 30\n+thirty\n line 31\n```\n"
    )
    words = ["dogs", "../answer.md", "--interactive"]
    with Whole(words, cwd=root, environment=dict(os.environ)) as program:
        program.writes("hunk 1 of")
        program.type("r")  # docs/new.md
        program.type("\r")  # into long.txt
        program.type("s")  # its first hunk
        program.type("a")  # its second, and on to src/app.py
        program.type("a")
        assert (root / "long.txt").read_text() == text
        program.type("q")
        assert program.ends() == 0
    assert program.raw.rindex(LEFT) > program.raw.index(ENTERED)
    assert program.left_on == set()
    assert not (root / "docs").exists()
    assert (root / "long.txt").read_text() == text.replace("line 30\n", "thirty\n")
    assert "better" in (root / "src" / "app.py").read_text()


def waits(pid: int) -> None:
    """Returns once a process does nothing but wait: a signal a moment earlier would be read with the next key."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    asleep = 0
    while asleep < 5:
        assert time.monotonic() < deadline
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0
        time.sleep(0.01)


@pytest.mark.deep
@pytest.mark.proves("M22", "M23")
@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("n\r", 5),
        pytest.param("\x03", 130, marks=pytest.mark.deep),
        pytest.param("y\r", 0, marks=pytest.mark.deep),
    ],
    ids=repr,
)
def test_a_person_is_asked_before_anything_is_written(root: Path, key: str, code: int) -> None:
    before = picture(root)
    with Whole(["dogs", "../answer.md"], cwd=root, environment=dict(os.environ)) as program:
        program.writes("Apply 2 changes? [y/N]")
        waits(program.process.pid)
        program.type(key)
        assert program.ends() == code
    assert (picture(root) == before) == (code != 0)


@pytest.mark.deep
@pytest.mark.proves("M16", "M17")
def test_a_review_that_is_broken_off_writes_nothing(root: Path) -> None:
    before = picture(root)
    with Whole(["dogs", "../answer.md", "-i"], cwd=root, environment=dict(os.environ)) as program:
        program.writes("hunk 1 of")
        program.type("A")
        program.type("\x03")
        assert program.ends() == 5
    assert picture(root) == before


def steering_bundle(*paths: str) -> str:
    blocks = (f"--- New File: {path} ---\n```\nnew\n```\n" for path in paths)
    return "\n".join(('---\nversion: "1.0"\n---\n', *blocks))


type Steered = tuple[list[str], list[str], int, str, list[str]]

STEERING: list[Steered] = [
    # words, paths of the bundle, exit code, ending, what was written
    (["-y"], ["a.txt", "AGENTS.md"], 6, "steering_left", ["a.txt"]),
    (["-y"], ["AGENTS.md"], 6, "steering_left", []),
    (["-y", "--steering"], ["a.txt", "AGENTS.md"], 0, "applied", ["a.txt", "AGENTS.md"]),
    (["-n"], ["a.txt", ".github/workflows/ci.yml"], 6, "steering_left", ["a.txt"]),
    (["-n", "--steering"], [".mcp.json"], 0, "applied", [".mcp.json"]),
    (["-y"], ["a.txt", "deep/down/.claude/settings.json"], 6, "steering_left", ["a.txt"]),
    (["-y"], ["a.txt", "AGENTS.MD", ".VSCode/tasks.json"], 6, "steering_left", ["a.txt"]),
    (["-y"], ["a.txt", ".env", ".envrc", ".gitmodules"], 6, "steering_left", ["a.txt"]),
    (["-y"], ["a.txt", ".env.example", "Makefile"], 0, "applied", ["a.txt", "Makefile"]),
    (["-y", "--partial"], ["a.txt", "CLAUDE.md"], 6, "steering_left", ["a.txt"]),
    (["-y", "--verify", "true"], ["a.txt", "CLAUDE.md"], 6, "steering_left", ["a.txt"]),
    (["-y", "--verify", "false"], ["a.txt", "CLAUDE.md"], 2, "verify_failed", ["a.txt"]),
    (["-y", "--dry-run"], ["a.txt", "CLAUDE.md"], 0, "planned", []),
]


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
@every("case", STEERING[:4])
def test_a_yes_to_everything_is_none_to_what_steers_later_runs(
    tmp_path: Path, case: Steered
) -> None:
    applied_apart(tmp_path, case)


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
@every("case", STEERING[4:])
def test_neither_are_other_ways_to_say_yes(tmp_path: Path, case: Steered) -> None:
    applied_apart(tmp_path, case)


def applied_apart(tmp_path: Path, case: Steered) -> None:
    words, paths, code, ending, written = case
    (tmp_path / "in").mkdir()
    done = ouro("dogs", "-", "in", *words, "--json", cwd=tmp_path, given=steering_bundle(*paths))
    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"]) == (code, ending)
    assert [(tmp_path / "in" / path).exists() for path in paths] == [
        path in written or path == ".env.example" for path in paths
    ]
    steers = {each["path"] for each in said["files"] if each.get("steers")}
    assert steers == {path for path in paths if path not in {"a.txt", ".env.example", "Makefile"}}


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
def test_a_person_reads_what_was_left_out_and_how_it_is_applied(root: Path) -> None:
    bundle = steering_bundle("a.txt", "AGENTS.md", "ci.yml")
    done = ouro("dogs", "-", "-y", cwd=root, given=bundle.replace("ci.yml", ".github/ci.yml"))
    assert done.returncode == 6
    assert done.stderr.endswith(
        "Applied 1 file; left out what steers later runs: .github/ci.yml, AGENTS.md (--steering applies it)\n"
    )
    quiet = ouro("dogs", "-", "-y", "-q", cwd=root, given=steering_bundle("AGENTS.md"))
    assert (quiet.returncode, quiet.stdout) == (6, "")
    assert quiet.stderr.startswith(
        "Nothing was written; left out what steers later runs: AGENTS.md"
    )
    (root / ".github").mkdir()
    within = ouro("dogs", "-", ".github", "-y", cwd=root, given=steering_bundle("ci.yml"))
    assert within.returncode == 6
    applied = ouro(
        "dogs", "-", "-y", "--steering", cwd=root, given=steering_bundle("b", "AGENTS.md")
    )
    assert applied.stdout == (
        "add      b  +1 -0\nadd      AGENTS.md  +1 -0: what agents are told and may do\n"
    )
    assert "These steer later runs:\n" in applied.stderr


@pytest.mark.proves("permissions-steering")
@pytest.mark.parametrize(
    ("key", "code"), [("n\r", 6), pytest.param("y\r", 0, marks=pytest.mark.deep)]
)
def test_a_person_is_asked_about_what_steers_though_the_rest_is_unasked(
    root: Path, key: str, code: int
) -> None:
    (root.parent / "answer.md").write_text(steering_bundle("a.txt", "AGENTS.md"))
    words = ["dogs", "../answer.md", "-y"]
    with Whole(words, cwd=root, environment=dict(os.environ)) as program:
        program.writes("Apply these too? [y/N]")
        waits(program.process.pid)
        program.type(key)
        assert program.ends() == code
    assert (root / "a.txt").exists()
    assert (root / "AGENTS.md").exists() == (code == 0)
