"""`--output-schema`: the answer of a run is JSON that fits, or the run has failed."""

import json
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.commands import Compact
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ErrorRaised
from ouroboros.llm.turns import Turn
from tests.story.rlm_stage import block, contexts
from tests.story.stage import Stage, call, stage
from tests.story.test_cli_run import ouro, script
from tests.story.test_hooks import hook

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
OPENING: dict[str, Any] = {"output_schema": json.dumps(PERSON).encode()}
ADA = '{"name": "Ada", "age": 36}'


def told(s: Stage, number: int = -1) -> str:
    return json.dumps([message["content"] for message in s.body(number)["messages"]])


@pytest.mark.proves("codex-30")
async def test_a_model_is_told_once_and_its_answer_is_the_json_alone(tmp_path: Path) -> None:
    turns = [
        Turn(text="I look.", tool_calls=(call("ls", path="."),)),
        Turn(text=f"Here:\n```json\n{ADA}\n```"),
        Turn(text=ADA),
    ]
    async with stage(tmp_path, turns, opening=OPENING) as s:
        assert (await s.run()).final == ADA
        assert (await s.run("Again.")).final == ADA
        assert told(s).count("<output_schema>") == 1
        assert "additionalProperties" in told(s, 0)


@pytest.mark.proves("codex-30", "divergences-schema-of-an-answer")
async def test_an_answer_that_does_not_fit_is_sent_back_with_what_is_wrong(tmp_path: Path) -> None:
    turns = [Turn(text="She is Ada."), Turn(text='{"name": "Ada", "age": "36"}'), Turn(text=ADA)]
    async with stage(tmp_path, turns, opening=OPENING) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final, outcome.exit_code) == ("completed", ADA, 0)
        assert "it is no JSON" in told(s, 1)
        assert "$.age: '36' is not of type 'integer'" in told(s, 2)


@pytest.mark.proves("codex-30")
async def test_a_run_whose_answer_never_fits_has_failed(tmp_path: Path) -> None:
    turns = [Turn(text=f"No {number}.") for number in range(9)]
    async with stage(tmp_path, turns, opening=OPENING) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.exit_code) == ("failed", 1)
        assert len(s.server.exchanges) == 4
        (error,) = s.events(ErrorRaised)
        assert error.message.startswith("the answer does not fit the schema: it is no JSON")
        assert (await s.run("Once more.")).reason == "failed"
        assert len(s.server.exchanges) == 8


@pytest.mark.proves("codex-30")
async def test_it_is_told_anew_after_a_summary(tmp_path: Path) -> None:
    turns = [Turn(text=ADA), Turn(text="A summary."), Turn(text=ADA)]
    async with stage(tmp_path, turns, opening=OPENING) as s:
        await s.run()
        await s.session.send(Compact())
        await s.run("Again.")
        assert told(s).count("<output_schema>") == 1


@pytest.mark.proves("rlm-output-schema")
@pytest.mark.deep
async def test_the_mind_that_writes_code_is_shown_it_too(tmp_path: Path) -> None:
    turns = [block("setFinal('She is Ada.')"), block(f"setFinal({ADA})")]
    opening = {**OPENING, "mind": "rlm"}
    async with stage(tmp_path, turns, check=False, opening=opening) as s:
        assert json.loads((await s.run()).final) == json.loads(ADA)
        first, second = contexts(s)
    for context in (first, second):
        assert context.count("additionalProperties") == 1
    assert "it is no JSON" in second


@pytest.mark.proves("codex-30")
async def test_hooks_have_their_word_first(tmp_path: Path) -> None:
    once = f"[ -e {tmp_path}/m ] || {{ touch {tmp_path}/m; echo look again >&2; exit 2; }}"
    turns = [Turn(text=ADA), Turn(text="None."), Turn(text=ADA)]
    async with stage(tmp_path, turns, opening=OPENING, hooks={"Stop": hook(once)}) as s:
        assert (await s.run()).final == ADA
        assert "look again" in told(s, 1)
        assert "it is no JSON" in told(s, 2)


async def test_what_is_no_schema_opens_no_session(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="wrong at #/type"):
        async with stage(tmp_path, [], opening={"output_schema": b'{"type": 3}'}):
            pass


@pytest.mark.deep
@pytest.mark.proves("codex-30")
def test_a_pipe_gets_the_value_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "person.json").write_text(json.dumps(PERSON), encoding="utf-8")
    model = script(tmp_path, {"text": "Ada"}, {"text": f"```\n{ADA}\n```"})
    done = ouro("run", "--model", model, "--output-schema", "person.json", "who?", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{ADA}\n")
    model = script(tmp_path, *[{"text": "Ada"}] * 4)
    words = ("run", "--model", model, "--output-schema", "person.json", "--output", "json", "who?")
    failed = ouro(*words, cwd=tmp_path)
    assert failed.returncode == 1
    assert "does not fit the schema" in failed.stdout + failed.stderr


@pytest.mark.proves("codex-30")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("", "is empty"),
        ("{", "is no JSON Schema"),
        ('{"$ref": "other.json"}', "which is not in it"),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_mistake(
    tmp_path: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "schema.json").write_text(content, encoding="utf-8")
    words = ("run", "--model", "echo", "--output-schema", "schema.json", "x")
    done = ouro(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
