"""Variables that a REPL begins with: what a person handed in, as JSON that is not looked into."""

from msgspec import Struct


class Seed(Struct, frozen=True, kw_only=True):
    """One variable.

    Attributes:
        name: A JavaScript name.
        value: Its JSON.
        source: Where it is from, as the person wrote it.
        kind: What it was read as: ``json``, ``table``, ``text``, ``pages`` or ``folder``.
        characters: Of the text it was read from.
        note: What is odd about it, such as JSON that was broken and is a text now.
    """

    name: str
    value: bytes
    source: str
    kind: str = "text"
    characters: int = 0
    note: str = ""


class Seeds(Struct, frozen=True, kw_only=True):
    """All of them, in the order they were named."""

    seeds: tuple[Seed, ...] = ()

    @property
    def characters(self) -> int:
        """Of all texts together."""
        return sum(seed.characters for seed in self.seeds)
