"""A question about an act in a page: what a person sees of it comes first, the selector only with all of it."""

from pathlib import Path

import msgspec
import pytest

from ouroboros.core.events import PermissionRequested
from ouroboros.faces.acp.asking import call
from ouroboros.faces.cli.render.approvals import question_rows
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.tui.cards.approval import answers, exact_rows, whole_rows
from ouroboros.faces.wording.rows import Row

ASKED = PermissionRequested(
    request_id="req_1",
    call_id="c1",
    tool="click",
    action='Send a form to https://example.com by "Subscribe"',
    input='{"tab":"tab_1","target":"form > button.x"}',
    about=("page: https://example.com/news\x1b[2J\u202e (tab_1)", "sends the form to: /x by POST"),
)


def text(rows: list[Row]) -> str:
    return "\n".join("".join(words for words, _ in each) for each in rows)


@pytest.mark.proves("E13")
def test_the_page_and_where_it_leads_stand_in_the_place_of_the_selector() -> None:
    size = Size(columns=80, lines=24)
    for shown in (text(exact_rows(ASKED, 80)), text(question_rows(ASKED, size))):
        assert "page: https://example.com/news" in shown
        assert "sends the form to: /x by POST" in shown
        assert "button.x" not in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


@pytest.mark.proves("E13")
def test_all_of_it_has_the_selector_too() -> None:
    size = Size(columns=80, lines=24)
    assert "button.x" in text(question_rows(ASKED, size, whole=True))
    whole = text(whole_rows(ASKED, "/work", 80))
    assert whole.index("sends the form to") < whole.index("button.x")


@pytest.mark.proves("E13")
def test_an_editor_is_told_of_it() -> None:
    assert "sends the form to: /x by POST" in str(call(ASKED, Path("/work"))["content"])


@pytest.mark.proves("E15")
def test_what_can_only_be_done_as_it_is_offers_no_change() -> None:
    fixed = msgspec.structs.replace(ASKED, fixed=True)
    assert [each.name for each in answers(ASKED, 80)] == ["yes", "no", "edit", "whole"]
    assert [each.name for each in answers(fixed, 80)] == ["yes", "no", "whole"]
