"""localStorage and sessionStorage of a tab's page, read and written beside its scripts."""

from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CallRefused, CannotAct
from ouroboros.browser.tabs import Tab
from ouroboros.safety.origins import origin_of

type Area = Literal["local", "session"]


class _Items(Struct, frozen=True):
    entries: tuple[tuple[str, str], ...] = ()


def _place(tab: Tab, area: Area, origin: str) -> dict[str, object]:
    where = origin or origin_of(tab.url)
    if not where:
        raise CannotAct(f"{tab.id}: a page at {tab.url[:80]!r} has no storage")
    return {"storageId": {"securityOrigin": where, "isLocalStorage": area == "local"}}


async def get_storage(tab: Tab, area: Area = "local", *, origin: str = "") -> dict[str, str]:
    """What a page's origin keeps; ``origin`` may be that of one of its frames.

    Raises:
        CannotAct: It has no storage, or not in this tab.
    """
    try:
        found = await tab.ask(_Items, "DOMStorage.getDOMStorageItems", _place(tab, area, origin))
    except CallRefused as refused:
        raise CannotAct(f"{tab.id}: no {area} storage can be read: {refused}") from refused
    return dict(found.entries)


async def set_storage(
    tab: Tab, key: str, value: str | None, area: Area = "local", *, origin: str = ""
) -> None:
    """Sets one key, or removes it with None; raises as ``get_storage``."""
    params = {**_place(tab, area, origin), "key": key}
    method = "DOMStorage.removeDOMStorageItem"
    if value is not None:
        method, params["value"] = "DOMStorage.setDOMStorageItem", value
    try:
        await tab.call(method, params)
    except CallRefused as refused:
        raise CannotAct(f"{tab.id}: {area} storage was not written: {refused}") from refused


def as_json(items: dict[str, str]) -> bytes:
    """For code."""
    return msgspec.json.encode(items)
