"""Bytes of a terminal as keys, and the terminal mode in which they arrive one by one."""

import codecs
import termios
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

_NAMES = {
    "\r": "enter",
    "\n": "newline",
    "\t": "tab",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x03": "interrupt",
    "\x01": "home",
    "\x02": "left",
    "\x04": "eof",
    "\x05": "end",
    "\x06": "right",
    "\x0b": "kill",
    "\x0e": "down",
    "\x10": "up",
    "\x15": "clear",
    "\x16": "attach",
    "\x17": "word",
}
_SEQUENCES = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "1~": "home",
    "7~": "home",
    "4~": "end",
    "8~": "end",
    "3~": "delete",
    "Z": "mode",
    "1;5C": "word_right",
    "1;5D": "word_left",
}
_PASTE_BEGIN = "\x1b[200~"
_PASTE_END = "\x1b[201~"
_LONGEST_SEQUENCE = 32

PASTE_ON = "\x1b[?2004h"
PASTE_OFF = "\x1b[?2004l"


class Key(NamedTuple):
    """A named key, or text that was typed or pasted (``name`` is then ``text`` or ``paste``)."""

    name: str
    text: str = ""


class Keys:
    """Decodes bytes into keys; sequences and characters may be split anywhere."""

    def __init__(self) -> None:
        """Has seen nothing."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._pasted: list[str] | None = None

    @property
    def waiting(self) -> bool:
        """Whether a lone escape might still become a sequence."""
        return self._rest == "\x1b" and self._pasted is None

    def feed(self, content: bytes) -> list[Key]:
        """The keys that are complete with these bytes."""
        text = self._rest + self._decoder.decode(content)
        self._rest = ""
        keys: list[Key] = []
        while text:
            text = self._paste(text, keys) if self._pasted is not None else self._key(text, keys)
        return keys

    def settle(self) -> list[Key]:
        """Nothing followed for a moment: a lone escape was the key itself."""
        if not self.waiting:
            return []
        self._rest = ""
        return [Key("escape")]

    def _key(self, text: str, keys: list[Key]) -> str:
        if text[0] == "\x1b":
            return self._sequence(text, keys)
        if text[0] in _NAMES:
            keys.append(Key(_NAMES[text[0]]))
            return text[1:]
        size = next((i for i, c in enumerate(text) if c < " " or c == "\x7f"), len(text))
        if size:
            keys.append(Key("text", text[:size]))
        return text[max(size, 1) :]

    def _sequence(self, text: str, keys: list[Key]) -> str:
        if text.startswith(_PASTE_BEGIN):
            self._pasted = []
            return text[len(_PASTE_BEGIN) :]
        if len(text) == 1 or (text[1] in "[O" and len(text) == 2):
            self._rest = text
            return ""
        if text[1] not in "[O":
            names = {"\r": "newline", "b": "word_left", "f": "word_right", "\x7f": "word"}
            keys.append(Key(names.get(text[1], "escape")))
            return text[2:] if text[1] in names else text[1:]
        end = next((i for i, c in enumerate(text[2:], 2) if "@" <= c <= "~"), -1)
        if end < 0:
            self._rest = text if len(text) <= _LONGEST_SEQUENCE else ""
            return ""
        name = _SEQUENCES.get(text[2 : end + 1])
        if name:
            keys.append(Key(name))
        return text[end + 1 :]

    def _paste(self, text: str, keys: list[Key]) -> str:
        pasted = self._pasted or []
        head, mark, after = text.partition(_PASTE_END)
        if not mark:
            held = next((n for n in range(5, 0, -1) if head.endswith(_PASTE_END[:n])), 0)
            self._rest = head[len(head) - held :]
            self._pasted = [*pasted, head[: len(head) - held]] if head else pasted
            return ""
        whole = "".join((*pasted, head)).replace("\r\n", "\n").replace("\r", "\n")
        self._pasted = None
        keys.append(Key("paste", whole))
        return after


@contextmanager
def key_by_key(fd: int) -> Generator[None]:
    """Puts a terminal into the mode for single keys.

    Ctrl-C becomes a key as well: as a signal it would throw away what is typed around it, and two
    in quick succession would count as one.
    """
    before = termios.tcgetattr(fd)
    set_key_by_key(fd)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def set_key_by_key(fd: int) -> None:
    """Sets the mode itself; once more after the program was stopped and continued."""
    mode = termios.tcgetattr(fd)
    mode[0] &= ~(termios.ICRNL | termios.IXON)
    mode[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    mode[6][termios.VINTR] = b"\0"
    mode[6][termios.VMIN] = 1
    mode[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSADRAIN, mode)
