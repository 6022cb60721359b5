"""Which key does what, and the person's own keys."""

from itertools import combinations

import pytest

from ouroboros.faces.tui.keys import ACTIONS, Keys, bound, named, spoken


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("ctrl+r", "ctrl+r"),
        ("Ctrl-R", "ctrl+r"),
        ("C-r", "ctrl+r"),
        ("M-x", "alt+x"),
        ("Alt-Enter", "alt+enter"),
        ("shift+tab", "shift+tab"),
        ("backtab", "shift+tab"),
        ("Ctrl-Shift-Left", "ctrl+shift+left"),
        ("shift+ctrl+left", "ctrl+shift+left"),
        ("Esc", "escape"),
        ("Return", "enter"),
        ("PgUp", "pageup"),
        ("F12", "f12"),
        ("?", "question_mark"),
        ("ctrl+_", "ctrl+underscore"),
        ("ctrl+-", "ctrl+minus"),
        ("ctrl+plus", "ctrl+plus"),
        ("ctrl++", "ctrl+plus"),
        (" ctrl+r ", "ctrl+r"),
    ],
)
def test_a_key_is_understood_as_people_write_it(words: str, key: str) -> None:
    assert named(words) == key
    assert named(spoken(key)) == key


@pytest.mark.parametrize(
    "words", ["", "banana", "hyper+x", "ctrl+", "ctrl+banana", "f99", "ctrl x"]
)
def test_what_is_no_key_is_none(words: str) -> None:
    assert named(words) == ""


@pytest.mark.proves("interfaces-keys-of-ones-own")
def test_no_key_does_two_things_at_one_time() -> None:
    for one, other in combinations(ACTIONS, 2):
        together = {one.when, other.when} <= {"prompt", "transcript", "app"} or (
            one.when == other.when
        )
        assert not (together and set(one.keys) & set(other.keys)), (one.name, other.name)
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


def test_every_usual_key_is_one_that_a_person_could_write() -> None:
    for action in ACTIONS:
        assert [named(key) for key in action.keys] == list(action.keys)


def test_an_own_key_takes_the_place_of_the_usual_one_everywhere() -> None:
    keys = bound({"undo": ["Ctrl-R"], "search_history": "F3"})
    assert keys.problems == ()
    assert keys.action("ctrl+r", "prompt") == "undo"
    assert keys.action("f3", "prompt") == "search_history"
    assert keys.action("ctrl+underscore", "prompt") == ""
    assert keys.shown("undo") == "Ctrl-R"
    assert ("Ctrl-R", "undo") in keys.lines("prompt")


def test_a_key_that_is_taken_from_another_action_is_gone_there() -> None:
    keys = bound({"undo": ["ctrl+r"]})
    assert keys.of("search_history") == ()
    assert keys.problems == ()
    assert ("(no key)", keys_meaning(keys, "search_history")) in keys.lines("prompt")


def keys_meaning(keys: Keys, name: str) -> str:
    return next(action.meaning for action in keys.actions if action.name == name)


def test_the_same_key_may_do_another_thing_in_a_list() -> None:
    keys = bound({"list_take": ["ctrl+e"]})
    assert keys.action("ctrl+e", "list") == "list_take"
    assert keys.action("ctrl+e", "prompt") == "line_end"


@pytest.mark.proves("interfaces-keys-of-ones-own")
@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ({"undoo": ["ctrl+t"]}, "there is no action 'undoo'; is 'undo' meant?"),
        ({"zzz": ["ctrl+t"]}, "there is no action 'zzz'"),
        ({"undo": ["ctrl+banana"]}, "'ctrl+banana' is no key; write it like ctrl+r"),
        ({"undo": ["x"]}, "'x' types a letter, so it cannot be bound"),
        ({"undo": ["shift+x"]}, "'shift+x' types a letter, so it cannot be bound"),
        ({"undo": ["?"]}, "'?' types a letter"),
        ({"undo": ["space"]}, "'space' types a letter"),
        ({"undo": ["f5"], "redo": ["f5"]}, "undo and redo have the same key"),
        ({"undo": ["enter"]}, "send has no key now"),
    ],
)
def test_what_cannot_be_is_told_and_the_rest_holds(own: dict[str, list[str]], problem: str) -> None:
    keys = bound({**own, "attach": ["f9"]})
    assert problem in "; ".join(keys.problems)
    assert keys.action("f9", "prompt") == "attach"


def test_of_two_that_want_one_key_the_later_keeps_its_own() -> None:
    keys = bound({"undo": ["f5"], "redo": ["f5"]})
    assert len(keys.problems) == 1
    assert [keys.action("f5", "prompt"), keys.of("undo"), keys.of("redo")] == [
        "redo",
        ("ctrl+underscore", "alt+z"),
        ("f5",),
    ]


def test_an_empty_list_leaves_an_action_without_a_key() -> None:
    keys = bound({"undo": []})
    assert keys.of("undo") == ()
    assert keys.problems == ()
