"""Recordings of odd answers, made in odd places, or written by somebody who means no good."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.cassettes import Record
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ErrorRaised
from ouroboros.llm.turns import Turn
from ouroboros.testing.raw import LAST, Speech, Step, chunk, raw_serving
from tests.story.test_cassettes import GONE, SECRET, player, recorded, recorder, settings, text_of
from tests.unit.llm.test_fault_matrix_answers import gzipped, packed_head


def packed(speech: Speech) -> Sequence[Step]:
    return [packed_head(speech, "gzip"), chunk(gzipped(speech.body)), LAST]


async def test_a_compressed_answer_is_kept_plain_and_without_secrets(tmp_path: Path) -> None:
    file = tmp_path / "tape.json"
    run = await recorder(tmp_path, file)
    turn = Turn(text=f"It is {SECRET}, and that is all.", chunk=200)
    async with raw_serving([packed], turn) as server:
        await run(settings(server.url), "Look around")
    [exchange] = msgspec.json.decode(await text_of(file))["exchanges"]
    assert "It is [REDACTED:VENDOR_API_KEY], and that is all." in exchange["answer"]
    played = await player(tmp_path, file)
    outcome = await played(settings(GONE), "Look around")
    assert outcome.final == "It is [REDACTED:VENDOR_API_KEY], and that is all."


@pytest.mark.parametrize("url", ["http://[::1", "\0 //", ""])
async def test_an_address_that_is_none_fits_no_request(tmp_path: Path, url: str) -> None:
    file = await recorded(tmp_path, [Turn(text="Fine.")])
    tape = json.loads(await text_of(file))
    tape["exchanges"][0]["url"] = url
    await anyio.Path(file).write_text(json.dumps(tape))
    run = await player(tmp_path, file)
    assert (await run(settings(GONE), "Look around")).reason == "failed"
    assert "has none left for request 1" in run.all(ErrorRaised)[0].message


@pytest.mark.parametrize("answer", ["abcde", "é"])
async def test_an_answer_that_is_no_base64_is_said(tmp_path: Path, answer: str) -> None:
    file = await recorded(tmp_path, [Turn(text="Fine.")])
    tape = json.loads(await text_of(file))
    tape["exchanges"][0].update(encoding="base64", answer=answer)
    await anyio.Path(file).write_text(json.dumps(tape))
    run = await player(tmp_path, file)
    assert (await run(settings(GONE), "Look around")).reason == "failed"
    assert "said to be base64" in run.all(ErrorRaised)[0].message


async def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with anyio.fail_after(60), pytest.raises(Misuse, match="is no file"):
        await to_thread.run_sync(Record, pipe, dict[str, str](), abandon_on_cancel=True)
    assert pipe.is_fifo()
