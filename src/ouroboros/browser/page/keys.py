"""Keys by the names of the web: what a keyboard would send for each. Pure.

Source: https://www.w3.org/TR/uievents-key/ and uievents-code, layout of the United States.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ouroboros.browser.errors import CannotAct

MODIFIERS = {
    "alt": ("Alt", 1, "AltLeft", 18),
    "control": ("Control", 2, "ControlLeft", 17),
    "ctrl": ("Control", 2, "ControlLeft", 17),
    "meta": ("Meta", 4, "MetaLeft", 91),
    "cmd": ("Meta", 4, "MetaLeft", 91),
    "command": ("Meta", 4, "MetaLeft", 91),
    "shift": ("Shift", 8, "ShiftLeft", 16),
}
_NAMED = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
    "Insert": ("Insert", 45, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""),
    "PageDown": ("PageDown", 34, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "CapsLock": ("CapsLock", 20, ""),
    "ContextMenu": ("ContextMenu", 93, ""),
    "Pause": ("Pause", 19, ""),
    **{f"F{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
_OTHER_NAMES = {
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "space": " ",
    "spacebar": " ",
    "plus": "+",
}
_PLAIN = {
    "-": ("Minus", 189),
    "=": ("Equal", 187),
    "[": ("BracketLeft", 219),
    "]": ("BracketRight", 221),
    "\\": ("Backslash", 220),
    ";": ("Semicolon", 186),
    "'": ("Quote", 222),
    "`": ("Backquote", 192),
    ",": ("Comma", 188),
    ".": ("Period", 190),
    "/": ("Slash", 191),
    " ": ("Space", 32),
}
_SHIFTED = dict(zip('_+{}|:"~<>?', "-=[]\\;'`,./", strict=True)) | dict(
    zip(")!@#$%^&*(", "0123456789", strict=True)
)
_EDITING = {"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo"}


class Key(Struct, frozen=True, kw_only=True):
    """What one key sends."""

    key: str
    code: str = ""
    number: int = 0
    text: str = ""
    shift: bool = False


def key_of(name: str) -> Key:
    """The key of a name such as ``Enter`` or of a character such as ``é``.

    Raises:
        CannotAct: There is no such key.
    """
    name = _OTHER_NAMES.get(name.lower(), name) if len(name) > 1 else name
    if name in {"\n", "\r"}:
        name = "Enter"
    if name == "\t":
        name = "Tab"
    known = next((word for word in _NAMED if word.lower() == name.lower()), None)
    if known is not None:
        code, number, text = _NAMED[known]
        return Key(key=known, code=code, number=number, text=text)
    if name.lower() in MODIFIERS:
        word, _, code, number = MODIFIERS[name.lower()]
        return Key(key=word, code=code, number=number)
    if len(name) != 1:
        raise CannotAct(f"there is no key {name!r}; names are as in Enter, ArrowDown, Control+A")
    plain = _SHIFTED.get(name, name)
    shift = plain != name or (name.isascii() and name.isupper())
    if plain.isascii() and plain.isalpha():
        return Key(
            key=name, code=f"Key{plain.upper()}", number=ord(plain.upper()), text=name, shift=shift
        )
    if plain.isascii() and plain.isdigit():
        return Key(key=name, code=f"Digit{plain}", number=ord(plain), text=name, shift=shift)
    code, number = _PLAIN.get(plain, ("", 0))
    return Key(key=name, code=code, number=number, text=name, shift=shift)


def chord(written: str) -> tuple[tuple[str, ...], str]:
    """``Control+Shift+A`` as its modifiers and its key; ``+`` alone is a key."""
    *held, last = (
        written.split("+")
        if not written.endswith("+")
        else [*written[:-1].rstrip("+").split("+"), "+"]
    )
    held = [word for word in held if word]
    return tuple(held), last


def modifier_bits(names: Sequence[str]) -> int:
    """The modifiers as the protocol's sum.

    Raises:
        CannotAct: One is not a modifier.
    """
    bits = 0
    for name in names:
        known = MODIFIERS.get(name.lower())
        if known is None:
            raise CannotAct(f"there is no modifier {name!r}; there are Alt, Control, Meta, Shift")
        bits |= known[1]
    return bits


def events(key: Key, bits: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """The calls that press and release one key while ``bits`` are held."""
    held = bits | (8 if key.shift else 0)
    body: dict[str, Any] = {
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.number,
        "modifiers": held,
    }
    # With Control or Meta a key is a command; it writes nothing.
    text = "" if bits & 6 else key.text
    down = {**body, "type": "keyDown" if text else "rawKeyDown"}
    if text:
        down |= {"text": text, "unmodifiedText": text}
    if bits & 6 and not bits & 1 and key.key.lower() in _EDITING:
        down["commands"] = [_EDITING[key.key.lower()]]
    call = "Input.dispatchKeyEvent"
    return [(call, down), (call, {**body, "type": "keyUp"})]


def holding(names: Sequence[str], *, down: bool) -> list[tuple[str, dict[str, Any]]]:
    """The calls that press, or release, the modifiers themselves."""
    calls: list[tuple[str, dict[str, Any]]] = []
    bits = 0 if down else modifier_bits(names)
    for name in names if down else reversed(names):
        word, bit, code, number = MODIFIERS[name.lower()]
        bits = bits | bit if down else bits & ~bit
        body = {"key": word, "code": code, "windowsVirtualKeyCode": number, "modifiers": bits}
        calls.append((
            "Input.dispatchKeyEvent",
            {**body, "type": "rawKeyDown" if down else "keyUp"},
        ))
    return calls
