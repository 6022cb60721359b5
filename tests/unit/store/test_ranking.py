import sqlite3

import pytest

from ouroboros.store.ranking import Ranking
from tests.cases import every

TEXTS = (
    "calendar_create\ncalendar create\nMakes an event in a calendar",
    "calendar_list\ncalendar list\nLists the events of a calendar",
    "mail_send\nmail send\nSends a message",
    "weather\nTells the weather of a place",
)


@pytest.mark.proves("D19")
@every(
    ("query", "best"),
    [
        ("create a calendar event", 0),
        ("listing events", 1),
        ("SEND messages!", 2),
        ("what weather is it", 3),
    ],
)
def test_the_best_comes_first_by_the_stems_of_words(query: str, best: int) -> None:
    assert Ranking(TEXTS).best(query, 4)[0] == best


@every("query", ["", "   ", "-- ;", '"', "zebra"])
def test_nothing_fits_nothing(query: str) -> None:
    assert Ranking(TEXTS).best(query, 8) == ()


@pytest.mark.proves("D19")
@every("query", ["calendar OR", 'calendar" NEAR(', "calendar*", "text:calendar"])
def test_words_are_no_query_language(query: str) -> None:
    assert set(Ranking(TEXTS).best(query, 8)) >= {0, 1}


def test_no_more_than_asked_for() -> None:
    assert len(Ranking(TEXTS).best("calendar", 1)) == 1
    assert Ranking(TEXTS).best("calendar", 0) == ()
    assert Ranking(()).best("calendar", 8) == ()
    assert Ranking(TEXTS).best("word " * 100_000 + "calendar", 8) == ()


def test_its_index_is_closed_when_nobody_has_it_any_more() -> None:
    ranking = Ranking(["one"])
    index = ranking._db
    del ranking
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        index.execute("SELECT 1")
