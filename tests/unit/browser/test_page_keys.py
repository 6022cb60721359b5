"""Keys and turned boxes, without a browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.keys import chord, events, holding, key_of, modifier_bits
from ouroboros.browser.page.quads import Point, through
from tests.cases import every


@given(st.characters(exclude_categories=("Cs", "Cc")))
def test_every_character_can_be_typed(letter: str) -> None:
    down, up = events(key_of(letter))
    assert down[1]["text"] == letter
    assert (down[1]["type"], up[1]["type"]) == ("keyDown", "keyUp")


@pytest.mark.deep
@given(st.text(min_size=2, max_size=20))
def test_any_other_name_is_a_key_or_refused(name: str) -> None:
    try:
        key = key_of(name)
    except CannotAct:
        return
    assert key.number


@every(
    "written, held, key",
    [
        ("a", (), "a"),
        ("Control+A", ("Control",), "A"),
        ("Control+Shift+ArrowUp", ("Control", "Shift"), "ArrowUp"),
        ("+", (), "+"),
        ("Control++", ("Control",), "+"),
    ],
)
def test_chords(written: str, held: tuple[str, ...], key: str) -> None:
    assert chord(written) == (held, key)


def test_what_is_held_writes_nothing_and_is_let_go_in_reverse() -> None:
    down, _ = events(key_of("a"), modifier_bits(["Control"]))
    assert "text" not in down[1]
    assert down[1]["commands"] == ["selectAll"]
    pressed = holding(["Control", "Shift"], down=True)
    assert [(call[1]["key"], call[1]["modifiers"]) for call in pressed] == [
        ("Control", 2),
        ("Shift", 10),
    ]
    released = holding(["Control", "Shift"], down=False)
    assert [(call[1]["key"], call[1]["modifiers"]) for call in released] == [
        ("Shift", 2),
        ("Control", 0),
    ]


def test_a_point_of_a_turned_box() -> None:
    quarter_turned = (100.0, 0.0, 100.0, 50.0, 0.0, 50.0, 0.0, 0.0)
    assert through(quarter_turned, (50, 100), 10, 20) == Point(80, 10, top=True)
