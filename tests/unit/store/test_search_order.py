"""In which order hits come, what is shown of them, and an index that is not as the search left it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.events import AgentMessage, SettingsChanged, ToolResulted
from ouroboros.core.parts import Media, Message, Reasoning, Text
from ouroboros.store.search import search
from tests.unit.store.samples import keep, numbered, ready, said


@pytest.mark.proves("I16")
def test_the_best_come_first_and_the_latest_of_equals(tmp_path: Path) -> None:
    long = "needle " + "straw " * 50
    keep(tmp_path, numbered([said(long), said("needle one"), said("needle two"), said(long)]))
    assert [found.seq for found in search(tmp_path, "needle")] == [3, 2, 4, 1]
    assert [found.seq for found in search(tmp_path, "needle", limit=3)] == [3, 2, 4]
    assert search(tmp_path, "needle", limit=0) == ()


@pytest.mark.proves("I16")
def test_each_hit_is_shown_with_words_of_its_own(tmp_path: Path) -> None:
    """There are many more than are shown, and those shown are not next to each other."""
    keep(
        tmp_path,
        numbered([
            said(f"needle {number} " + "straw " * (number % 7), number) for number in range(300)
        ]),
    )
    found = search(tmp_path, "needle", limit=20)
    assert [(each.excerpt.split()[1], each.node) for each in found] == [
        (str(each.seq - 1), f"msg_{each.seq - 1}") for each in found
    ]
    assert len({each.seq for each in found}) == 20


@pytest.mark.proves("I16")
def test_words_are_those_that_were_said_and_no_thoughts(tmp_path: Path) -> None:
    parts = (
        Reasoning(text="secretly"),
        Text(text="openly "),
        Media(media_type="x/y", name="picture"),
    )
    message = Message(id="msg_a", role="assistant", parts=(*parts, Text(text="said")))
    shown = ToolResulted(call_id="c", name="read", status="done", parts=(Text(text="shown"),))
    events = [
        ready(title="begun"),
        AgentMessage(message=message, stop_reason="end"),
        shown,
        SettingsChanged(title="named"),
    ]
    keep(tmp_path, numbered(events))
    words = ("begun", "openly said", "shown", "named", "secretly", "picture")
    assert [[found.seq for found in search(tmp_path, each)] for each in words] == [
        [1], [2], [3], [4], [], [],
    ]  # fmt: skip


@pytest.mark.proves("I16")
@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM app_settings WHERE key = 'search.indexed'",
        "UPDATE app_settings SET value = '1' WHERE key = 'search.indexed'",
    ],
)
def test_a_mark_that_is_behind_the_index_is_made_good(tmp_path: Path, harm: str) -> None:
    keep(tmp_path, numbered([said("needle one"), said("needle two")]))
    assert len(search(tmp_path, "needle")) == 2
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        assert connection.execute(harm).rowcount == 1
    keep(tmp_path, numbered([said("needle three")], after=2))
    assert sorted(found.seq for found in search(tmp_path, "needle")) == [1, 2, 3]
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection:
        connection.execute("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
