"""How the full-screen face looks and is used; a project sets none of it."""

from typing import Literal

from msgspec import Struct, field

from ouroboros.app.settings.kinds import Seconds


class Tui(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tui]``: the full-screen face.

    Attributes:
        theme: Its colours; ``auto`` looks at NO_COLOR and at whether the terminal is light,
            ``terminal`` takes the terminal's own colours.
        vim: The prompt is edited by Vim's keys.
        keys: Other keys for an action, by its name, such as ``unfold = ["ctrl+t"]``; an empty list for
            none.
        mouse: It is listened to; without, the terminal selects text by itself.
        unfolded: Cards of calls begin unfolded.
        side_by_side: Changes in two columns; ``auto`` where there is room for it.
        pictures: How images are shown: by kitty's protocol, with ``auto`` where the terminal is known
            to understand it, or as paths.
        notifications: How it calls when a run ends, or asks, while you look elsewhere.
        editor: The program that long words are written in; empty takes VISUAL or EDITOR.
        status_script: A command of your own whose first line joins the status line; it reads what
            is known of the session as JSON.
        status_timeout: Seconds that it may take.
    """

    theme: Literal[
        "auto", "dark", "light", "colour-blind", "colour-blind-light", "terminal", "none"
    ] = "auto"
    vim: bool = False
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    mouse: bool = True
    unfolded: bool = False
    side_by_side: Literal["auto", "always", "never"] = "auto"
    pictures: Literal["auto", "kitty", "off"] = "auto"
    notifications: Literal["auto", "osc9", "osc777", "bell", "off"] = "auto"
    editor: str = ""
    status_script: str = ""
    status_timeout: Seconds = 5.0
