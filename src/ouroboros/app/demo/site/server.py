"""Serves the three shops, each on a port of its own, so that each is an origin of its own."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import cast, override
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from ouroboros.app.demo.site import pages
from ouroboros.app.demo.site.goods import Item, found, shelf

NAMES = ("North Street Shop", "Harbour Shop", "Mill Lane Shop")
_FORM_BYTES = 65_536


class Order(Struct, frozen=True, kw_only=True):
    """An order that a shop took."""

    number: int
    item: Item
    name: str
    fields: dict[str, str]


class Shop:
    """What one shop has and was asked for; read by the server's threads.

    Attributes:
        asked: Every address that was fetched, in order.
    """

    def __init__(self, which: int) -> None:
        """``which`` is 0, 1 or 2."""
        self.name = NAMES[which]
        self.items = shelf(which)
        self.orders: list[Order] = []
        self.first = 1_000 * (which + 1) + 1
        self.asked: list[str] = []
        self.url = ""

    def order(self, item: Item, fields: dict[str, str]) -> Order:
        """Takes an order down."""
        taken = Order(
            number=self.first + len(self.orders),
            item=item,
            name=fields.get("name", ""),
            fields=fields,
        )
        self.orders.append(taken)
        return taken


@contextmanager
def open_shops() -> Generator[tuple[Shop, ...]]:
    """Three shops that are open until the block is left."""
    with ExitStack() as ending:
        shops = tuple(Shop(which) for which in range(len(NAMES)))
        for shop in shops:
            server = _Server(shop)
            shop.url = f"http://127.0.0.1:{server.server_address[1]}/"
            thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            ending.callback(server.server_close)
            ending.callback(server.shutdown)
        yield shops


class _Server(ThreadingHTTPServer):
    """A shop's door; its threads end with the program."""

    daemon_threads = True

    def __init__(self, shop: Shop) -> None:
        """Listens on a free port of loopback."""
        super().__init__(("127.0.0.1", 0), _Visitor)
        self.shop = shop


class _Visitor(BaseHTTPRequestHandler):
    """One request to a shop."""

    protocol_version = "HTTP/1.1"

    @property
    def shop(self) -> Shop:
        """The shop that is asked."""
        return cast("_Server", self.server).shop

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.shop.asked.append(self.path)
        match parts.path.strip("/").split("/"):
            case [""]:
                query = parse_qs(parts.query)
                words, number = _first(query, "q"), _first(query, "page") or "1"
                chosen = found(self.shop.items, words)
                page = int(number) if number.isdecimal() else 1
                self._send(pages.listing(self.shop.name, chosen, words, page))
            case ["item", number] if item := _numbered(self.shop, number):
                self._send(pages.detail(self.shop.name, item))
            case ["invoice", name]:
                self._invoice(name)
            case _:
                self._send(pages.page("Not found", ""), status=404)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(min(length, _FORM_BYTES)).decode("utf-8", "replace")
        fields = {name: values[0] for name, values in parse_qs(body).items()}
        match urlsplit(self.path).path.strip("/").split("/"):
            case ["order", number] if (item := _numbered(self.shop, number)) and item.stock:
                taken = self.shop.order(item, fields)
                self._send(pages.thanks(self.shop.name, item, taken.number, taken.name))
            case _:
                self._send(pages.page("Not found", ""), status=404)

    def _invoice(self, name: str) -> None:
        taken = next((one for one in self.shop.orders if f"{one.number}.pdf" == name), None)
        if taken is None:
            self._send(pages.page("Not found", ""), status=404)
            return
        body = pages.invoice(self.shop.name, taken.item, taken.number, taken.name)
        self._send(body, kind="application/pdf", name=f"invoice-{taken.number}.pdf")

    def _send(
        self, body: bytes, *, status: int = 200, kind: str = "text/html", name: str = ""
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if name:
            self.send_header("Content-Disposition", f'attachment; filename="{name}"')
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        del format, args


def _first(query: dict[str, list[str]], name: str) -> str:
    return query.get(name, [""])[0]


def _numbered(shop: Shop, number: str) -> Item | None:
    wanted = int(number) if number.isdecimal() else 0
    return shop.items[wanted - 1] if 0 < wanted <= len(shop.items) else None
