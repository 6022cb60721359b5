"""Colours: themes of the whole screen, and what the styles of rows look like in each."""

from functools import lru_cache

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from ouroboros.faces.tui.palette import Palette

_FLAGS = {
    1: Style(bold=True),
    3: Style(italic=True),
    4: Style(underline=True),
    7: Style(reverse=True),
    9: Style(strike=True),
}
_OWN = {
    "ansi-background": "ansi_black",
    "ansi-foreground": "ansi_white",
    "border-blurred": "ansi_default",
    "block-cursor-foreground": "ansi_black",
    "block-cursor-background": "ansi_white",
    "input-cursor-background": "ansi_default",
    "input-cursor-foreground": "ansi_default",
    "input-cursor-text-style": "reverse",
    "input-selection-background": "ansi_blue",
    "input-selection-foreground": "ansi_white",
    "screen-selection-background": "ansi_blue",
    "screen-selection-foreground": "ansi_white",
}
"""What a theme in the terminal's own colours has to name besides."""

_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


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
            variables=_OWN,
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
        variables={
            "text-muted": palette.faint,
            "text-disabled": palette.faint,
        },
    )


@lru_cache(2048)
def style_of(palette: Palette, words: str) -> Style:
    """The style of a span: SGR parameters and names of ours, with ``;`` between them."""
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
    if 40 <= number < 48 or 100 <= number < 108:
        return _back(palette.panel)  # only code in a sentence has a background
    for first in (30, 90):
        if first <= number < first + 8:
            return _fore(_colour(palette, _NAMES[number - first]))
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
