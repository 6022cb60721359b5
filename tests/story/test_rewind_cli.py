"""`ouro rewind` and `ouro checkpoints`, and `/rewind` in the chat, as a person uses them."""

import json
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from ouroboros.app.rewind.offline import Records
from ouroboros.app.settings import Settings
from ouroboros.core.errors import Misuse
from ouroboros.core.events.checkpoint import CheckpointRestored
from ouroboros.faces.cli.entry import main
from ouroboros.workspace.checkpoints.rewind import pending
from tests import forked
from tests.unit.workspace.kept_folder import seen

SCRIPT = [
    {"tool_calls": [{"name": "write", "arguments": {"path": "b.txt", "content": "b\n"}}]},
    {"tool_calls": [{"name": "shell", "arguments": {"command": "sed -i s/one/two/ a.txt"}}]},
    {"text": "done"},
    {"text": "Nothing is left to do."},
]


class Person:
    """Somebody at a command line, in a folder with one file."""

    def __init__(self, folder: Path, home: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.home, self.work, self._captured = home / ".ouroboros", folder / "work", captured
        self.work.mkdir()
        (self.work / "a.txt").write_text("one\n")
        self.script = folder / "demo.jsonl"
        self.script.write_text("".join(json.dumps(turn) + "\n" for turn in SCRIPT))

    def ouro(self, *words: str, code: int = 0) -> tuple[str, str]:
        ended = main(list(words))
        out, err = self._captured.readouterr()
        assert ended == code, err
        return out, err

    def run(self) -> None:
        self.ouro("run", "--mode", "full-auto", "--model", f"script:{self.script}", "Change it")

    def session(self) -> str:
        return str(json.loads(self.ouro("sessions", "list", "--json")[0])[0]["id"])

    def records(self, session: str) -> Records:
        return Records(self.home, session, msgspec.convert({}, Settings))

    def cut(self, message: str, session: str) -> None:
        """Goes back, and is killed right before the first file is removed."""
        cut = CUT.format(home=str(self.home), id=session, message=message)
        ran = forked.run([sys.executable, "-c", cut], capture_output=True, text=True, check=False)
        assert ran.returncode == -9, ran.stderr


@pytest.fixture
def person(
    tmp_path: Path,
    fresh_home: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Person:
    somebody = Person(tmp_path, fresh_home, capfd)
    monkeypatch.chdir(somebody.work)
    return somebody


@pytest.mark.deep
@pytest.mark.proves("K04")
def test_a_run_is_listed_looked_at_and_gone_back_from(person: Person) -> None:
    was = seen(person.work)
    person.run()
    then = seen(person.work)
    listed, hint = person.ouro("rewind")
    assert listed.split("\t")[0] == "1"
    assert listed.split("\t")[2:] == ["+1 ~1", "Change it\n"]
    assert "--to TURN" in hint
    diff, _ = person.ouro("rewind", "--to", "1", "--dry-run")
    assert "-two\n+one\n" in diff
    assert "deleted file mode 100644" in diff
    assert seen(person.work) == then
    _, said = person.ouro("rewind", "--to", "1", "--files", code=2)
    assert "--yes goes on without asking" in said
    _, said = person.ouro("rewind", "--to", "1", "--yes")
    assert "2 paths changed" in said
    assert "goes on from before turn 1" in said
    assert seen(person.work) == was
    listed, _ = person.ouro("checkpoints", "list")
    kinds = [line.split("\t")[2] for line in listed.splitlines()]
    assert kinds == [
        "after going back",
        "before going back",
        "end of a run",
        *["before a call"] * 2,
    ]
    before = listed.splitlines()[1].split("\t")[0]
    person.ouro("checkpoints", "restore", before, "--yes")
    assert seen(person.work) == then
    assert "+two" in person.ouro("checkpoints", "diff", listed.splitlines()[0][:12])[0]


@pytest.mark.deep
@pytest.mark.proves("K06")
def test_changes_of_the_persons_own_stay_unless_they_say_so(person: Person) -> None:
    person.run()
    (person.work / "a.txt").write_text("mine\n")
    _, said = person.ouro("rewind", "--to", "1", "--files", code=2)
    assert "changed since by somebody else: a.txt" in said
    asks = "--yes overwrites them, and what is new goes; --keep leaves them as they are"
    assert asks in said
    first = person.ouro("checkpoints", "list")[0].splitlines()[-1].split("\t")[0]
    _, said = person.ouro("checkpoints", "restore", first, code=2)
    assert "changed since by somebody else: a.txt" in said
    assert asks in said
    _, said = person.ouro("rewind", "--to", "1", "--files", "--keep")
    assert "\n1 path changed; " in said
    assert (person.work / "a.txt").read_text() == "mine\n"
    assert not (person.work / "b.txt").exists()
    _, said = person.ouro("rewind", "--to", "7", code=2)
    assert "no turn '7'" in said


@pytest.mark.deep
def test_what_they_take_is_told_and_given_back(person: Person) -> None:
    person.run()
    size, _ = person.ouro("checkpoints", "size", "--json")
    (told,) = json.loads(size)
    assert (told["folder"], told["checkpoints"], told["sessions"]) == (str(person.work), 3, 1)
    _, said = person.ouro("checkpoints", "prune", "--keep", "1", "--yes")
    assert "2 checkpoints removed" in said
    (after,) = json.loads(person.ouro("checkpoints", "size", "--json")[0])
    assert after["bytes"] < told["bytes"]
    listed, _ = person.ouro("checkpoints", "list")
    assert [line.endswith("gone") for line in listed.splitlines()] == [False, True, True]


@pytest.mark.deep
@pytest.mark.proves("K04")
def test_a_folder_that_was_renamed_is_gone_back_in(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = seen(person.work)
    person.run()
    session = person.session()
    renamed = person.work.rename(person.work.with_name("renamed"))
    other = person.work.with_name("other")
    other.mkdir()
    (other / "mine").write_text("mine")
    monkeypatch.chdir(other)
    _, said = person.ouro("rewind", session, code=1)
    assert "is gone" in said
    monkeypatch.chdir(renamed)
    person.ouro("rewind", session, "--to", "1", "--files", "--yes")
    assert seen(renamed) == was
    assert (other / "mine").exists()


@pytest.mark.deep
def test_checkpoints_go_with_their_session_unless_a_fork_has_them(person: Person) -> None:
    person.run()
    first = person.session()
    fork = person.ouro("sessions", "fork", first)[0].strip()
    person.ouro("sessions", "delete", first, "--yes")
    (told,) = json.loads(person.ouro("checkpoints", "size", "--json")[0])
    assert (told["sessions"], told["checkpoints"]) == (1, 3)
    person.ouro("rewind", fork, "--to", "1", "--files", "--yes")
    assert sorted(path.name for path in person.work.iterdir()) == ["a.txt"]
    person.ouro("sessions", "delete", fork, "--yes")
    (told,) = json.loads(person.ouro("checkpoints", "size", "--json")[0])
    assert (told["sessions"], told["checkpoints"]) == (0, 0)


def chatted(person: Person, *lines: str, more: tuple[str, ...] = ()) -> str:
    """What a chat with these lines said beside the answers."""
    chat = ("chat", "--mode", "full-auto", "--model", f"script:{person.script}", *more)
    ran = forked.run(
        [sys.executable, "-m", "ouroboros", *chat],
        input="\n".join([*lines, "/quit\n"]),
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stderr


@pytest.mark.deep
@pytest.mark.proves("K05")
def test_what_a_rewind_in_the_chat_took_can_be_had_again(person: Person) -> None:
    said = chatted(person, "Change it", "/rewind 1", "/redo", "/rewind 1 keep", "/redo")
    assert said.count("Have again the latest turn (files, history)") == 2
    assert said.count("after message 4, it: done") == 2
    assert (person.work / "a.txt").read_text() == "two\n"


@pytest.mark.deep
@pytest.mark.proves("K05")
@pytest.mark.parametrize("what", ["--both", pytest.param("--conversation", marks=pytest.mark.deep)])
def test_what_ouro_rewind_took_can_be_had_again_in_a_chat(person: Person, what: str) -> None:
    person.run()
    person.ouro("rewind", "--to", "1", what, "--yes")
    said = chatted(person, "/redo", more=("--continue",))
    assert "Have again the latest turn" in said
    assert "after message 4, it: done" in said
    assert (person.work / "a.txt").read_text() == "two\n"


@pytest.mark.proves("K05")
@pytest.mark.deep
def test_what_only_files_went_back_for_is_told_with_the_way_back(person: Person) -> None:
    said = chatted(person, "Change it", "/rewind 1 files", "/redo")
    assert "error: there is nothing to have again" in said
    way = said.rpartition("/checkpoints restore ")[2][:12]
    person.ouro("checkpoints", "restore", way, "--yes")
    assert (person.work / "a.txt").read_text() == "two\n"


@pytest.mark.proves("K06")
@pytest.mark.deep
def test_a_decision_is_asked_for_with_the_line_to_type(person: Person) -> None:
    chatted(person, "Change it")
    (person.work / "a.txt").write_text("mine\n")
    said = chatted(person, "/undo 1", "/rewind 1 files", "/undo 1 keep", more=("--continue",))
    for line in ("/undo 1", "/rewind 1 files"):
        assert f"`{line} overwrite` brings them back too" in said
        assert f"`{line} keep` leaves them" in said
    assert (person.work / "a.txt").read_text() == "mine\n"
    assert not (person.work / "b.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("K04")
def test_the_chat_goes_back_and_on_again(person: Person) -> None:
    chat = ("chat", "--mode", "full-auto", "--model", f"script:{person.script}")
    lines = "Change it\n/rewind\n/undo\n/redo\n/rewind 1 diff\n/rewind 1 files\n/checkpoints\n/rewind nine\n/quit\n"
    ran = forked.run(
        [sys.executable, "-m", "ouroboros", *chat],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1\t" in ran.stderr
    assert "Took back the latest turn (files, history)" in ran.stderr
    assert "Have again the latest turn (files, history)" in ran.stderr
    assert "-two\n+one" in ran.stderr
    assert "Files were brought back, 2 paths changed" in ran.stderr
    assert "after going back" in ran.stderr
    assert "'nine' is not understood" in ran.stderr
    assert (person.work / "a.txt").read_text() == "one\n"


@pytest.mark.deep
def test_words_that_a_command_of_the_chat_cannot_do_are_refused(person: Person) -> None:
    far = "9" * 5_000
    lines = "Change it", "/undo files", "/redo 2", "/checkpoints restore abcd soon", f"/rewind {far}", \
        f"/rollback {far}", f"/goal budget {far}", f"/queue drop {far}", "/quit"  # fmt: skip
    chat = ("chat", "--mode", "full-auto", "--model", f"script:{person.script}")
    ran = forked.run(
        [sys.executable, "-m", "ouroboros", *chat],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Took back" not in ran.stderr
    assert ran.stderr.count("is not understood") == 4
    for said in ("is no number of turns", "is no number of tokens", "nothing that waits has"):
        assert said in ran.stderr
    assert (person.work / "b.txt").exists()


@pytest.mark.proves("K14")
def test_a_rewind_that_was_cut_off_is_finished_at_the_next_start(person: Person) -> None:
    was = seen(person.work)
    person.run()
    session = person.session()
    records = person.records(session)
    person.cut(records.points()[0].message_id, session)
    assert pending(records.shadow) is not None
    assert seen(person.work) != was
    _, said = person.ouro(
        "run", "--model", f"script:{person.script}", "--mode", "plan", "--resume", session, "Go on"
    )
    assert "a rewind that was cut off is finished: 2 more paths" in said
    assert seen(person.work) == was
    assert pending(records.shadow) is None
    events = [
        each for each in person.records(session).events if isinstance(each, CheckpointRestored)
    ]
    assert [(each.finished, each.changed) for each in events] == [(True, 2)]


CUT = """
import os, signal
from pathlib import Path
import msgspec
from ouroboros.app.rewind.offline import Records
from ouroboros.app.settings import Settings
from ouroboros.workspace.checkpoints import restore
def killed(self, *more):
    os.kill(os.getpid(), signal.SIGKILL)
restore.Restorer._unlink = killed
records = Records(Path({home!r}), {id!r}, msgspec.convert({{}}, Settings))
records.restore(records.target({message!r}), "overwrite")
"""


@pytest.mark.deep
@pytest.mark.proves("K14")
@pytest.mark.parametrize("way", ["--finish", pytest.param("--take-back", marks=pytest.mark.deep)])
def test_the_command_line_finishes_or_takes_back_a_cut_off_rewind(person: Person, way: str) -> None:
    was = seen(person.work)
    person.run()
    then = seen(person.work)
    session = person.session()
    person.cut(person.records(session).points()[0].message_id, session)
    _, said = person.ouro("rewind", code=2)
    assert "was cut off" in said
    late = person.records(session)
    assert late.is_cut_off()
    person.ouro("rewind", way)
    assert seen(person.work) == (was if way == "--finish" else then)
    with pytest.raises(Misuse, match="meanwhile"):
        late.finish("back" if way == "--finish" else "on")
    assert seen(person.work) == (was if way == "--finish" else then)
    person.ouro("rewind")
    _, said = person.ouro("rewind", way, code=2)
    assert "no rewind of this folder was cut off" in said


WHOLE = """
import os, signal, sys
from ouroboros.faces.cli.entry import main
def hook(event, arguments):
    if event == "os.rename":
        name = os.path.basename(os.fsdecode(arguments[0]))
        if name == {name!r} or name.startswith(".ouro-restoring-" + {name!r}):
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
main(["rewind", "--to", "1", "--yes"])
"""


@pytest.mark.deep
@pytest.mark.proves("K14")
@pytest.mark.parametrize(
    ("goes_on", "is_half_done"),
    [
        (False, True),
        pytest.param(False, False, marks=pytest.mark.deep),
        pytest.param(True, False, marks=pytest.mark.deep),
        pytest.param(True, True, marks=pytest.mark.deep),
    ],
)
def test_words_go_back_with_the_files_of_a_rewind_that_was_cut_off(
    person: Person, goes_on: bool, is_half_done: bool
) -> None:
    was = seen(person.work)
    person.run()
    plan = next((person.home / "checkpoints").glob("*.git")) / "rewind.json"
    cut = WHOLE.format(name="" if is_half_done else plan.name)
    ran = forked.run([sys.executable, "-c", cut], capture_output=True, text=True, check=False)
    assert (ran.returncode, plan.exists()) == (-9, True), ran.stderr
    if goes_on:
        model = ("--model", f"script:{person.script}", "--mode", "plan")
        _, said = person.ouro("run", "--continue", *model, "Go on")
        assert "are taken back now" in said
    else:
        _, said = person.ouro("rewind", "--finish")
        assert "Took back the latest turn (files, history)" in said
    assert seen(person.work) == was
    assert [point.text for point in person.records(person.session()).points()] == (
        ["Go on"] if goes_on else []
    )
    if not goes_on:
        undone = person.records(person.session()).state.files.undone
        assert [each.turns for each in undone] == [1]
        assert "nothing was said yet" in person.ouro("rewind")[1]
    assert not list(plan.parent.glob("carried*"))


@pytest.mark.proves("K06")
@pytest.mark.deep
@pytest.mark.parametrize("way", ["--finish", "--take-back"])
def test_what_a_person_makes_after_a_cut_off_rewind_is_theirs(person: Person, way: str) -> None:
    person.run()
    session = person.session()
    person.cut(person.records(session).points()[0].message_id, session)
    person.ouro("rewind", way)
    (person.work / "mine.txt").write_text("mine\n")
    _, said = person.ouro("rewind", "--to", "1", "--files", code=2)
    assert "changed since by somebody else: mine.txt" in said
    person.ouro("rewind", "--to", "1", "--files", "--keep")
    assert [path.name for path in sorted(person.work.iterdir())] == ["a.txt", "mine.txt"]
    assert (person.work / "a.txt").read_text() == "one\n"


@pytest.mark.deep
@pytest.mark.proves("K06", "K04")
@pytest.mark.parametrize("goes_on", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_what_a_person_changed_after_a_kill_stays_unless_they_say_so(
    person: Person, goes_on: bool
) -> None:
    calls = ("echo two >> a.txt; touch began; sleep 60", "echo three >> a.txt")
    turns = [{"tool_calls": [{"name": "shell", "arguments": {"command": it}}]} for it in calls]
    person.script.write_text("".join(json.dumps(each) + "\n" for each in [*turns, SCRIPT[2]]))
    model = ("--mode", "full-auto", "--model", f"script:{person.script}")
    words = [sys.executable, "-m", "ouroboros", "run", *model, "Go"]
    with forked.Popen(words, stderr=subprocess.DEVNULL) as ran:
        until = time.monotonic() + 120
        while not (person.work / "began").exists() and time.monotonic() < until:
            time.sleep(0.02)
        ran.kill()
    assert person.ouro("rewind")[0].split("\t")[2:] == ["+1 ~1", "Go\n"]
    (person.work / "mine.txt").write_text("mine\n")
    if goes_on:
        person.ouro("run", "--continue", *model, "Go on")
    _, said = person.ouro("rewind", "--to", "2" if goes_on else "1", "--files", code=2)
    assert "changed since by somebody else: " in said
    assert "mine.txt" in said
    assert (person.work / "mine.txt").read_text() == "mine\n"
