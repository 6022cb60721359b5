"""Colours: themes of the whole screen, and what the styles of rows look like in each."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from rich.color import Color
from rich.style import Style
from textual.theme import Theme

type ThemeName = Literal[
    "auto", "dark", "light", "colour-blind", "colour-blind-light", "terminal", "none"
]

_FLAGS = {
    1: Style(bold=True),
    3: Style(italic=True),
    4: Style(underline=True),
    7: Style(reverse=True),
    9: Style(strike=True),
}
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


class Palette(Struct, frozen=True, kw_only=True):
    """Colours by what they mean; an empty one is the terminal's own."""

    name: str
    dark: bool = True
    background: str = ""
    surface: str = ""
    panel: str = ""
    foreground: str = ""
    faint: str = ""
    accent: str = ""
    red: str = ""
    green: str = ""
    yellow: str = ""
    blue: str = ""
    magenta: str = ""
    cyan: str = ""
    added: str = ""
    removed: str = ""
    is_plain: bool = False

    def style(self, words: str) -> Style:
        """The style of a span: SGR parameters and names of ours, with ``;`` between them."""
        return _style(self, words)


_DARK = Palette(
    name="dark",
    background="#14161a",
    surface="#1b1e24",
    panel="#262a32",
    foreground="#d9dde5",
    faint="#98a1b0",
    accent="#82aaff",
    red="#f38b93",
    green="#93d17f",
    yellow="#e3b970",
    blue="#82aaff",
    magenta="#c6a0f6",
    cyan="#74cbd9",
    added="#17301f",
    removed="#3b1e23",
)
_LIGHT = Palette(
    name="light",
    dark=False,
    background="#fbfbf9",
    surface="#f2f1ee",
    panel="#e5e3de",
    foreground="#23282e",
    faint="#57606c",
    accent="#1f52b5",
    red="#ab2019",
    green="#17632b",
    yellow="#745000",
    blue="#1f52b5",
    magenta="#7335a0",
    cyan="#0a5d6a",
    added="#dcf2df",
    removed="#fbe1de",
)
PALETTES: Mapping[str, Palette] = {
    "dark": _DARK,
    "light": _LIGHT,
    "colour-blind": Palette(
        name="colour-blind",
        background="#14161a",
        surface="#1b1e24",
        panel="#262a32",
        foreground="#d9dde5",
        faint="#98a1b0",
        accent="#7cc4f5",
        red="#f2a65a",
        green="#6cb6f5",
        yellow="#f0e07a",
        blue="#7cc4f5",
        magenta="#d7a6d0",
        cyan="#8fd8d2",
        added="#12293f",
        removed="#3d2912",
    ),
    "colour-blind-light": Palette(
        name="colour-blind-light",
        dark=False,
        background="#fbfbf9",
        surface="#f2f1ee",
        panel="#e5e3de",
        foreground="#23282e",
        faint="#57606c",
        accent="#0a548f",
        red="#8f4300",
        green="#0a548f",
        yellow="#6b5600",
        blue="#0a548f",
        magenta="#7a3b6f",
        cyan="#0b5f66",
        added="#dcecfa",
        removed="#fdebd6",
    ),
    "terminal": Palette(
        name="terminal",
        accent="ansi_cyan",
        red="ansi_red",
        green="ansi_green",
        yellow="ansi_yellow",
        blue="ansi_blue",
        magenta="ansi_magenta",
        cyan="ansi_cyan",
    ),
    "none": Palette(name="none", is_plain=True),
}
"""What a person may choose, without ``auto``."""


def chosen(name: str, environment: Mapping[str, str]) -> Palette:
    """The palette of a name; ``auto`` looks at ``NO_COLOR`` and at what the terminal says of itself."""
    if environment.get("NO_COLOR"):
        return PALETTES["none"]
    if name in PALETTES:
        return PALETTES[name]
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return PALETTES["light" if background in {"7", "15"} else "dark"]


def theme(palette: Palette) -> Theme:
    """The palette as Textual has it; one without colours of its own takes the terminal's."""
    if not palette.background:
        own = "ansi_default"
        return Theme(
            name=palette.name,
            primary=palette.accent or own,
            secondary=palette.accent or own,
            accent=palette.accent or own,
            warning=palette.yellow or own,
            error=palette.red or own,
            success=palette.green or own,
            foreground=own,
            background=own,
            surface=own,
            panel=own,
            boost=own,
            dark=palette.dark,
            ansi=True,
        )
    return Theme(
        name=palette.name,
        primary=palette.accent,
        secondary=palette.cyan,
        accent=palette.accent,
        warning=palette.yellow,
        error=palette.red,
        success=palette.green,
        foreground=palette.foreground,
        background=palette.background,
        surface=palette.surface,
        panel=palette.panel,
        dark=palette.dark,
        text_alpha=1.0,
    )


@lru_cache(2048)
def _style(palette: Palette, words: str) -> Style:
    style = Style()
    numbers: list[int] = []
    for word in words.split(";"):
        if word.isdecimal():
            numbers.append(int(word))
        elif word:
            style += _named(palette, word)
    while numbers:
        style += _sgr(palette, numbers)
    return style


def _named(palette: Palette, word: str) -> Style:
    match word:
        case "said":
            return _back(palette.surface)
        case "panel":
            return _back(palette.panel)
        case "added" | "removed":
            return _back(palette.added if word == "added" else palette.removed)
        case "accent":
            return _fore(palette.accent)
        case "faint":
            return _fore(palette.faint) if palette.faint else Style(dim=True)
        case _:
            return Style()


def _sgr(palette: Palette, numbers: list[int]) -> Style:
    number = numbers.pop(0)
    if number in {38, 48}:
        colour = _exact(numbers)
        if colour is None or palette.is_plain:
            return Style()
        return Style(color=colour) if number == 38 else Style(bgcolor=colour)
    if number == 2:
        return _named(palette, "faint")
    if number in _FLAGS:
        return _FLAGS[number]
    for first, build in ((30, _fore), (90, _fore), (40, _back), (100, _back)):
        if first <= number < first + 8:
            return build(_colour(palette, _NAMES[number - first]))
    return Style()


def _colour(palette: Palette, name: str) -> str:
    match name:
        case "black" | "white":
            return palette.faint if name == "black" else palette.foreground
        case "red":
            return palette.red
        case "green":
            return palette.green
        case "yellow":
            return palette.yellow
        case "blue":
            return palette.blue
        case "magenta":
            return palette.magenta
        case _:
            return palette.cyan


def _exact(numbers: list[int]) -> Color | None:
    kind = numbers.pop(0) if numbers else 0
    if kind == 5 and numbers:
        return Color.from_ansi(min(numbers.pop(0), 255))
    if kind == 2 and len(numbers) >= 3:
        red, green, blue = (min(numbers.pop(0), 255) for _ in range(3))
        return Color.from_rgb(red, green, blue)
    numbers.clear()
    return None


def _fore(colour: str) -> Style:
    return Style(color=_rich(colour)) if colour else Style()


def _back(colour: str) -> Style:
    return Style(bgcolor=_rich(colour)) if colour else Style()


def _rich(colour: str) -> Color:
    return Color.parse(colour.removeprefix("ansi_"))
