"""The options that `run` and `chat` share, and the settings they become."""

from collections.abc import Callable
from pathlib import Path

import click
from msgspec import Struct

PICK = "?"
"""What ``--resume`` is without an id."""


class Chosen(Struct, frozen=True, kw_only=True):
    """The shared options as they were given; None means not given."""

    model: str | None = None
    fallback: tuple[str, ...] = ()
    effort: str | None = None
    service_tier: str | None = None
    base_url: str | None = None
    mode: str | None = None
    approval_policy: str | None = None
    strict_approvals: bool = False
    sandbox: str | None = None
    system: str | None = None
    max_turns: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_time: float | None = None
    latest: bool = False
    resume: str = ""
    at: str = ""
    cwd: str = ""
    record: str = ""
    replay: str = ""
    strict_replay: bool = False
    cache: bool = False
    browser: bool = False

    def settings(self) -> dict[str, object]:
        """The options as settings by dotted key."""
        return {
            "model": self.model,
            "fallback": [name for name in self.fallback if name] if self.fallback else None,
            "effort": self.effort,
            "service_tier": self.service_tier,
            "base_url": self.base_url,
            "mode": self.mode,
            "approval_policy": self.approval_policy,
            "strict_approvals": self.strict_approvals or None,
            "sandbox.mode": self.sandbox,
            "system": self.system,
            "cache_replies": self.cache or None,
            "browser.tools": self.browser or None,
            "limits.max_turns": self.max_turns,
            "limits.max_tokens": self.max_tokens,
            "limits.max_cost": self.max_cost,
            "limits.max_time": self.max_time,
        }


_ASKING = (
    click.option("--model", metavar="PROVIDER/NAME", help="The model to work with."),
    click.option(
        "--fallback",
        multiple=True,
        metavar="PROVIDER/NAME",
        help="The model to ask when the one before it fails; may be given again, '' for none.",
    ),
    click.option(
        "--effort",
        type=click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
        help="How much the model reasons.",
    ),
    click.option(
        "--service-tier", metavar="NAME", help="The provider's service tier, such as flex."
    ),
    click.option("--base-url", metavar="URL", help="Another address of the provider."),
    click.option(
        "--mode",
        type=click.Choice(["plan", "ask", "auto-edit", "full-auto"]),
        help="How much is asked before something is done.",
    ),
    click.option(
        "--ask-for-approval",
        "approval_policy",
        type=click.Choice(["untrusted", "on-failure", "on-request", "never", "granular"]),
        help="When commands are asked about, by the policies of codex, instead of --mode.",
    ),
    click.option(
        "--sandbox",
        type=click.Choice(["read-only", "workspace-write", "danger-full-access"]),
        help="What commands may reach: read, write in the workspace too, or everything.",
    ),
    click.option("--system", metavar="TEXT|@FILE", help="More instructions for the model."),
    click.option("-C", "--cwd", metavar="FOLDER", default="", help="Work in this folder."),
)
_RUNNING = (
    click.option(
        "--strict-approvals",
        is_flag=True,
        help="End with 4 when nobody was there for an approval, also when the work is done.",
    ),
    click.option("--max-turns", type=click.IntRange(min=1), help="End after so many turns."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="End after so many tokens."),
    click.option(
        "--max-cost", type=click.FloatRange(min=0, min_open=True), help="End after so many dollars."
    ),
    click.option(
        "--max-time", type=click.FloatRange(min=0, min_open=True), help="End after so many seconds."
    ),
    click.option(
        "--continue", "latest", is_flag=True, help="Go on with the newest session of the folder."
    ),
    click.option(
        "--resume",
        is_flag=False,
        flag_value=PICK,
        default="",
        metavar="[SESSION]",
        help="Go on with a session; without a name, choose one.",
    ),
    click.option(
        "--at",
        metavar="MESSAGE",
        default="",
        help="Go on after this message, a number of `ouro sessions tree`.",
    ),
)
_TAPING = (
    click.option(
        "--record", metavar="FILE", default="", help="Keep what is said to models in a file."
    ),
    click.option(
        "--replay", metavar="FILE", default="", help="Answer from such a file; nothing is sent."
    ),
    click.option(
        "--strict-replay", is_flag=True, help="Fail when a request is not the recorded one."
    ),
)


_AIMING = (
    click.option("--goal", metavar="TEXT", help="Go on by itself until TEXT is reached."),
    click.option(
        "--budget",
        type=click.IntRange(min=0),
        metavar="TOKENS",
        help="What the goal may use, input from no cache and output; 0 for no bound.",
    ),
)


def shared(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the shared options to a command."""
    for option in reversed((*_ASKING, *_RUNNING, *_TAPING)):
        function = option(function)
    return function


def with_browser(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the switch for the browser's tools."""
    return click.option("--browser", is_flag=True, help="Give the model a browser and scripts.")(
        function
    )


def aimed(function: Callable[..., int]) -> Callable[..., int]:
    """Adds what a run is to reach."""
    for option in reversed(_AIMING):
        function = option(function)
    return function


def asking(function: Callable[..., int]) -> Callable[..., int]:
    """Adds only those that say whom to ask, and how."""
    for option in reversed(_ASKING):
        function = option(function)
    return function


def taped(function: Callable[..., int]) -> Callable[..., int]:
    """Adds only those of recordings."""
    for option in reversed(_TAPING):
        function = option(function)
    return function


def resumed(chosen: Chosen, home: Path, cwd: Path, *, person: bool) -> str:
    """The id of the session to go on with, or an empty text.

    Raises:
        SessionUnknown: No session, or more than one, has this name.
        Misuse: The options contradict each other, or nobody is there to choose.
    """
    from ouroboros.core.errors import Misuse

    if chosen.at and not (chosen.resume or chosen.latest):
        raise Misuse("--at names a message of a session", hint="add --continue or --resume")
    if not chosen.resume:
        return ""
    if chosen.latest:
        raise Misuse("--continue and --resume contradict each other", hint="give one of them")
    from ouroboros.app.past import sessions

    if chosen.resume != PICK:
        return sessions.find(home, chosen.resume).id
    from ouroboros.faces.cli.picker import pick

    return pick(home, cwd, person=person)
