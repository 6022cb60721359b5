"""A turn is being taken back and the program is killed: the next start takes back the rest, once."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from ouroboros.core.events.checkpoint import TurnRedone, TurnUndone
from ouroboros.core.events.session import SessionRolledBack
from ouroboros.core.state import State, fold
from ouroboros.store import resume
from ouroboros.store.sessions import list_sessions
from tests import forked
from tests.cases import soak_but
from tests.faults import oracle, undo_driver
from tests.faults.test_changed_surroundings import ouro
from tests.unit.workspace.kept_folder import seen

SCRIPT = [
    {"tool_calls": [{"name": "shell", "arguments": {"command": "echo 2 > a; echo b > b; rm c"}}]},
    {"text": "done"},
]
ROOT = Path(__file__).parents[2]


class Ground(Struct, frozen=True, kw_only=True):
    """A folder in which one turn changed three files, and what was seen before and after it."""

    home: Path
    work: Path
    script: Path
    was: object
    then: object

    def driven(self, what: str, where: str = "") -> tuple[int, str]:
        words = (str(self.home), str(self.work), str(self.script), what, where)
        ran = forked.run(
            [sys.executable, "-m", undo_driver.__name__, *words],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=ROOT,
            env={"PATH": os.environ["PATH"]},
            check=False,
        )
        assert ran.returncode in {0, -9}, ran.stderr
        return ran.returncode, ran.stdout

    @property
    def state(self) -> State:
        (session,) = list_sessions(self.home)
        return fold(resume.read(self.home, session.id).envelopes)

    def counted(self) -> tuple[int, int]:
        """How often the conversation went back, and how often that was said to be an undo."""
        ((_, kept),) = oracle.on_disk(self.home)[0].items()
        moves = [e for e in kept if isinstance(e.data, SessionRolledBack)]
        return len(moves), len([e for e in kept if isinstance(e.data, TurnUndone)])

    def had_again(self) -> list[tuple[int, tuple[str, ...]]]:
        """What was said of turns that are there again."""
        ((_, kept),) = oracle.on_disk(self.home)[0].items()
        return [(e.data.turns, e.data.done) for e in kept if isinstance(e.data, TurnRedone)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ground, Path]:
    """A ground, and what lies in it so that it can be laid out there again: it knows its own place."""
    folder = tmp_path_factory.mktemp("undo") / "ground"
    home, work, script = folder / "home", folder / "work", folder / "demo.jsonl"
    work.mkdir(parents=True)
    script.write_text("".join(json.dumps(turn) + "\n" for turn in SCRIPT), encoding="utf-8")
    for name in ("a", "c"):
        (work / name).write_text("1")
    was = seen(work)
    told = ouro(
        work, home, "run", "--mode", "full-auto", "--model", f"script:{script}", "Change it"
    )
    assert told[0] == 0, told[1]
    kept = shutil.copytree(folder, folder.with_name("kept"))
    return Ground(home=home, work=work, script=script, was=was, then=seen(work)), kept


@pytest.fixture
def ground(made: tuple[Ground, Path]) -> Ground:
    found, kept = made
    shutil.rmtree(found.work.parent)
    shutil.copytree(kept, found.work.parent)
    return found


PLACES = {
    "not planned": "checkpoint.created",
    "not begun": "/rewind.json.",
    "files half done": "/.ouro-restoring-",
    "files done": "/rewind.json",
    "files on record": "checkpoint.restored",
    "conversation went back": "session.rollback",
    "all on record": "turn.undone",
    "before it is forgotten": "/carried.",
}


TELLING = "files half done"
"""The place that shows most; what is quick is tried there, and what comes long after it there alone."""


@pytest.mark.proves("K08")
@pytest.mark.parametrize(
    "place",
    [TELLING, *soak_but(3, (each for each in PLACES if each != TELLING))],
)
def test_the_rest_of_an_undo_is_done_at_the_next_start(ground: Ground, place: str) -> None:
    code, _ = ground.driven("undo", PLACES[place])
    assert code == -9
    _, told = ground.driven("look")
    state = ground.state
    if place in {"not planned", "not begun"}:
        assert (seen(ground.work), len(state.tree.turns()), told) == (ground.then, 1, "")
        return
    assert seen(ground.work) == ground.was
    assert state.tree.turns() == []
    assert [undone.turns for undone in state.files.undone] == [1]
    assert ground.counted() == (1, 1)
    is_told = place in {
        "files half done",
        "files done",
        "files on record",
        "conversation went back",
    }
    assert ("are taken back now" in told) == is_told
    if place != TELLING:
        return
    assert ground.driven("look") == (0, "")
    assert ground.counted() == (1, 1)
    ground.driven("redo")
    assert (seen(ground.work), len(ground.state.tree.turns())) == (ground.then, 1)
    assert ground.driven("look") == (0, "")
    assert (seen(ground.work), ground.counted()) == (ground.then, (1, 1))


AGAIN = {
    "not planned": "checkpoint.created",
    "not begun": "/rewind.json.",
    "files half done": "/.ouro-restoring-",
    "files done": "/rewind.json",
    "files on record": "checkpoint.restored",
    "conversation went on": "session.branched",
    "all on record": "turn.redone",
    "before it is forgotten": "/carried.",
}


@pytest.mark.proves("K08")
@pytest.mark.parametrize("place", soak_but(3, AGAIN))
def test_the_rest_of_a_redo_is_done_at_the_next_start(ground: Ground, place: str) -> None:
    assert ground.driven("undo") == (0, "")
    assert ground.driven("redo", AGAIN[place])[0] == -9
    _, told = ground.driven("look")
    if place in {"not planned", "not begun"}:
        assert (seen(ground.work), ground.state.tree.turns(), told) == (ground.was, [], "")
        assert ground.driven("redo") == (0, "")
    else:
        is_told = place not in {"all on record", "before it is forgotten"}
        assert ("are there again now" in told) == is_told
    assert (seen(ground.work), len(ground.state.tree.turns())) == (ground.then, 1)
    assert ground.state.files.undone == []
    assert ground.had_again() == [(1, ("files", "history"))]
    if place != TELLING:
        return
    assert ground.driven("look") == (0, "")
    assert ground.driven("undo") == (0, "")
    assert (seen(ground.work), ground.state.tree.turns()) == (ground.was, [])


@pytest.mark.proves("K08")
@pytest.mark.deep
def test_a_redo_that_was_cut_off_can_be_taken_back_as_a_whole(ground: Ground) -> None:
    assert ground.driven("undo") == (0, "")
    assert ground.driven("redo", AGAIN["files half done"])[0] == -9
    assert seen(ground.work) not in (ground.was, ground.then)
    assert ouro(ground.work, ground.home, "rewind", "--take-back")[0] == 0
    assert ground.driven("look") == (0, "")
    assert (seen(ground.work), ground.state.tree.turns()) == (ground.was, [])
    assert (ground.driven("redo"), seen(ground.work)) == ((0, ""), ground.then)


@pytest.mark.proves("K08")
@pytest.mark.deep
def test_an_undo_that_was_cut_off_can_be_taken_back_as_a_whole(ground: Ground) -> None:
    assert ground.driven("undo", PLACES["files half done"])[0] == -9
    assert seen(ground.work) not in (ground.was, ground.then)
    assert ouro(ground.work, ground.home, "rewind", "--take-back")[0] == 0
    assert ground.driven("look") == (0, "")
    assert (seen(ground.work), len(ground.state.tree.turns())) == (ground.then, 1)
    assert ground.counted() == (0, 0)
