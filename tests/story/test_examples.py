"""Every example does what it says, with a script in the model's place; and the Python API it uses."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

import ouroboros
from ouroboros import Ouroboros
from ouroboros.app.demo.site.server import open_shops
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ModelDelta
from tests.house.rules import ROOT

EXAMPLES = ROOT / "examples"
FINDING = {"findings": [{"file": "a.py", "line": 3, "problem": "no docstring"}]}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def played(folder: Path, *turns: dict[str, Any]) -> dict[str, str]:
    """The environment of a program whose model plays these turns."""
    script = folder / "turns.jsonl"
    script.write_text("".join(json.dumps(each) + "\n" for each in turns))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "OUROBOROS_MODEL": f"script:{script}",
    }


def run(folder: Path, name: str, *turns: dict[str, Any], words: tuple[str, ...] = ()) -> str:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *words],
        cwd=work,
        env=played(folder, *turns),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
def test_one_task_is_done_and_its_answer_printed(tmp_path: Path) -> None:
    assert run(tmp_path, "one_task.py", {"text": "It is empty."}) == "It is empty.\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
def test_events_are_streamed(tmp_path: Path) -> None:
    turns = [
        {"text": "I look.", "tool_calls": [call("ls", path=".")]},
        {"text": "There is nothing."},
    ]
    said = run(tmp_path, "stream_events.py", *turns)
    assert said.startswith("I look.\n[")
    assert said.endswith("There is nothing.\ncompleted after 2 turns\n")


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
def test_code_says_yes_to_a_file_and_no_to_the_rest(tmp_path: Path) -> None:
    (tmp_path / "work" / "build").mkdir(parents=True)
    write = call("write", path="notes.txt", content="noted\n")
    remove = call("exec_command", cmd="rm -r build")
    turns = [{"tool_calls": [write]}, {"tool_calls": [remove]}, {"text": "Half of it."}]
    said = run(tmp_path, "approve_by_code.py", *turns).splitlines()
    assert [each.partition(":")[0] for each in said] == ["yes", "no", "Half of it."]
    assert (tmp_path / "work" / "notes.txt").read_text() == "noted\n"
    assert (tmp_path / "work" / "build").is_dir()


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
def test_an_answer_is_a_value(tmp_path: Path) -> None:
    said = run(tmp_path, "structured_output.py", {"text": json.dumps(FINDING)})
    assert said == "a.py:3: no docstring\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
def test_a_page_is_read_by_code(tmp_path: Path) -> None:
    with open_shops() as shops:
        block = (
            f"const tab = await openTab('{shops[0].url}'); await waitForLoad(tab); "
            "setFinal(await getText(tab))"
        )
        turn = {"text": f"```repl\n{block}\n```"}
        said = run(tmp_path, "browse.py", turn, words=(shops[0].url,))
    assert shops[0].asked
    assert len(said.strip()) > 20


@pytest.mark.proves("interfaces-python-api")
def test_every_example_is_run_here() -> None:
    text = Path(__file__).read_text("utf-8")
    names = sorted(each.name for each in EXAMPLES.glob("*.py"))
    assert len(names) == 5
    assert [name for name in names if f'"{name}"' not in text] == []


@pytest.mark.proves("interfaces-python-api")
def test_importing_the_package_loads_none_of_the_engine() -> None:
    look = "import sys, ouroboros; print(*sorted(m for m in sys.modules if 'ouroboros' in m))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", look], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["ouroboros"]


@pytest.mark.proves("interfaces-python-api")
def test_public_names_are_those_of_the_stub_and_others_are_missing() -> None:
    stub = (ROOT / "src" / "ouroboros" / "__init__.pyi").read_text("utf-8")
    names = [line.rpartition(" as ")[2] for line in stub.splitlines() if " as " in line]
    assert len(names) == 7
    for name in names:
        assert getattr(ouroboros, name).__name__ == name
    with pytest.raises(AttributeError, match="Uroboros"):
        getattr(ouroboros, "".join(["Uro", "boros"]))


async def configured(tmp_path: Path, *turns: dict[str, Any], **settings: Any) -> Ouroboros:
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    make = partial(Ouroboros.configured, work, environment=played(tmp_path, *turns), **settings)
    return await to_thread.run_sync(make)


@pytest.mark.proves("interfaces-python-api")
async def test_settings_of_a_program_win_over_files(tmp_path: Path) -> None:
    (tmp_path / ".ouroboros").mkdir()
    (tmp_path / ".ouroboros" / "config.toml").write_text('mode = "plan"\n[limits]\nmax_turns = 7\n')
    look = {"tool_calls": [call("ls", path=".")]}
    engine = await configured(tmp_path, look, look, look, limits__max_turns=2)
    async with engine.open(cwd=tmp_path / "work") as session:
        assert session.state.mode == "plan"
        outcome = await session.run("Look.")
    assert (outcome.reason, outcome.turns) == ("limit_reached:max_turns", 2)


@pytest.mark.proves("interfaces-python-api")
async def test_who_leaves_a_stream_stops_the_run_and_may_say_more(tmp_path: Path) -> None:
    slow = {"text": "word " * 400, "chunk": 5, "pace_seconds": 0.05}
    engine = await configured(tmp_path, slow, {"text": "Here."})
    async with engine.open(cwd=tmp_path / "work") as session:
        events = session.stream("Talk.")
        async for event in events:
            if isinstance(event.data, ModelDelta) and event.data.text:
                break
        await events.aclose()
        assert not session.running
        assert session.outcome is not None
        assert session.outcome.reason == "cancelled"
        seen = [event async for event in session.stream("And now?")]
        assert seen[-1].type == "task.completed"
        numbers = [each.seq for each in seen if each.data.durable]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        assert session.outcome.final == "Here."


@pytest.mark.proves("interfaces-python-api-broken-off")
async def test_who_breaks_off_a_stream_may_say_more_at_once(tmp_path: Path) -> None:
    slow = {"text": "word " * 400, "chunk": 5, "pace_seconds": 0.05}
    engine = await configured(tmp_path, slow, slow, {"text": "Here."})
    async with engine.open(cwd=tmp_path / "work") as session:
        for _ in range(2):
            async for event in session.stream("Talk."):
                if isinstance(event.data, ModelDelta) and event.data.text:
                    break
        assert (await session.run("And now?")).final == "Here."


@pytest.mark.proves("interfaces-python-api-broken-off")
async def test_the_blocking_door_says_where_it_does_not_fit(tmp_path: Path) -> None:
    engine = await configured(tmp_path, {"text": "Here."})
    with pytest.raises(Misuse, match="where an event loop runs") as refused:
        engine.run_blocking("Talk.", cwd=tmp_path / "work")
    assert "await session.run" in refused.value.hint
    blocking = partial(engine.run_blocking, "Talk.", cwd=tmp_path / "work")
    assert (await to_thread.run_sync(blocking)).final == "Here."


@pytest.mark.deep
@pytest.mark.proves("interfaces-python-api")
async def test_a_stream_raises_what_the_run_raises_and_only_one_runs(tmp_path: Path) -> None:
    slow = {"text": "word " * 400, "chunk": 5, "pace_seconds": 0.05}
    engine = await configured(tmp_path, slow)
    async with engine.open(cwd=tmp_path / "work") as session:
        with pytest.raises(Misuse):
            async for _ in session.stream(" "):
                pass
        first = session.stream("Talk.")
        await anext(first)
        with pytest.raises(Misuse, match="under way"):
            await anext(session.stream("Talk over it."))
        await first.aclose()


@pytest.mark.deep
async def test_what_is_raised_while_a_session_is_open_comes_out_as_it_is(tmp_path: Path) -> None:
    slow = {"text": "word " * 400, "chunk": 5, "pace_seconds": 0.05}
    engine = await configured(tmp_path, slow)
    opened: list[str] = []

    async def fail() -> None:
        async with engine.open(cwd=tmp_path / "work") as session:
            opened.append(session.id)
            async for _ in session.stream("Talk."):
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), anyio.fail_after(60):
        await fail()
    again = await configured(tmp_path, {"text": "Again."})
    async with again.open(cwd=tmp_path / "work", resume=opened[0]) as resumed:
        assert (await resumed.run("Go on.")).final == "Again."
