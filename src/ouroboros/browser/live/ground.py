"""What the live view stands on: the browser of one session and what watches it."""

from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from ouroboros.browser.capture.casting import Casts
from ouroboros.browser.live.driver import Drivers
from ouroboros.browser.plan import Status
from ouroboros.browser.prompts.dialogs import Dialogs
from ouroboros.browser.recovery import Recovery
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.choosers import Choosers
from ouroboros.browser.transfer.uploads import Uploads


class Present(Struct):
    """What is there now."""

    tabs: Tabs | None = None


class Ground(Struct, frozen=True, kw_only=True):
    """Handed in by whoever joins a browser with its watchers.

    Attributes:
        tabs: Starts the browser where it has not been.
        recover: Has a browser that is gone back.
        status: How it stands.
        named: Hears of an address that the person went to: it needs no question.
        present: The tabs while a browser runs.
        is_theirs: It is the person's own: only what they look at is drawn, nothing is taken to the front.
    """

    tabs: Callable[[], Awaitable[Tabs]]
    recover: Callable[[], Awaitable[Recovery]]
    status: Callable[[], Status]
    named: Callable[[str], None]
    is_theirs: bool
    casts: Casts
    drivers: Drivers
    dialogs: Dialogs
    choosers: Choosers
    uploads: Uploads
    present: Present = field(default_factory=Present)
