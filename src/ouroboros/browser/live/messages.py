"""What goes between a viewer and the tabs: wishes in JSON, what is told in JSON, pictures in bytes. Pure.

A picture is four bytes, the length of its head in network order, then the head in JSON, then the JPEG.
The names of wishes and happenings of tabs are those of the first design.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ouroboros.browser.capture.casting import Frame
from ouroboros.browser.live.input import Compose, Insert, Key, Mouse, Touch, Wheel, Word, Writing

MESSAGE_BYTES = 2_000_000
"""Of one wish; the longest is a paste."""

VIEWS = 24
LARGEST = 2_560

type Side = Annotated[int, Meta(ge=16, le=LARGEST)]
type Address = Annotated[str, Meta(max_length=100_000)]


class _Wish(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """``id`` is given back with the answer; without one only a refusal is answered."""

    id: Word = ""


class _InTab(_Wish, frozen=True, kw_only=True):
    """``tab`` is the name of one; empty means the active one."""

    tab: Word = ""


class TabOpen(_Wish, frozen=True, kw_only=True, tag="tab:open"):
    """Opens a tab; starts the browser where it has not been."""

    url: Address = ""


class TabClose(_InTab, frozen=True, kw_only=True, tag="tab:close"):
    """Closes a tab."""


class TabSwitch(_InTab, frozen=True, kw_only=True, tag="tab:switch"):
    """Makes a tab the active one: that which code means when it names none."""


class TabNavigate(_InTab, frozen=True, kw_only=True, tag="tab:navigate"):
    """Goes to an address as a person writes it: ``example.com`` will do."""

    url: Address


class TabBack(_InTab, frozen=True, kw_only=True, tag="tab:go-back"):
    """One step back in its history."""


class TabForward(_InTab, frozen=True, kw_only=True, tag="tab:go-forward"):
    """One step forward in its history."""


class TabReload(_InTab, frozen=True, kw_only=True, tag="tab:reload"):
    """Loads its page again; also a page that has crashed."""


class TabStop(_InTab, frozen=True, kw_only=True, tag="tab:stop"):
    """Stops loading."""


class Recover(_Wish, frozen=True, kw_only=True, tag="browser:recover"):
    """Has a browser that is gone back, with its tabs."""


class TabGetAll(_Wish, frozen=True, kw_only=True, tag="tab:get-all"):
    """Which tabs there are."""


class TabGetActive(_Wish, frozen=True, kw_only=True, tag="tab:get-active"):
    """Which one is active."""


class View(Struct, frozen=True, kw_only=True):
    """One tab in a viewer: how many pixels there are for it, and how many pictures a second at most."""

    tab: Word
    width: Side = 1280
    height: Side = 720
    rate: Annotated[float, Meta(gt=0, le=60)] = 30


class Watch(_Wish, frozen=True, kw_only=True, tag="watch"):
    """The tabs that are in view from now on; none ends all pictures."""

    views: Annotated[tuple[View, ...], Meta(max_length=VIEWS)] = ()


class Seen(_Wish, frozen=True, kw_only=True, tag="seen"):
    """So many pictures have arrived and been shown; more come only then."""

    count: Annotated[int, Meta(ge=1, le=100)] = 1


class Take(_InTab, frozen=True, kw_only=True, tag="take"):
    """The person drives the tab by this viewer."""


class Give(_InTab, frozen=True, kw_only=True, tag="give"):
    """The agent drives the tab again."""


class Paste(_InTab, frozen=True, kw_only=True, tag="paste"):
    """Pastes a text."""

    text: Writing


class Copy(_InTab, frozen=True, kw_only=True, tag="copy"):
    """Copies what is selected; it comes back as ``clipboard``."""

    cut: bool = False


class AnswerDialog(_InTab, frozen=True, kw_only=True, tag="dialog"):
    """Decides the dialog that holds a page."""

    accept: bool
    text: Annotated[str, Meta(max_length=10_000)] = ""


class AnswerChooser(_InTab, frozen=True, kw_only=True, tag="files"):
    """Hands files of the workspace to a page that asks for some; none lets it ask in vain."""

    paths: Annotated[tuple[Address, ...], Meta(max_length=100)] = ()


type Wish = (
    TabOpen
    | TabClose
    | TabSwitch
    | TabNavigate
    | TabBack
    | TabForward
    | TabReload
    | TabStop
    | Recover
    | TabGetAll
    | TabGetActive
    | Watch
    | Seen
    | Take
    | Give
    | Paste
    | Copy
    | AnswerDialog
    | AnswerChooser
    | Mouse
    | Wheel
    | Touch
    | Key
    | Insert
    | Compose
)

WISHES: tuple[type[Struct], ...] = tuple(Wish.__value__.__args__)

_wish: msgspec.json.Decoder[Wish] = msgspec.json.Decoder(Wish)
_encode = msgspec.json.Encoder().encode


def wish(message: str | bytes) -> Wish:
    """Reads a wish.

    Raises:
        ValueError: It is none; the words say what is wrong with it.
    """
    if len(message) > MESSAGE_BYTES:
        raise ValueError(f"a message of {len(message):,} bytes is too long")
    try:
        return _wish.decode(message)
    except (msgspec.MsgspecError, RecursionError) as odd:
        raise ValueError(str(odd)) from odd


class Waiting(Struct, frozen=True, kw_only=True):
    """A dialog that waits for an answer; its words are the page's."""

    kind: str
    message: str = ""
    default: str = ""


