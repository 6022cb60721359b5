"""Text that nobody vouches for: where it came from, and which places the person has named.

Once a model has read such text, it may be steered by it. What it may then not do unasked is judged by
``safety.rules``; a browser's requests are judged by ``repl.taint``. No detector has a say in either.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from ouroboros.safety.origins import Place, address, origin_of, place

_ADDRESS = re.compile(r"https?://[^\s<>\"'`()\[\]{}]+", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?::\d{1,5})?(?![\w@-])",
    re.IGNORECASE,
)
_ENDINGS = (
    "app bat c cc cfg cpp css csv dat db dev doc docx epub exe gif go h htm html ini ipynb java jpeg jpg"
    " js json jsonl jsx kt lock log lua md mjs mov mp mpeg odt pdf php pl pm png ppt pptx ps py r rb rs"
    " rst sh so sql svg swift tar tex toml ts tsv tsx txt vue wasm webp xls xlsx xml yaml yml zip"
)
_SUFFIXES = frozenset(_ENDINGS.split())
"""A word of the person that ends like this is rather a file than a place."""

SHOWN = 3
"""So many sources are named in a question."""


class Known:
    """Places that a person named, or that were opened before."""

    def __init__(self, *patterns: str) -> None:
        """``patterns`` such as ``example.com`` are named from the beginning."""
        self._patterns: list[Place] = []
        self._origins: set[str] = set()
        self.know(*patterns)

    @property
    def origins(self) -> tuple[str, ...]:
        """Every origin that was opened or named whole."""
        return tuple(sorted(self._origins))

    def know(self, *patterns: str) -> None:
        """These places were named by the person or the settings."""
        self._patterns += [found for pattern in patterns if (found := place(pattern)) is not None]

    def hear(self, words: str) -> None:
        """The person said this: the places it names are known; not for words of pages or models."""
        for found in _ADDRESS.findall(words):
            self.remember(found.rstrip(".,;:!?"))
        names = _DOMAIN.findall(_ADDRESS.sub(" ", words))
        self.know(*(name for name in names if name.rpartition(".")[2].lower() not in _SUFFIXES))

    def remember(self, url: str) -> None:
        """This address was opened with a yes, or before anything was read."""
        origin = origin_of(url)
        if origin:
            self._origins.add(origin)

    def remember_origins(self, origins: Iterable[str]) -> None:
        """The same for whole origins, as they are spelled."""
        self._origins.update(origins)

    def knows(self, url: str) -> bool:
        """Whether a place may be opened without a question; so may what reaches no network."""
        read = address(url)
        if read is not None and not read.host:
            return read.scheme in {"about", "data", "blob", "javascript"}
        origin = origin_of(url)
        if not origin:
            return False
        return origin in self._origins or any(pattern.names(url) for pattern in self._patterns)


class Outside(Struct, frozen=True, kw_only=True):
    """What a session has taken in from outside.

    Attributes:
        sources: Where text came from that the model has read, such as ``file /w/README.md``.
        known: Places that text may be carried to all the same.
    """

    sources: tuple[str, ...] = ()
    known: Known = field(default_factory=Known)

    @property
    def told(self) -> str:
        """The sources in few words, the latest first."""
        latest = self.sources[: -SHOWN - 1 : -1]
        more = len(self.sources) - len(latest)
        return ", ".join(latest) + (f" and {more} more" if more > 0 else "")


CLEAN = Outside()


def source_of(
    kind: str, *, tool: str, paths: tuple[Path, ...] = (), command: str = "", url: str = ""
) -> str:
    """Where the text of a result came from, by what the call did; empty when it is our own."""
    match kind:
        case "read":
            return f"file {paths[0]}" if paths else "files"
        case "execute":
            shown = " ".join(command.split())
            return f"output of {shown[:60]}{'…' if len(shown) > 60 else ''}"
        case "look" | "act" | "risk" | "fetch" | "origin":
            return f"page {origin_of(url) or 'of the browser'}"
        case "none" | "write":
            return f"tool {tool}" if tool.startswith("mcp__") else ""
        case _:
            return f"tool {tool}"
