"""``/web``: the same sessions in a page of the browser, where a face can serve one beside itself."""

from typing import TYPE_CHECKING

from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control

if TYPE_CHECKING:
    from ouroboros.faces.slashes.table import Seat


async def web(seat: "Seat", rest: str) -> Control:
    """Serves the page and tells its address, shows it in a browser, or stops serving it."""
    page = seat.web
    if page is None:
        raise Misuse("there is no /web here", hint="it is on the full screen; `ouro web` is a page")
    if rest == "stop":
        was_open = await page.stop()
        seat.say(f"the page is {'closed; sessions go on here' if was_open else 'not open'}")
        return "stay"
    if rest not in {"", "open"}:
        raise Misuse("/web takes nothing, 'open' or 'stop'")
    entrance = await page.open()
    seat.say("these sessions, also in a page; only this machine reaches it:", entrance.entrance)
    if rest == "open":
        await _show(seat, entrance.once())
    return "stay"


async def _show(seat: "Seat", address: str) -> None:
    from ouroboros.app.providers.logins import open_privately

    home = seat.loaded.home
    if not await to_thread.run_sync(open_privately, address, seat.environment, home):
        seat.say("there is no browser to show it in; open the address above")
