"""What comes back after a loss, and what does not; the action under way is never repeated."""

from typing import Literal

from msgspec import Struct, field

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import TabFacts, Tabs

RECONNECT_SECONDS = (1.0, 2.0, 4.0)
"""Pauses before the attempts to have a lost socket back."""

type State = Literal["off", "running", "socket-lost", "exited"]

_PAGE = ("what was typed and not sent", "the state of the page's scripts")
_PROCESS = (*_PAGE, "the tabs' histories", "session storage", "open dialogs and downloads")


class Recovery(Struct, frozen=True, kw_only=True):
    """How a recovery went.

    Attributes:
        was: The state before; ``running`` when at most single tabs had crashed.
        restored: Tabs that are there again under their old names.
        failed: Tabs that could not be had back, and why.
        lost: In words, what no recovery brings back.
    """

    was: State
    why: str = ""
    restored: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict[str, str])
    lost: tuple[str, ...] = ()


class Left(Struct, frozen=True, kw_only=True):
    """What was known of the tabs when the browser was lost."""

    tabs: tuple[TabFacts, ...] = ()
    names: dict[str, str] = field(default_factory=dict[str, str])
    number: int = 0
    active: str = ""

    @classmethod
    def of(cls, tabs: Tabs) -> "Left":
        """Of these tabs, as they are now."""
        number, names = tabs.numbering()
        return cls(tabs=tabs.all(), names=names, number=number, active=tabs.active)


async def revive(tabs: Tabs) -> Recovery:
    """Loads crashed tabs again in a browser that runs."""
    restored: list[str] = []
    failed: dict[str, str] = {}
    for facts in tabs.all():
        if facts.status == "crashed":
            try:
                await tabs.tab(facts.id).navigate(facts.url)
                restored.append(facts.id)
            except BrowserFailed as why:
                failed[facts.id] = why.message
    lost = _PAGE if restored or failed else ()
    return Recovery(was="running", restored=tuple(restored), failed=failed, lost=lost)


async def reopen(tabs: Tabs, left: Left, *, was: State, why: str, same: bool) -> Recovery:
    """Opens what was open in a browser that was started anew.

    ``same`` says that it is the old browser, reached again: its tabs are there already.
    """
    restored: list[str] = []
    failed: dict[str, str] = {}
    there = {facts.id for facts in tabs.all()}
    for old in left.tabs:
        try:
            if old.id not in there:
                await tabs.open(old.url, id=old.id)
            elif not same:
                await tabs.tab(old.id).navigate(old.url)
            restored.append(old.id)
        except BrowserFailed as fault:
            failed[old.id] = fault.message
    if left.active in restored:
        await tabs.activate(left.active)
    lost = () if same else _PROCESS
    return Recovery(was=was, why=why, restored=tuple(restored), failed=failed, lost=lost)
