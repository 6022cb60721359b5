"""What a list is wanted of, what fits, and the way through what was typed before."""

from pathlib import Path

import pytest

from ouroboros.app.typed.uses import Uses
from ouroboros.faces.tui.prompt.kinds import is_line
from ouroboros.faces.tui.prompt.menu import Menu, Wanted, arguments, commands, fitting, wanted_at
from ouroboros.faces.tui.prompt.recall import Recall


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("/", Wanted("command", 0, "")),
        ("/co", Wanted("command", 0, "co")),
        ("/mode ", Wanted("argument", 6, "", "mode")),
        ("/mode pl", Wanted("argument", 6, "pl", "mode")),
        ("see @src/m", Wanted("name", 5, "src/m")),
        ('@"my fi', Wanted("name", 1, "my fi")),
        ("see /co", None),
        ("/usr/bin", None),
        ("/rename a ", None),
        ("/mode plan now", None),
        ("words", None),
        ("", None),
        ("me@x", None),
    ],
)
def test_a_list_is_wanted_where_a_name_begins(before: str, wanted: Wanted | None) -> None:
    assert wanted_at(before) == wanted


def test_the_better_fit_comes_first_and_use_decides_between_equals() -> None:
    assert [fitting(typed, "security-review") for typed in ("security-review", "sec", "rev")] == [
        0,
        1,
        2,
    ]
    assert fitting("uri", "security-review") == 3
    assert fitting("srw", "security-review") == 4
    assert fitting("wrs", "security-review") is None
    unused = [each.text for each in commands("re", lambda _: 0.0, running=False)]
    assert unused[:2] == ["/resume", "/rename "]
    uses = {"redo": 2.0, "security-review": 9.0}
    used = [each.text for each in commands("re", lambda name: uses.get(name, 0.0), running=False)]
    assert used[:2] == ["/redo", "/resume"]  # the one used more fits less well


def test_the_words_of_a_command_are_offered_until_one_is_there() -> None:
    assert [each.text for each in arguments("mode", "a")] == ["ask", "auto-edit"]
    assert [each.text for each in arguments("review", "b")] == ["base "]
    assert arguments("mode", "ask") == []
    assert arguments("rename", "x") == []


def test_a_list_goes_round_and_shows_what_is_chosen() -> None:
    menu = Menu(Wanted("command", 0, ""), commands("", lambda _: 0.0, running=False))
    menu.step(-1)
    assert menu.chosen == menu.choices[-1]
    assert len(menu.choices) - 1 in menu.window(4)
    menu.step(1)
    assert menu.window(4) == range(4)


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        ("/help", True),
        ("/help me", True),
        ("/help\nme", True),
        ("/?", True),
        ("/", True),
        ("/usr/bin/env is odd", False),
        ("/a.b", False),
        ("!ls", True),
        ("!", False),
        ("! ", False),
        ("# note", True),
        ("# title\nwords", False),
        ("#5", False),
        ("words", False),
        ("", False),
    ],
)
def test_which_lines_are_for_us(text: str, is_ours: bool) -> None:
    assert is_line(text) is is_ours


def test_uses_fade_and_are_kept_by_many(tmp_path: Path) -> None:
    class Clock:
        at = 1_000_000.0

        def now(self) -> float:
            return self.at

        def monotonic(self) -> float:
            return self.at

    clock = Clock()
    one, other = Uses(tmp_path / "home", clock), Uses(tmp_path / "home", clock)
    one.note("cost")
    one.note("cost")
    other.note("tree")
    read = Uses(tmp_path / "home", clock)
    assert (read.weight("cost"), read.weight("tree"), read.weight("undo")) == (2.0, 1.0, 0.0)
    clock.at += 14 * 86_400
    assert read.weight("cost") == pytest.approx(1.0)
    assert (tmp_path / "home" / "uses.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"cost": "much"}', b'{"cost": [1]}'])
def test_a_broken_file_is_no_use_yet(tmp_path: Path, content: bytes) -> None:
    class Clock:
        def now(self) -> float:
            return 5.0

        def monotonic(self) -> float:
            return 5.0

    (tmp_path / "uses.json").write_bytes(content)
    uses = Uses(tmp_path, Clock())
    assert uses.weight("cost") == 0.0
    uses.note("cost")
    assert Uses(tmp_path, Clock()).weight("cost") == 1.0


def test_a_search_goes_back_and_can_be_given_up() -> None:
    recall = Recall(["make test", "git status", "make docs"])
    recall.begin_search("draft")
    assert [recall.search("m"), recall.search("mak"), recall.search_on(), recall.search_on()] == [
        "make docs",
        "make docs",
        "make test",
        None,
    ]
    assert recall.search("nothing") is None
    assert recall.is_searching
    assert recall.give_up() == "draft"
    assert not recall.is_searching


def test_the_same_words_are_passed_once() -> None:
    recall = Recall(["a", "b", "b", "b"])
    assert [recall.earlier(""), recall.earlier("b"), recall.earlier("a")] == ["b", "a", None]
    assert [recall.later(), recall.later(), recall.later()] == ["b", "", None]
