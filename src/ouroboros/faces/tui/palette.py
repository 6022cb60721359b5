"""Colours by what they mean, in every theme; knows no library."""

from collections.abc import Mapping

from msgspec import Struct


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
