"""Rows of a list at every width."""

import pytest

from ouroboros.faces.wording import table
from ouroboros.faces.wording.rows import width

CELLS = (
    "ses_06f3k2m9x1q8",
    "2026-11-21 03:04",
    "interrupted",
    "Find why the 測試 fails\x1b[2J\nnow",
)


def test_piped_a_record_is_one_line_of_tabs_and_whole() -> None:
    assert table.lines(CELLS, None) == [
        "ses_06f3k2m9x1q8\t2026-11-21 03:04\tinterrupted\tFind why the 測試 fails now"
    ]


def test_where_there_is_room_a_record_is_one_line() -> None:
    (line,) = table.lines(CELLS, 120)

    assert line.startswith("ses_06f3k2m9x1q8  2026-11-21 03:04  interrupted  Find why")


def test_at_forty_columns_the_title_has_a_line_of_its_own_and_nothing_is_cut() -> None:
    assert table.lines(CELLS, 40) == [
        "ses_06f3k2m9x1q8  2026-11-21 03:04",
        "  interrupted",
        "  Find why the 測試 fails now",
    ]


@pytest.mark.parametrize("across", [20, 21, 40, 71, 72, 80])
def test_no_line_is_wider_than_the_terminal(across: int) -> None:
    for cells in (CELLS, ("測" * 50, "試" * 50), ("", "")):
        assert all(width(line) <= across for line in table.lines(cells, across))


RECORDS = (
    ("openai", "openai-responses", "https://api.openai.com/v1"),
    ("a-server-with-a-long-name-of-its-own", "openai-chat", "http://127.0.0.1:8080/v1"),
    ("echo", "echo", ""),
)


def test_cells_of_a_list_stand_below_each_other_where_there_is_room() -> None:
    assert list(table.block(RECORDS, 80)) == [
        "openai                            openai-responses  https://api.openai.com/v1",
        "a-server-with-a-long-name-of-its-own  openai-chat       http://127.0.0.1:8080/v1",
        "echo                              echo",
    ]
    assert list(table.block(RECORDS, None))[2] == "echo\techo\t"
    assert list(table.block(RECORDS, 40))[-3:] == [
        "  openai-chat",
        "  http://127.0.0.1:8080/v1",
        "echo  echo",
    ]
    assert list(table.block((), 80)) == []


@pytest.mark.parametrize("across", [20, 40, 72, 80, 200])
def test_no_line_of_a_list_is_wider_than_the_terminal(across: int) -> None:
    records = (*RECORDS, ("測" * 50, "x" * 100, "y" * 100))
    assert all(width(line) <= across for line in table.block(records, across))
