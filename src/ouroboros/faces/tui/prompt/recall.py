"""Going through what was typed before: with the beginning that stands there, or by search; pure."""


class Recall:
    """Where in the history the person is; the latest entry is the last."""

    def __init__(self, entries: list[str] | None = None) -> None:
        """``entries`` are shared with whoever adds to them."""
        self.entries = entries if entries is not None else []
        self._at: int | None = None
        self._draft = ""
        self.query: str | None = None
        self._found = 0

    @property
    def is_searching(self) -> bool:
        """A search is under way; ``query`` is what is looked for."""
        return self.query is not None

    def reset(self) -> None:
        """Back to the line that is being typed."""
        self._at = self.query = None

    def earlier(self, text: str) -> str | None:
        """The entry before; where words are typed, one that begins with them. None: no other."""
        if self._at is None:
            self._draft = text
        start = len(self.entries) if self._at is None else self._at
        now = text
        for at in range(start - 1, -1, -1):
            entry = self.entries[at]
            if entry.startswith(self._draft) and entry != now:
                self._at = at
                return entry
        return None

    def later(self) -> str | None:
        """The entry after, at last the words that were being typed; None where they are there already."""
        if self._at is None:
            return None
        now = self.entries[self._at] if self._at < len(self.entries) else ""
        for at in range(self._at + 1, len(self.entries)):
            entry = self.entries[at]
            if entry.startswith(self._draft) and entry != now:
                self._at = at
                return entry
        self._at = None
        return self._draft

    def begin_search(self, text: str) -> None:
        """Looks for what will be typed; ``text`` comes back if it is given up."""
        self._draft, self.query, self._found = text, "", len(self.entries)

    def search(self, query: str) -> str | None:
        """The latest entry with these letters, upper case or not; None where there is none."""
        self.query = query
        return self._look(len(self.entries))

    def search_on(self) -> str | None:
        """The one before that; None where there is none."""
        return self._look(self._found)

    def give_up(self) -> str:
        """Ends the search; gives what was typed before it."""
        self.query = None
        return self._draft

    def take(self) -> None:
        """Ends the search with what it found."""
        self.query = None

    def _look(self, before: int) -> str | None:
        wanted = (self.query or "").lower()
        if not wanted:
            return None
        for at in range(before - 1, -1, -1):
            if wanted in self.entries[at].lower():
                self._found = at
                return self.entries[at]
        return None
