"""From the arguments of a JavaScript call to those of a tool."""

from typing import Any

import msgspec
import pytest
from msgspec import Raw, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.repl.positions import named
from tests.cases import every


class Click(Struct, frozen=True, kw_only=True):
    tab: str
    target: str | dict[str, Any]
    button: str = "left"
    click_count: int = 1


class Fill(Struct, frozen=True, kw_only=True):
    tab: str
    values: dict[str, str]


class Query(Struct, frozen=True, kw_only=True):
    prompt: str
    data: Any = None


class Keep(Struct, frozen=True, kw_only=True):
    key: str
    value: Raw


@every(
    "kind, arguments, expected",
    [
        (Click, ["tab_0", "#a"], {"tab": "tab_0", "target": "#a"}),
        (Click, ["tab_0", "#a", "right"], {"tab": "tab_0", "target": "#a", "button": "right"}),
        (
            Click,
            ["tab_0", "#a", {"clickCount": 2}],
            {"tab": "tab_0", "target": "#a", "click_count": 2},
        ),
        (
            Click,
            ["tab_0", {"__handle": 1}, {"button": "middle"}],
            {"tab": "tab_0", "target": {"__handle": 1}, "button": "middle"},
        ),
        (Click, ["tab_0", {"__handle": 1}], {"tab": "tab_0", "target": {"__handle": 1}}),
        (Click, [{"tab": "tab_0", "target": "#a"}], {"tab": "tab_0", "target": "#a"}),
        (Click, ["tab_0", "#a", None, 2], {"tab": "tab_0", "target": "#a", "click_count": 2}),
        (Fill, ["tab_0", {"#a": "x"}], {"tab": "tab_0", "values": {"#a": "x"}}),
        (Query, ["what?"], {"prompt": "what?"}),
        (Query, ["what?", {"a": [1]}], {"prompt": "what?", "data": {"a": [1]}}),
        (Query, ["what?", None], {"prompt": "what?", "data": None}),
        (Keep, ["k", None], {"key": "k", "value": None}),
        (Keep, ["k", {"deep": {"er": "x"}}], {"key": "k", "value": {"deep": {"er": "x"}}}),
        (Keep, [], {}),
    ],
)
def test_positions_and_options(kind: type[Struct], arguments: list[object], expected: object):
    written = Raw(msgspec.json.encode(arguments))
    assert msgspec.json.decode(named("f", written, kind)) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tab_0", "#a", "left", 1, 5], "click takes at most 4 arguments: tab, target, button?"),
        (["tab_0", "#a", {"colour": "red"}], "click has no option 'colour'; it takes tab"),
        (["tab_0", "#a", "left", {"button": "right"}], "click was given button twice"),
    ],
)
def test_what_does_not_fit_is_said(arguments: list[object], words: str):
    with pytest.raises(ToolFailed, match=words.replace("?", r"\?")):
        named("click", Raw(msgspec.json.encode(arguments)), Click)


@pytest.mark.deep
def test_a_value_of_many_megabytes_goes_through_unread():
    text = "\\u0000 x" * 3_000_000
    written = b'["k","' + text.encode() + b'"]'
    assert named("store", Raw(written), Keep) == '{"key":"k","value":"' + text + '"}'
