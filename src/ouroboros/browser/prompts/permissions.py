"""What a page may use of the machine: nothing, unless the person has granted it to that site.

A page that asks is refused at once and nobody is shown a question, so nothing waits.
Source: https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-setPermission
"""

from collections.abc import Mapping, Sequence

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, CallRefused
from ouroboros.browser.tabs import Tabs

PERMISSIONS = (
    "geolocation",
    "notifications",
    "camera",
    "microphone",
    "clipboard-read",
    "clipboard-write",
    "midi",
    "persistent-storage",
    "storage-access",
    "idle-detection",
    "local-fonts",
    "window-management",
    "screen-wake-lock",
    "background-sync",
    "payment-handler",
    "nfc",
    "keyboard-lock",
    "pointer-lock",
    "local-network-access",
    "captured-surface-control",
)
"""In the browser's words; a browser of another age may not know all of them."""


class Permissions:
    """Denies all of them for every site, then grants what was settled."""

    def __init__(self, granted: Mapping[str, Sequence[str]] | None = None) -> None:
        """``granted`` is origin to permissions, such as ``{"https://maps.example": ["geolocation"]}``."""
        self._granted = dict(granted or {})

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Says so to the browser."""
        self._connection, self._tabs = connection, tabs
        for name in PERMISSIONS:
            try:
                await self._set(name, "denied", "")
            except CallRefused:
                continue  # it does not know this one, so no page can ask for it
        for origin, names in self._granted.items():
            for name in names:
                await self.grant(origin, name)

    async def grant(self, origin: str, name: str) -> None:
        """Lets one site use one thing.

        Raises:
            BrowserFailed: There is no such permission.
        """
        if name not in PERMISSIONS:
            raise BrowserFailed(f"there is no permission {name!r}; known: {', '.join(PERMISSIONS)}")
        await self._set(name, "granted", origin)

    async def deny(self, origin: str, name: str) -> None:
        """Takes it back."""
        await self._set(name, "denied", origin)

    async def _set(self, name: str, setting: str, origin: str) -> None:
        params: dict[str, object] = {"permission": {"name": name}, "setting": setting}
        if origin:
            params["origin"] = origin
        if self._tabs.context:
            params["browserContextId"] = self._tabs.context
        await self._connection.call("Browser.setPermission", params)
