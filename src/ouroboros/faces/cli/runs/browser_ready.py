"""Before a task in a browser: is there one, and may one be installed."""

from collections.abc import Mapping
from pathlib import Path

import click

from ouroboros.app.browsing import setup as browser_setup
from ouroboros.app.browsing.setup import BrowserAbsent
from ouroboros.app.settings import Browser
from ouroboros.faces.cli.invocation import note


def ready(settings: Browser, environment: Mapping[str, str], home: Path, *, person: bool) -> None:
    """Sees that a browser can be started; a person is offered to have one installed.

    Raises:
        BrowserAbsent: There is none.
        Misuse: A window is wanted where there is no screen, or the profile cannot be used.
    """
    if settings.mode == "managed":
        try:
            browser_setup.find(settings, environment)
        except BrowserAbsent as absent:
            if settings.program or not (person and offer(absent, environment)):
                raise
            browser_setup.find(settings, environment)
        browser_setup.check_display(settings, environment)
        browser_setup.check_profile(settings, home)
    if said := browser_setup.remark(settings):
        note(f"warning: {said}")


def offer(absent: BrowserAbsent, environment: Mapping[str, str]) -> bool:
    """Asks whether to install Debian's browser, and does; False when that is not wanted."""
    import anyio

    chosen = browser_setup.plan(environment)
    if not chosen.commands:
        return False
    note(f"{absent.message}; Debian's can be installed with:")
    for words in chosen.commands:
        note(f"  {' '.join(words)}")
    if not click.confirm("Install it now?", default=False, err=True):
        return False

    def say(text: str) -> None:
        for line in text.splitlines():
            note(f"  {line}")

    anyio.run(browser_setup.install, chosen, environment, Path("/"), say)
    return True
