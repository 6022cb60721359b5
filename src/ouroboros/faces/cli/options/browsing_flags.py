"""The options of `browse` and `rlm`, and the settings they become."""

import re
from collections.abc import Callable
from typing import Literal

import click
from msgspec import Struct

from ouroboros.core.errors import Misuse

_PORT = re.compile(r"(?:(?:[\w.-]+|\[[0-9a-fA-F:]+\]):)?\d+")
OWN = "own"
"""What ``--attach`` is without a port or an address: the person's own browser."""


class Wanted(Struct, frozen=True, kw_only=True):
    """The options that `browse` and `rlm` have besides the shared ones."""

    headed: bool = False
    attach: str = ""
    profile: str = ""
    allow_domain: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    output: str = ""
    jsonl: bool = False
    max_iterations: int | None = None
    mind: Literal["rlm", "tools"] = "rlm"
    way: Literal["auto", "plain", "repl"] = "auto"
    yes: bool = False
    non_interactive: bool = False
    goal: str | None = None
    budget: int | None = None

    @property
    def address(self) -> str:
        """Port or address to attach to; empty unless ``--attach`` named one."""
        return self.attach if "://" in self.attach or _PORT.fullmatch(self.attach) else ""

    @property
    def words(self) -> tuple[str, ...]:
        """What stood after ``--attach`` and is neither: the beginning of the task."""
        return (self.attach,) if self.attach not in {"", OWN, self.address} else ()

    def settings(self) -> dict[str, object]:
        """The options as settings by dotted key; None means not given.

        Raises:
            Misuse: Two of them contradict each other.
        """
        for flag, given in (("--headed", self.headed), ("--profile", self.profile)):
            if self.attach and given:
                raise Misuse(
                    f"{flag} does not go with --attach",
                    hint="a browser that runs has its own windows and profile; leave one out",
                )
        if self.login and self.attach and not self.address:
            raise Misuse(
                "--login does not go with --attach without a port or an address",
                hint="your own browser has logins of its own",
            )
        for flag, given in (("--data", self.data), ("--max-iterations", self.max_iterations)):
            if self.mind == "tools" and given:
                raise Misuse(f"{flag} does not go with --mind tools", hint="leave one of them out")
        mode = None
        if self.attach:
            mode = "remote" if self.address.startswith(("wss://", "https://")) else "attach"
        return {
            "browser.headless": False if self.headed else None,
            "browser.mode": mode,
            "browser.url": self.address or None,
            "browser.profile": self.profile or None,
            "browser.allow_domains": list(self.allow_domain) or None,
            "browser.tools": True if self.mind == "tools" else None,
            "rlm.max_iterations": self.max_iterations,
        }


_BROWSING = (
    click.option("--headed", is_flag=True, help="Show the browser's window."),
    click.option(
        "--attach",
        is_flag=False,
        flag_value=OWN,
        default="",
        metavar="[PORT|URL]",
        help="Use a browser that runs; without a port or address, your own Chrome.",
    ),
    click.option("--profile", metavar="NAME", default="", help="Use this profile of the browser."),
    click.option(
        "--allow-domain",
        multiple=True,
        metavar="DOMAIN",
        help="Go there without asking; may be given again.",
    ),
    click.option(
        "--login",
        multiple=True,
        metavar="NAME",
        help="Begin with this login of the vault; may be given again.",
    ),
    click.option(
        "--mind",
        type=click.Choice(["rlm", "tools"]),
        default="rlm",
        show_default=True,
        help="Write code against pages it does not see, or call tools.",
    ),
)
_RUNNING = (
    click.option(
        "--data",
        multiple=True,
        metavar="[NAME=]FILE",
        help="Hand in a file, a folder or - for standard input; may be given again.",
    ),
    click.option("--output", metavar="FILE", default="", help="Write the result into a file."),
    click.option("--jsonl", is_flag=True, help="Print one event a line, for programs."),
    click.option(
        "--max-iterations", type=click.IntRange(min=1), help="Answer after so many iterations."
    ),
    click.option("-y", "--yes", is_flag=True, help="The same as --mode full-auto."),
    click.option("--non-interactive", is_flag=True, help="Never ask; what needs it is denied."),
)


def browsing(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of `browse`."""
    for option in reversed((*_BROWSING, *_RUNNING)):
        function = option(function)
    return function


def reading(function: Callable[..., int]) -> Callable[..., int]:
    """Adds those that need no browser."""
    for option in reversed(_RUNNING):
        function = option(function)
    return function
