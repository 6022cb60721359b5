"""A review by a schema of the person's, and one that is recorded and played again."""

import json
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.core.commands import Review
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events.review import ReviewExited
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.stage import stage
from tests.story.test_cli_run import ouro, script
from tests.story.test_review import finding, reply
from tests.story.test_review_cli import REVIEW, changed

COUNTED: dict[str, Any] = {
    "type": "object",
    "properties": {"bugs": {"type": "integer"}, "worst": {"type": "string"}},
    "required": ["bugs", "worst"],
    "additionalProperties": False,
}
FORM = '{"bugs": 2, "worst": "Mend it"}'


async def test_a_review_is_put_into_the_form_that_is_wanted(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    turns = [reply(finding(str(folder / "a.py"), 1)), Turn(text="Two bugs."), Turn(text=FORM)]
    async with stage(tmp_path, turns, check=False) as s:
        await s.session.send(Review(output_schema=json.dumps(COUNTED)))
        (exited,) = s.events(ReviewExited)
        assert (exited.shaped, len(exited.review.findings)) == (FORM, 1)
        asked = json.dumps(s.body(1))
        assert "You put a finished review of code into another form." in asked
        assert "[P1] Mend it" in asked
        assert not s.body(1).get("tools")
        assert "it is no JSON" in json.dumps(s.body(2))


async def test_a_review_that_cannot_be_put_into_form_has_failed(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    turns = [reply(finding(str(folder / "a.py"), 1)), *(Turn(text="No.") for _ in range(4))]
    async with stage(tmp_path, turns, check=False) as s:
        with pytest.raises(OuroborosError, match="the review does not fit the schema"):
            await s.session.send(Review(output_schema=json.dumps(COUNTED)))
        assert s.events(ReviewExited)[0].outcome == "failed"
        with pytest.raises(Misuse, match="wrong at #/type"):
            await s.session.send(Review(output_schema='{"type": 3}'))
        assert len(s.server.exchanges) == 5


@pytest.mark.deep
def test_a_pipe_gets_the_form_and_a_gate_still_holds(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    (tmp_path / "schema.json").write_text(json.dumps(COUNTED), encoding="utf-8")
    words = ("--output-schema", str(tmp_path / "schema.json"), "--fail-on", "P1")
    model = script(tmp_path, {"text": json.dumps(REVIEW)}, {"text": f"```json\n{FORM}\n```"})
    done = ouro("review", "--model", model, *words, cwd=folder)
    assert (done.returncode, done.stdout) == (5, f"{FORM}\n")
    for more in (("--json",), ("--max-findings", "1")):
        refused = ouro("review", "--model", model, *words, *more, cwd=folder)
        assert refused.returncode == 2
        assert "contradict each other" in refused.stderr


@pytest.mark.deep
async def test_a_review_is_recorded_and_played_again_without_its_server(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    tape = str(tmp_path / "review.jsonl")
    review = json.dumps(REVIEW)
    (tmp_path / "schema.json").write_text(json.dumps(COUNTED), encoding="utf-8")
    words = ("--output-schema", str(tmp_path / "schema.json"), "--model", "openai-chat/scripted")
    async with serving([Turn(text=review), Turn(text=FORM)]) as server:
        made = await to_thread.run_sync(
            lambda: ouro("review", *words, "--base-url", server.url, "--record", tape, cwd=folder)
        )
        assert (made.returncode, made.stdout) == (0, f"{FORM}\n")
    played = await to_thread.run_sync(
        lambda: ouro("review", *words[:2], "--replay", tape, "--strict-replay", cwd=folder)
    )
    assert (played.returncode, played.stdout) == (0, f"{FORM}\n")
    (folder / "a.py").write_text("something else\n")
    other = await to_thread.run_sync(
        lambda: ouro("review", *words[:2], "--replay", tape, cwd=folder)
    )
    assert (other.returncode, other.stdout) == (0, f"{FORM}\n")
    assert "warning: " in other.stderr
