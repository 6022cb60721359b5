"""The browser's demo: three shops on loopback, a real browser, and a script that plays the model.

Everything but the model's words is real: the pages, the clicks, the code in its isolate, the download.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.app.demo.site.goods import Item, found
from ouroboros.app.demo.site.server import Shop

NOTICE = (
    "Demo: the model's words come from a script that is built in; the browser, the three shops, the "
    "order and the download are real, and nothing leaves this machine."
)
_WANTED = "USB-C charger 65 W"
_PROMPT = (
    "Find the cheapest {wanted} that is in stock in these three shops: {places}. Order it by express for "
    "Ada Lovelace, 12 St James's Square, London, ada@example.com, and download the invoice."
)
_SCRIPT = Path(__file__).parent / "site" / "script.md"


class Result(Struct, frozen=True, kw_only=True):
    """What the script's last block sets as the final value."""

    shop: str
    item: str
    price: float
    order: int
    compared: int
    invoice: str
    sha256: str


def prompt(shops: Sequence[Shop]) -> str:
    """What is asked."""
    return _PROMPT.format(wanted=_WANTED, places=", ".join(shop.url for shop in shops))


def script(folder: Path, shops: Sequence[Shop]) -> str:
    """Writes the model's replies for these shops; the model that plays them."""
    text = _SCRIPT.read_text(encoding="utf-8")
    urls = msgspec.json.encode([shop.url for shop in shops]).decode()
    replies = text.replace("SHOPS", urls).replace("WANTED", f'"{_WANTED}"').split("\n---\n")
    played = folder / "script.jsonl"
    lines = [msgspec.json.encode({"text": reply.strip()}) for reply in replies]
    played.write_bytes(b"\n".join(lines) + b"\n")
    return f"script:{played}"


def checked(final: str, shops: Sequence[Shop], artifacts: Path) -> str:
    """What is wrong with the outcome, looked at apart from the agent; empty when all is right."""
    try:
        result = msgspec.json.decode(final, type=Result)
    except msgspec.DecodeError as error:
        return f"the result is not what was asked for: {error}"
    shop, item = cheapest(shops)
    orders = [(each.name, order) for each in shops for order in each.orders]
    if [(name, order.item) for name, order in orders] != [(shop.name, item)]:
        return f"{len(orders)} orders arrived, and not one of the {item.name} at {shop.name}"
    order = orders[0][1]
    if (order.name, order.fields.get("delivery")) != ("Ada Lovelace", "express"):
        return "the order is not for Ada Lovelace by express"
    if (result.order, result.price) != (order.number, item.cents / 100):
        return "the result names another order or price"
    kept = [path for path in artifacts.rglob("*.pdf") if path.name == result.invoice]
    if len(kept) != 1 or hashlib.sha256(kept[0].read_bytes()).hexdigest() != result.sha256:
        return "the invoice was not kept as it was said"
    return "" if str(order.number).encode() in kept[0].read_bytes() else "it is another invoice"


def cheapest(shops: Sequence[Shop]) -> tuple[Shop, Item]:
    """The right answer, known from the shelves."""
    offers = [(shop, item) for shop in shops for item in found(shop.items, _WANTED) if item.stock]
    return min(offers, key=lambda offer: offer[1].cents)
