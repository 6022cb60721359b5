"""What a person does in a picture of a tab, as calls that do it in the page. Pure.

Places are parts of the picture, 0 to 1 from its upper left corner, so that no size has to be agreed on.
Source: https://chromedevtools.github.io/devtools-protocol/tot/Input/
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ouroboros.browser.capture.casting import Shape
from ouroboros.browser.connection import Call

type Part = Annotated[float, Meta(ge=0, le=1)]
type Way = Annotated[float, Meta(ge=-10_000, le=10_000)]
type Bits = Annotated[int, Meta(ge=0, le=15)]
type Word = Annotated[str, Meta(max_length=40)]
type Writing = Annotated[str, Meta(max_length=1_000_000)]
type Button = Literal["none", "left", "middle", "right", "back", "forward"]

_MOUSE = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}
_TOUCH = {"start": "touchStart", "move": "touchMove", "end": "touchEnd", "cancel": "touchCancel"}
_ALT, _CONTROL, _META, _SHIFT = 1, 2, 4, 8
_EDITING = {"a": "selectAll", "c": "copy", "x": "cut", "z": "undo", "y": "redo"}


class _Doing(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """In a tab; ``tab`` is its name."""

    tab: Word


class Mouse(_Doing, frozen=True, kw_only=True, tag="mouse"):
    """The mouse moved, or a button of it went down or up; ``buttons`` are those that are down (1, 2, 4)."""

    what: Literal["move", "down", "up"]
    x: Part
    y: Part
    button: Button = "none"
    buttons: Annotated[int, Meta(ge=0, le=31)] = 0
    count: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Bits = 0


class Wheel(_Doing, frozen=True, kw_only=True, tag="wheel"):
    """The wheel was turned, by so many CSS pixels."""

    x: Part
    y: Part
    dx: Way = 0
    dy: Way = 0
    modifiers: Bits = 0


class Finger(Struct, frozen=True, kw_only=True):
    """One point that is touched."""

    id: Annotated[int, Meta(ge=0, le=31)]
    x: Part
    y: Part


class Touch(_Doing, frozen=True, kw_only=True, tag="touch"):
    """Fingers on the picture; at the end those that are left."""

    what: Literal["start", "move", "end", "cancel"]
    points: Annotated[tuple[Finger, ...], Meta(max_length=10)] = ()
    modifiers: Bits = 0


class Key(_Doing, frozen=True, kw_only=True, tag="key"):
    """A key as the person's own browser names it; ``text`` is what it writes, empty for none."""

    what: Literal["down", "up"]
    key: Word
    code: Word = ""
    number: Annotated[int, Meta(ge=0, le=255)] = 0
    location: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Bits = 0
    repeat: bool = False
    text: Annotated[str, Meta(max_length=8)] = ""


class Insert(_Doing, frozen=True, kw_only=True, tag="insert"):
    """Text that no single key writes: what an input method made, an emoji."""

    text: Writing


class Compose(_Doing, frozen=True, kw_only=True, tag="compose"):
    """What an input method is about to make; empty ends it without a word."""

    text: Annotated[str, Meta(max_length=1_000)]


type Input = Mouse | Wheel | Touch | Key | Insert | Compose


def calls(did: Input, shape: Shape) -> list[Call]:
    """The calls that do it in a page of this shape."""
    match did:
        case Mouse():
            return [_mouse(did, shape)]
        case Wheel():
            return [_wheel(did, shape)]
        case Touch():
            return [_touch(did, shape)]
        case Key():
            return [_key(did)]
        case Insert(text=text):
            return [("Input.insertText", {"text": text})] if text else []
        case Compose(text=text):
            end = len(text.encode("utf-16-le")) // 2
            body = {"text": text, "selectionStart": end, "selectionEnd": end}
            return [("Input.imeSetComposition", body)]


def _place(x: float, y: float, shape: Shape) -> dict[str, Any]:
    inside = shape.height - shape.top
    return {
        "x": round(min(x * shape.width, max(shape.width - 1, 0)), 2),
        "y": round(min(max(y * shape.height - shape.top, 0), max(inside - 1, 0)), 2),
    }


def _mouse(did: Mouse, shape: Shape) -> Call:
    body = {
        "type": _MOUSE[did.what],
        **_place(did.x, did.y, shape),
        "button": did.button,
        "buttons": did.buttons,
        "clickCount": did.count if did.what != "move" else 0,
        "modifiers": did.modifiers,
    }
    return "Input.dispatchMouseEvent", body


def _wheel(did: Wheel, shape: Shape) -> Call:
    body = {
        "type": "mouseWheel",
        **_place(did.x, did.y, shape),
        "deltaX": did.dx,
        "deltaY": did.dy,
        "modifiers": did.modifiers,
    }
    return "Input.dispatchMouseEvent", body


def _touch(did: Touch, shape: Shape) -> Call:
    points = [{"id": point.id, **_place(point.x, point.y, shape)} for point in did.points]
    kept = [] if did.what == "cancel" else points
    body = {"type": _TOUCH[did.what], "touchPoints": kept, "modifiers": did.modifiers}
    return "Input.dispatchTouchEvent", body


def _key(did: Key) -> Call:
    body: dict[str, Any] = {
        "type": "keyUp",
        "key": did.key,
        "code": did.code,
        "windowsVirtualKeyCode": did.number,
        "modifiers": did.modifiers,
        "location": did.location,
        "isKeypad": did.location == 3,
    }
    if did.what == "down":
        body |= {"type": "keyDown" if did.text else "rawKeyDown", "autoRepeat": did.repeat}
        body |= {"text": did.text, "unmodifiedText": did.text} if did.text else {}
        command = _command(did)
        body |= {"commands": [command]} if command else {}
    return "Input.dispatchKeyEvent", body


def _command(did: Key) -> str:
    """What a key does in a field; a browser that is driven from outside does it only when told."""
    if not did.modifiers & (_CONTROL | _META) or did.modifiers & _ALT:
        return ""
    if did.modifiers & _SHIFT:
        return "redo" if did.key.lower() == "z" else ""
    return _EDITING.get(did.key.lower(), "")
