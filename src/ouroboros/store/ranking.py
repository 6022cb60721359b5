"""Which of many short texts are about some words: BM25 over an index in memory."""

import re
import sqlite3
import weakref
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_MOST_WORDS = 64


class Ranking:
    """An index over texts, with English word stems; every function here blocks."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Indexes the texts; later they are known by their positions."""
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._db.close)
        self._db.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')"
        )
        self._db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(texts))

    def best(self, query: str, limit: int) -> tuple[int, ...]:
        """Positions of the texts that share a word with the query, the best first."""
        words = _WORD.findall(query)[:_MOST_WORDS]
        if not words or limit < 1:
            return ()
        rows = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), limit),
        )
        return tuple(row[0] for row in rows)
