"""What keys do: every action with its keys, and the person's own keys in their place.

Names of keys are those of the terminal library: ``ctrl+r``, ``shift+tab``, ``question_mark``. A person
may also write ``Ctrl-R``, ``C-r`` or ``?``.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

type When = Literal["prompt", "running", "list", "card", "transcript", "app"]
"""Where an action is to be had: while typing, only while a run is on, in an open list, on a marked card, elsewhere."""


class Action(NamedTuple):
    """Something that a key does."""

    name: str
    keys: tuple[str, ...]
    meaning: str
    when: When = "prompt"


ACTIONS = (
    Action("send", ("enter",), "send; while a run is on the model hears it at its next step"),
    Action("queue", ("tab",), "keep the words for the end of the run", "running"),
    Action("complete", ("tab",), "complete the name or the command"),
    Action("newline", ("shift+enter", "ctrl+j", "alt+enter"), "another line; so does \\ and Enter"),
    Action("stop", ("escape",), "stop the run; twice with nothing typed: go back"),
    Action("mode_next", ("shift+tab",), "the next mode"),
    Action("clear", ("ctrl+c",), "copy what is selected, else empty the prompt"),
    Action("leave", ("ctrl+d",), "leave, where nothing is typed; else delete to the right"),
    Action("previous", ("up", "ctrl+p"), "a line up; from the first, what was typed before"),
    Action("next", ("down", "ctrl+n"), "a line down; from the last, what was typed after"),
    Action("search_history", ("ctrl+r",), "search what was typed before; again: further back"),
    Action("edit_outside", ("ctrl+g",), "write in your editor"),
    Action("attach", ("ctrl+v",), "attach the picture in the clipboard"),
    Action("waiting", ("alt+up",), "take the latest waiting words back into the prompt"),
    Action("left", ("left", "ctrl+b"), "left"),
    Action("right", ("right", "ctrl+f"), "right"),
    Action("word_left", ("ctrl+left", "alt+left", "alt+b"), "a word left"),
    Action("word_right", ("ctrl+right", "alt+right", "alt+f"), "a word right"),
    Action("line_start", ("home", "ctrl+a"), "to the beginning of the line"),
    Action("line_end", ("end", "ctrl+e"), "to the end of the line"),
    Action("text_start", ("ctrl+home",), "to the very beginning"),
    Action("text_end", ("ctrl+end",), "to the very end"),
    Action("select_left", ("shift+left",), "select to the left"),
    Action("select_right", ("shift+right",), "select to the right"),
    Action("select_up", ("shift+up",), "select a line up"),
    Action("select_down", ("shift+down",), "select a line down"),
    Action("select_word_left", ("ctrl+shift+left",), "select a word to the left"),
    Action("select_word_right", ("ctrl+shift+right",), "select a word to the right"),
    Action("select_line_start", ("shift+home",), "select to the beginning of the line"),
    Action("select_line_end", ("shift+end",), "select to the end of the line"),
    Action("select_all", ("alt+a",), "select all"),
    Action("delete_left", ("backspace",), "delete to the left"),
    Action("delete_right", ("delete",), "delete to the right"),
    Action("kill_word_left", ("ctrl+w", "alt+backspace", "ctrl+backspace"), "cut a word left"),
    Action("kill_word_right", ("alt+d", "ctrl+delete"), "cut a word right"),
    Action("kill_line_start", ("ctrl+u",), "cut to the beginning of the line"),
    Action("kill_line_end", ("ctrl+k",), "cut to the end of the line"),
    Action("yank", ("ctrl+y",), "put back what was cut"),
    Action("yank_earlier", ("alt+y",), "after that: what was cut before, instead"),
    Action("undo", ("ctrl+underscore", "alt+z"), "undo"),
    Action("redo", ("alt+shift+z", "ctrl+shift+z"), "redo"),
    Action("list_up", ("up", "ctrl+p"), "the one above", "list"),
    Action("list_down", ("down", "ctrl+n"), "the one below", "list"),
    Action("list_take", ("tab",), "take it", "list"),
    Action("list_send", ("enter",), "take it, and send if it is a whole command", "list"),
    Action("list_close", ("escape",), "close the list", "list"),
    Action("help", ("f1",), "all keys and commands; so does ? with nothing typed", "app"),
    Action("page_up", ("pageup",), "a page up", "transcript"),
    Action("page_down", ("pagedown",), "a page down", "transcript"),
    Action("to_top", ("ctrl+pageup",), "to the beginning of the conversation", "transcript"),
    Action("to_bottom", ("ctrl+pagedown",), "to the latest, and follow it", "transcript"),
    Action("unfold", ("ctrl+o",), "unfold or fold what calls did", "transcript"),
    Action(
        "side_by_side", ("ctrl+x",), "changes side by side, or one below the other", "transcript"
    ),
    Action("mark_above", ("ctrl+up", "alt+p"), "mark a card, or the one above it", "transcript"),
    Action("mark_below", ("ctrl+down", "alt+n"), "mark the card below", "transcript"),
    Action("card_above", ("up",), "the card above", "card"),
    Action("card_below", ("down",), "the card below", "card"),
    Action("card_toggle", ("enter", "space"), "unfold or fold this card", "card"),
    Action("card_leave", ("escape",), "back to the prompt; so does typing", "card"),
    Action("answer", ("ctrl+t", "f2"), "answer what is asked; again: back to the prompt", "app"),
    Action("sessions", ("ctrl+s",), "other sessions", "app"),
    Action("rooms", ("alt+o", "f3"), "open sessions, and what goes on in each", "app"),
    Action("redraw", ("ctrl+l",), "draw the screen anew", "app"),
    Action("suspend", ("ctrl+z",), "back to the shell; fg comes back here", "app"),
)

_SAME_TIME: tuple[frozenset[When], ...] = (
    frozenset({"prompt", "transcript", "app"}),
    frozenset({"running"}),
    frozenset({"list"}),
    frozenset({"card"}),
)
"""Of what is to be had at one time each key does one thing."""

_MODIFIERS = {
    "c": "ctrl", "ctrl": "ctrl", "control": "ctrl", "m": "alt", "a": "alt", "alt": "alt",
    "meta": "alt", "option": "alt", "s": "shift", "shift": "shift", "super": "super",
}  # fmt: skip
_SPOKEN = {
    "esc": "escape", "return": "enter", "del": "delete", "bs": "backspace", "ins": "insert",
    "pgup": "pageup", "pgdn": "pagedown", "page_up": "pageup", "page_down": "pagedown",
    "backtab": "shift+tab",
}  # fmt: skip
_NAMED = frozenset((
    "escape",
    "enter",
    "tab",
    "backspace",
    "delete",
    "insert",
    "home",
    "end",
    "pageup",
    "pagedown",
    "up",
    "down",
    "left",
    "right",
    "space",
)) | {f"f{number}" for number in range(1, 25)}
_PUNCTUATION = {
    "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at",
    "hyphen_minus": "minus", "plus_sign": "plus", "low_line": "underscore",
}  # fmt: skip
_SIGNS = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""


class Keys(Struct, frozen=True, kw_only=True):
    """Which key does what.

    Attributes:
        actions: The actions with the keys they really have.
        problems: What of the person's own keys was not understood, in words for them.
    """

    actions: tuple[Action, ...] = ACTIONS
    problems: tuple[str, ...] = ()

    def action(self, key: str, *whens: When) -> str:
        """What the key does there, the first place first; empty for nothing."""
        for when in whens:
            for action in self.actions:
                if action.when == when and key in action.keys:
                    return action.name
        return ""

    def of(self, name: str) -> tuple[str, ...]:
        """The keys of an action."""
        return next((action.keys for action in self.actions if action.name == name), ())

    def shown(self, name: str) -> str:
        """The first key of an action as people write it; empty where it has none."""
        return next(map(spoken, self.of(name)), "")

    def lines(self, when: When) -> list[tuple[str, str]]:
        """Keys and meaning of all that is to be had there."""
        return [
            (", ".join(map(spoken, action.keys)) or "(no key)", action.meaning)
            for action in self.actions
            if action.when == when
        ]


def bound(own: Mapping[str, str | Sequence[str]]) -> Keys:
    """The actions with the person's own keys; what cannot be understood leaves an action as it was.

    An own key is taken away from the action that has it by default. An empty list leaves an action
    without a key.
    """
    problems: list[str] = []
    chosen: dict[str, tuple[str, ...]] = {}
    known = {action.name: action for action in ACTIONS}
    for name, words in own.items():
        if name not in known:
            problems.append(f"tui.keys: there is no action {name[:40]!r}{_like(name, known)}")
            continue
        given = [words] if isinstance(words, str) else words
        keys = _understood(name, known[name].when, given, problems)
        if keys is not None:
            chosen[name] = keys
    for name, keys in list(chosen.items()):
        other = _rival(known[name], keys, chosen, known)
        if other:
            problems.append(f"tui.keys: {name} and {other} have the same key; {name} keeps its own")
            del chosen[name]
    actions = [_with_own(action, chosen, known) for action in ACTIONS]
    without = {action.name for action in actions if not action.keys}
    needed = (name for name in ("send", "stop", "leave") if name in without)
    problems.extend(f"tui.keys: {name} has no key now" for name in needed)
    return Keys(actions=tuple(actions), problems=tuple(problems))


def named(words: str) -> str:
    """A key as the terminal library calls it; empty where there is no such key."""
    text = words.strip()
    if text in _SIGNS and len(text) == 1:
        return _sign(text)
    *modifiers, key = _parts(text)
    kinds = {_MODIFIERS.get(modifier.lower(), "") for modifier in modifiers}
    if "" in kinds:
        return ""
    if len(key) == 1 and key.isalnum():
        key = key.lower() if "ctrl" in kinds else key
    elif len(key) == 1 and key in _SIGNS:
        key = _sign(key)
    else:
        key = _SPOKEN.get(key.lower(), key.lower())
        if key not in _NAMED and key != "shift+tab" and key not in map(_sign, _SIGNS):
            return ""
    return "+".join([*sorted(kinds), key])


def spoken(key: str) -> str:
    """A key as people write it: ``Ctrl-R``, ``Shift-Tab``, ``?``."""
    *modifiers, last = key.split("+")
    signs = {_sign(sign): sign for sign in _SIGNS}
    last = signs.get(last, last)
    if len(last) == 1:
        last = last.upper() if "ctrl" in modifiers else last
    else:
        last = {"pageup": "PageUp", "pagedown": "PageDown", "escape": "Esc"}.get(
            last, last.capitalize()
        )
    return "-".join([*(modifier.capitalize() for modifier in modifiers), last])


def _parts(text: str) -> list[str]:
    """Modifiers and key; the last sign may itself be a plus or a minus."""
    if len(text) > 1 and text[-1] in "+-" and text[-2] in "+-":
        return [*text[:-2].replace("-", "+").split("+"), text[-1]]
    return text.replace("-", "+").split("+")


def _sign(sign: str) -> str:
    name = unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
    return _PUNCTUATION.get(name, name)


def _understood(
    name: str, when: When, words: Iterable[str], problems: list[str]
) -> tuple[str, ...] | None:
    keys: list[str] = []
    for each in words:
        key = named(each)
        if not key:
            problems.append(
                f"tui.keys.{name}: {each[:40]!r} is no key; write it like ctrl+r, alt+enter or f2"
            )
            return None
        if when != "card" and _types(key):
            problems.append(f"tui.keys.{name}: {each[:40]!r} types a letter, so it cannot be bound")
            return None
        keys.append(key)
    return tuple(dict.fromkeys(keys))


def _types(key: str) -> bool:
    """Whether it puts a sign into the text."""
    *modifiers, last = key.split("+")
    return set(modifiers) <= {"shift"} and (last not in _NAMED or last == "space")


def _rival(
    action: Action,
    keys: tuple[str, ...],
    chosen: Mapping[str, tuple[str, ...]],
    known: Mapping[str, Action],
) -> str:
    """An action that the person gave the same key, at the same time."""
    for other, theirs in chosen.items():
        if other != action.name and _meet(action, known[other]) and set(theirs) & set(keys):
            return other
    return ""


def _with_own(
    action: Action, chosen: Mapping[str, tuple[str, ...]], known: Mapping[str, Action]
) -> Action:
    own = chosen.get(action.name)
    if own is not None:
        return action._replace(keys=own)
    taken = {key for name, keys in chosen.items() if _meet(action, known[name]) for key in keys}
    return action._replace(keys=tuple(key for key in action.keys if key not in taken))


def _meet(one: Action, other: Action) -> bool:
    return any(one.when in together and other.when in together for together in _SAME_TIME)


def _like(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return f"; is {close[0]!r} meant?" if close else ""
