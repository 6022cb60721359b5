"""After a run every tool call can be asked for."""

from pathlib import Path

import pytest

from ouroboros.core.events import ToolResulted, ToolStarted
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import Text
from ouroboros.store import resume, sessions
from ouroboros.store.history import Execution, artifacts, executions
from ouroboros.store.line import encode
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready


@pytest.mark.proves("D28")
def test_every_execution_is_recorded_with_its_arguments_and_result(tmp_path: Path) -> None:
    cut_off = ToolStarted(call_id="call_2", name="shell", arguments='{"command":"ls"}')
    refused = ToolResulted(call_id="call_3", name="nope", status="failed", parts=(Text(text="no"),))
    keep(tmp_path, numbered([ready(), *a_turn(1), cut_off, refused]))
    assert executions(resume.read(tmp_path, SESSION).envelopes) == (
        Execution(
            id="call_1", session=SESSION, started=1005, tool="read",
            arguments='{"path":"a.py"}', status="done", result="content 1",
        ),
        Execution(
            id="call_2", session=SESSION, started=1008, tool="shell",
            arguments='{"command":"ls"}',
        ),
        Execution(
            id="call_3", session=SESSION, started=1009, tool="nope", arguments="",
            status="failed", result="no",
        ),
    )  # fmt: skip


@pytest.mark.proves("C22")
def test_files_are_listed_with_their_session_and_go_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts" / SESSION
    folder.mkdir(parents=True)
    (folder / "bill.csv").write_text("a,b")
    kept = ArtifactKept(
        id="artifact_1", kind="download", name="bill.csv", path=str(folder / "bill.csv"),
        bytes=3, sha256="0" * 64, mime="text/csv",
    )  # fmt: skip
    keep(tmp_path, numbered([ready(), *a_turn(1), kept]))
    assert artifacts(resume.read(tmp_path, SESSION).envelopes) == (kept,)
    sessions.delete(tmp_path, SESSION)
    assert not folder.exists()


@pytest.mark.proves("I03")
def test_an_export_is_one_line_of_json_an_event(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), *a_turn(1)]))
    found = resume.read(tmp_path, SESSION).envelopes
    text = b"\n".join(encode(each) for each in found)
    assert [decode(line) for line in text.split(b"\n")] == found
