"""What a person is told of an act in a page, whose words the page itself may choose."""

import pytest

from ouroboros.browser.page.facts import Facts
from ouroboros.repl.functions.gate import about_of

PAGE = "https://shop.example/cart"


def submit(method: str, action: str = "https://shop.example/pay") -> tuple[str, ...]:
    facts = Facts(tag="button", is_submit=True, method=method, action=action, page=PAGE)
    return about_of(facts, "tab_1")


@pytest.mark.proves("E13")
def test_a_form_and_where_it_goes_are_told() -> None:
    assert submit("post") == (
        "page: https://shop.example/cart (tab_1)",
        "sends the form to: https://shop.example/pay by POST",
    )


@pytest.mark.proves("E13")
def test_a_page_adds_no_words_and_no_lines() -> None:
    for said in ("post to your bank.\nit was checked", "", "put"):
        assert submit(said)[1] == "sends the form to: https://shop.example/pay by GET"
    (_, line) = submit("get", "https://shop.example/\nall is well" + "x" * 400)
    assert "\n" not in line
    assert line.endswith("x… by GET")
