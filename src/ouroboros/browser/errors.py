"""How a browser fails, told to the model and to code as words; the type says what can be done.

::

    BrowserFailed              a ToolFailed: what happened, on which tab, what to do
    ├── BrowserMissing         no browser program was found; the hint says how to get one
    ├── ProfileUsed            another browser runs on the profile
    ├── BrowserGone            the connection or the process is lost; browser_recover starts anew
    ├── CallRefused            the browser said no to one call
    ├── CallTimedOut           one call took too long; the browser may be well
    ├── TabGone                there is no such tab, or it was closed
    ├── TabCrashed             its renderer died; navigating brings it back
    ├── DialogOpen             a dialog waits for a decision and the page stands still
    ├── PageChanged            the handle belongs to a page that is no longer there
    ├── PersonDrives           a person drives the tab, or has driven it since the last look
    └── CannotAct              nothing was done: not found, covered, disabled, off the page
"""

from ouroboros.core.errors import ToolFailed


class BrowserFailed(ToolFailed):
    """Something in the browser did not work."""


class BrowserMissing(BrowserFailed):
    """No browser program was found."""


class ProfileUsed(BrowserFailed):
    """Another browser runs on the profile."""


class BrowserGone(BrowserFailed):
    """The connection to the browser, or its process, is lost."""


class CallRefused(BrowserFailed):
    """The browser said no to one call; ``code`` is the protocol's own."""

    def __init__(self, message: str, *, code: int = 0) -> None:
        """Keeps the browser's words."""
        super().__init__(message)
        self.code = code


class CallTimedOut(BrowserFailed):
    """One call was not answered in time."""


class TabGone(BrowserFailed):
    """There is no such tab."""


class TabCrashed(BrowserFailed):
    """The page's process died; the tab may be navigated again."""


class DialogOpen(BrowserFailed):
    """A dialog is open, and nothing in the page runs until it is answered."""


class PageChanged(BrowserFailed):
    """The page was left between the look and the action; nothing was done."""


class PersonDrives(BrowserFailed):
    """A person drives the tab, or has driven it since code last looked; nothing was done."""


class CannotAct(BrowserFailed):
    """The action would not have reached its element; nothing was done."""


_LOCKED = "net::ERR_INVALID_AUTH_CREDENTIALS"


def a_dialog(kind: str) -> str:
    """Such as ``an alert dialog``."""
    return f"{'an' if kind == 'alert' else 'a'} {kind} dialog"


def busy(tab: str, late: CallTimedOut, method: str) -> CallTimedOut:
    """A page that did not answer a call in time, in the words of its tab."""
    unknown = "; whether it took effect is unknown" if method.startswith("Input.") else ""
    return CallTimedOut(
        f"{tab}: the page is busy: {late.message}{unknown}",
        hint="look again later, or leave the page or close the tab",
    )


def unopened(tab: str, url: str, why: str) -> BrowserFailed:
    """An address that a tab was not taken to; ``why`` is the browser's own."""
    hint = (
        "it asks for a user and a password: the person settles them with `ouro browser logins add`"
    )
    return BrowserFailed(
        f"{tab}: {url} could not be opened: {why}", hint=hint if why == _LOCKED else ""
    )
