"""Sessions are found by the words of their titles."""

from pathlib import Path

import pytest

from ouroboros.app.past.searching import hits
from ouroboros.app.past.sessions import rename
from tests.cases import every
from tests.unit.store.samples import keep, numbered, ready


@pytest.mark.proves("sessions-titles")
@every(
    ("title", "words", "is_found"),
    [
        ("fix(parser): CAFÉ-menu_list/page", "pars men", True),
        ("fix(parser): CAFÉ-menu_list/page", "li pag caf", True),
        ("fix(parser): CAFÉ-menu_list/page", "fi(pars)", True),
        ("fix(parser): CAFÉ-menu_list/page", "arser men", False),
        ("Cafe\u0301s: what's next?", "cafés wh nex", True),
        ("Cafe\u0301s: what's next?", "caf wha's", True),
        ("Cafe\u0301s: what's next?", "...", False),
    ],
)
def test_a_word_begins_after_any_sign(
    tmp_path: Path, title: str, words: str, *, is_found: bool
) -> None:
    keep(tmp_path, numbered([ready()]))
    rename(tmp_path, "ses_1", title)
    found = hits(tmp_path, words, limit=9)
    assert [hit.title for hit in found] == [title] * is_found
