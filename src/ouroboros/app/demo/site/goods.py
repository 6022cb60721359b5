"""What the three shops sell: 200 things each, the same kinds at prices of their own."""

from collections.abc import Sequence
from itertools import product

from msgspec import Struct

KINDS = (
    "USB-C charger",
    "USB-C cable",
    "Desk lamp",
    "Notebook stand",
    "Headphones",
    "Webcam",
    "Keyboard",
    "Mouse",
    "Power bank",
    "Monitor arm",
)
MAKERS = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")
GRADES = ("45 W", "65 W", "100 W", "140 W")
ITEMS = len(KINDS) * len(MAKERS) * len(GRADES)


class Item(Struct, frozen=True, kw_only=True):
    """One thing on a shelf; the price is in cents."""

    number: int
    name: str
    cents: int
    stock: int

    @property
    def price(self) -> str:
        """As a shop writes it: ``€ 24.90``."""
        return f"€ {self.cents // 100}.{self.cents % 100:02}"


def shelf(shop: int) -> tuple[Item, ...]:
    """Everything that shop 0, 1 or 2 sells, in an order of its own."""
    names = [f"{maker} {kind} {grade}" for kind, maker, grade in product(KINDS, MAKERS, GRADES)]
    # A step that shares no factor with the number of items visits each of them once.
    step = (37, 73, 111)[shop]
    order = [(place * step + shop) % ITEMS for place in range(ITEMS)]
    return tuple(
        Item(
            number=place + 1,
            name=names[which],
            cents=1_990 + (which * 7_919 + shop * 3_571) % 9_000,
            stock=(which * 31 + shop * 17) % 7,
        )
        for place, which in enumerate(order)
    )


def found(items: Sequence[Item], words: str) -> list[Item]:
    """The items whose names hold every word."""
    wanted = words.casefold().split()
    return [item for item in items if all(word in item.name.casefold() for word in wanted)]
