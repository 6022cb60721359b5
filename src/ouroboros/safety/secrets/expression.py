"""Regular expressions that are built when they are first asked: a run rarely needs them all."""

import re
from collections.abc import Iterator
from functools import cached_property

_END = 1 << 62


class Expression:
    """A regular expression over text, not built yet."""

    def __init__(self, source: str, flags: int = 0) -> None:
        """Builds nothing."""
        self._source, self._flags = source, flags

    @cached_property
    def built(self) -> re.Pattern[str]:
        """The real one."""
        return re.compile(self._source, self._flags)

    def match(self, text: str, at: int = 0, end: int = _END) -> re.Match[str] | None:
        """As ``re.Pattern.match``."""
        return self.built.match(text, at, end)

    def search(self, text: str, at: int = 0, end: int = _END) -> re.Match[str] | None:
        """As ``re.Pattern.search``."""
        return self.built.search(text, at, end)

    def findall(self, text: str) -> list[str]:
        """The text of every match."""
        return [found.group() for found in self.finditer(text)]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As ``re.Pattern.finditer``."""
        return self.built.finditer(text)
