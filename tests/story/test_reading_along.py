"""A session that is open in one process, read along in another."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.past import following, sessions
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope, TaskCompleted, UserMessage
from ouroboros.store import resume
from ouroboros.store.db import open_database
from tests import forked
from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro, script
from tests.unit.store.samples import a_turn, keep, numbered, ready

COMMAND = [sys.executable, "-m", "ouroboros", "sessions", "follow", "last"]


@pytest.mark.deep
@pytest.mark.proves("I15")
def test_events_of_a_session_that_is_open_elsewhere_are_shown_as_they_become_durable(
    tmp_path: Path,
) -> None:
    model = script(tmp_path, {"text": "First answer."}, {"text": "Second answer."})
    with Program(["chat", "--model", model], cwd=tmp_path) as chat:
        chat.sees("ask> ")
        chat.type("hello\r")
        chat.sees("Done after")
        refused = ouro("run", "x", "--continue", "--model", model, cwd=tmp_path)
        assert refused.returncode == 1
        assert "ouro sessions follow ses_" in refused.stderr
        with forked.Popen(
            [*COMMAND, "--json"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stdout is not None
            read = [json.loads(reader.stdout.readline()) for _ in range(4)]
            assert read[0]["data"]["message"]["parts"][0]["text"] == "hello"
            chat.type("more\r")
            while (
                read[-1]["type"] != "task.completed"
                or read[-1]["data"]["final"] != "Second answer."
            ):
                read.append(json.loads(reader.stdout.readline()))
            os.kill(reader.pid, signal.SIGINT)
            assert reader.wait(120) == 130
        chat.type("/quit\r")
        assert chat.ends() == 0
    kept = resume.read(Path(os.environ["OUROBOROS_HOME"]), read[0]["session"]).envelopes
    assert [each["seq"] for each in read] == list(range(read[0]["seq"], read[-1]["seq"] + 1))
    assert [each["id"] for each in read] == [each.id for each in kept[read[0]["seq"] - 1 :]][
        : len(read)
    ]


@pytest.mark.deep
def test_a_person_reads_words_calls_and_endings(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "First answer."}, {"text": "Second answer."})
    ouro("run", "one", "--model", model, cwd=tmp_path)
    ouro("run", "two", "--continue", "--model", model, cwd=tmp_path)
    with forked.Popen(
        [*COMMAND, "--all"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        said = [reader.stdout.readline(), reader.stdout.readline()]
        os.kill(reader.pid, signal.SIGINT)
        _, told = reader.communicate(timeout=120)
    assert said == ["First answer.\n", "Second answer.\n"]
    assert "> one\n" in told
    assert "> two\n" in told


@pytest.mark.deep
def test_a_chat_that_only_reads_needs_a_session_and_says_nothing_to_it(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "First answer."})
    ouro("run", "one", "--model", model, cwd=tmp_path)
    refused = ouro("chat", "--read-only", cwd=tmp_path)
    assert (refused.returncode, "name it with --resume" in refused.stderr) == (2, True)
    command = [sys.executable, "-m", "ouroboros", "chat", "--continue", "--read-only"]
    with forked.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "First answer.\n"
        os.kill(reader.pid, signal.SIGINT)
        assert reader.wait(120) == 130


def broken(home: Path, events: list[Envelope]) -> None:
    keep(home, events)
    with closing(open_database(home)) as connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute("UPDATE events SET body = x'00' WHERE seq = 6")


async def test_what_cannot_be_read_ends_it_with_a_word(tmp_path: Path) -> None:
    events = numbered([ready(), *a_turn(1)])
    await to_thread.run_sync(broken, tmp_path, events)
    seen: list[Envelope] = []

    async def read() -> None:
        async for batch in following.follow(tmp_path, "ses_1"):
            seen.extend(batch)

    with pytest.raises(StoreFailed, match="event 6"):
        await read()
    assert seen == events[:5]


def test_the_latest_turn_begins_with_the_words_of_the_person(tmp_path: Path) -> None:
    events = numbered([ready(), *a_turn(1), *a_turn(2)])
    keep(tmp_path, events)
    after = following.latest_turn(tmp_path, "ses_1")
    assert isinstance(events[after].data, UserMessage)
    assert isinstance(events[after - 1].data, TaskCompleted)
    assert sessions.find(tmp_path, "last").id == "ses_1"