class Asking(Struct, frozen=True, kw_only=True):
    """A page that asks for files."""

    multiple: bool


class TabState(Struct, frozen=True, kw_only=True):
    """A tab as a viewer is told of it.

    Attributes:
        driver: ``agent`` or ``person``.
        mine: It is this viewer's person who drives.
        awaited: The agent waits for the tab to be handed back.
        dialog: What holds the page.
        chooser: The page asks for files.
    """

    id: str
    url: str
    title: str
    status: str
    opener: str = ""
    driver: str = "agent"
    mine: bool = False
    awaited: bool = False
    dialog: Waiting | None = None
    chooser: Asking | None = None


class _Told(Struct, frozen=True, kw_only=True, tag_field="kind"):
    pass


class Hello(_Told, frozen=True, kw_only=True, tag="hello"):
    """The first message: all there is."""

    viewer: str
    state: str
    why: str
    attached: bool
    tabs: tuple[TabState, ...]
    active: str


class Standing(_Told, frozen=True, kw_only=True, tag="browser"):
    """The browser was started or is gone; ``attached`` is the person's own."""

    state: str
    why: str
    attached: bool


class TabUpdated(_Told, frozen=True, kw_only=True, tag="tab:updated"):
    """A tab is there, or something about it is different."""

    tab: TabState


class TabActiveChanged(_Told, frozen=True, kw_only=True, tag="tab:active-changed"):
    """Another tab is the active one; empty when there is none."""

    tab: str


class TabClosed(_Told, frozen=True, kw_only=True, tag="tab:closed"):
    """A tab is gone."""

    tab: str


class Point(_Told, frozen=True, kw_only=True, tag="point"):
    """The agent's mouse in a tab in view: ``move``, ``down``, ``up`` or ``wheel``, in parts of the picture."""

    tab: str
    what: str
    x: float
    y: float


class Clipboard(_Told, frozen=True, kw_only=True, tag="clipboard"):
    """What was copied."""

    id: str
    text: str


class Done(_Told, frozen=True, kw_only=True, tag="done", omit_defaults=True):
    """A wish was carried out; the tab that was opened, or what was asked."""

    id: str
    tab: str = ""
    tabs: tuple[TabState, ...] | None = None
    active: str | None = None


class Refused(_Told, frozen=True, kw_only=True, tag="refused"):
    """A wish had no effect; ``id`` is empty where it had none."""

    id: str
    error: str
    hint: str = ""


class Picture(Struct, frozen=True, kw_only=True):
    """The head of a picture, in a binary message; its size is that of the page, in CSS pixels."""

    tab: str
    number: int
    width: float
    height: float
    top: float


type Told = (
    Hello
    | Standing
    | TabUpdated
    | TabActiveChanged
    | TabClosed
    | Point
    | Clipboard
    | Done
    | Refused
)

TOLD: tuple[type[Struct], ...] = (*Told.__value__.__args__, Picture)


def told(message: Told) -> str:
    """One message to a viewer."""
    return _encode(message).decode()


def picture(frame: Frame) -> bytes:
    """A picture as it is sent."""
    about = frame.shape
    head = _encode(
        Picture(
            tab=frame.tab,
            number=frame.number,
            width=about.width,
            height=about.height,
            top=about.top,
        )
    )
    return len(head).to_bytes(4, "big") + head + frame.data
