"""Every place where text is kept, shown or sent, searched after a run that met keys wherever text comes from."""

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from anyio import to_thread

from ouroboros.app import diagnosis
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

KEY = "ghp_" + "aB3dE5" * 6
LOGIN = "Zk3pQ9xLw77"
NETRC = f"machine api.acme.io\n  login bob\n  password {LOGIN}\n"


def holding(folder: Path) -> list[str]:
    """Files below a folder that hold a secret, in their text or in their names."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    sought = (KEY.encode(), LOGIN.encode())
    return [str(file) for file in files if any(each in file.read_bytes() for each in sought)]


@pytest.fixture
def quiet() -> Iterator[None]:
    """Leaves the loggers as they were."""
    logger = logging.getLogger("ouroboros")
    before = list(logger.handlers), logger.level, logger.propagate
    yield
    for handler in logger.handlers:
        if handler not in before[0]:
            handler.close()
    logger.handlers, logger.level, logger.propagate = before


@pytest.mark.deep
@pytest.mark.proves("G11")
async def test_no_place_keeps_shows_or_sends_a_key(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("read", path="notes.txt"),)),
        Turn(tool_calls=(call("read", path=".netrc"),)),
        Turn(tool_calls=(call("exec_command", cmd=f"echo {KEY} && cat notes.txt"),)),
        Turn(tool_calls=(call("write", path="a.txt", content=f"x = 1\ntoken: {KEY}\n"),)),
        Turn(tool_calls=(call("read", path=f"{KEY}.txt"),)),
        Turn(text=f"The token is {KEY}.", chunk=5),
    ]
    async with stage(tmp_path, turns, mode="full-auto") as s:
        (s.cwd / "notes.txt").write_text(f"deploy with {KEY} please\n")
        (s.cwd / ".netrc").write_text(NETRC)
        await s.run("What is in the notes?")
        places = {
            "what faces are shown": msgspec.json.encode(s.shown).decode(),
            "what a model is sent": "".join(str(each.body) for each in s.server.exchanges),
        }
    for place, text in places.items():
        assert KEY not in text, place
        assert LOGIN not in text, place
    assert await to_thread.run_sync(holding, tmp_path / "home") == []


@pytest.mark.proves("V22")
async def test_a_run_with_a_log_waits_for_no_disk(tmp_path: Path, quiet: None) -> None:
    await to_thread.run_sync(partial(diagnosis.start, tmp_path, debug=True))
    async with stage(tmp_path, [Turn(text="Done.")]) as s:
        await s.run("Say something.")  # a write within the loop would fail the test
    for handler in logging.getLogger("ouroboros").handlers:
        await to_thread.run_sync(handler.flush)
    log = await to_thread.run_sync(diagnosis.log_file(tmp_path).read_text)
    assert " task.completed: completed" in log
    assert "Say something." not in log


@pytest.mark.proves("G11")
def test_the_log_holds_no_key(tmp_path: Path, quiet: None) -> None:
    diagnosis.start(tmp_path, debug=True)
    logging.getLogger("ouroboros.somewhere").warning("the server said %s", KEY)
    try:
        raise ValueError(f"bad header: Authorization: Bearer {KEY}")
    except ValueError as error:
        diagnosis.record(tmp_path, error)
        logging.getLogger("ouroboros").exception("it broke")
    for handler in logging.getLogger("ouroboros").handlers:
        handler.flush()
    assert "[REDACTED:github-pat]" in diagnosis.log_file(tmp_path).read_text()
    assert holding(tmp_path) == []
