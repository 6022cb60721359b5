"""The terminal as the application drives it: standard output, hostile input, and nobody who reads."""

import os
import selectors
from codecs import getincrementaldecoder
from io import TextIOBase
from typing import TextIO, cast, override

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from ouroboros.faces.tui.first import ENTER

_PIECE_BYTES = 65_536
_WAIT_SECONDS = 0.1
_MOST_WAITING = 20
_SHORT = 64
_PATIENCE_SECONDS = 1.0
_OUTPUT = 1


class Terminal(LinuxDriver):
    """Writes to standard output, wherever standard error leads.

    Input that is no UTF-8 is shown as such. Who reads too slowly, or not any more, loses frames, and
    holds up nothing. A terminal that is gone ends the application.
    """

    _outlet: "_Outlet | None" = None
    _has_lost = _has_entered = False

    @override
    def start_application_mode(self) -> None:
        is_first = self._outlet is None
        self._outlet = _Outlet()
        self._file = cast("TextIO", self._outlet)
        super().start_application_mode()
        if not is_first:
            self._app.call_later(self._draw_anew)

    @override
    def write(self, data: str) -> None:
        outlet = self._outlet
        if outlet is None or self._writer_thread is None or outlet.is_gone:
            return
        if data == ENTER and not self._has_entered:
            self._has_entered = True  # the first screen did
            return
        if outlet.waiting >= _MOST_WAITING and len(data) > _SHORT:
            self._has_lost = True
            return
        if self._has_lost and not outlet.waiting:
            self._has_lost = False
            self._app.call_later(self._draw_anew)
        outlet.waiting += 1
        super().write(data)

    @override
    def close(self) -> None:
        if self._outlet is not None:
            self._outlet.is_last = True
        super().close()

    @override
    def run_input_thread(self) -> None:
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_WAIT_SECONDS):
                    content = self._read()
                    if not content:
                        self._app.call_later(self._leave)
                        return
                    for event in parser.feed(spelled(decode(content))):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _PIECE_BYTES)
        except OSError:
            return b""

    def _leave(self) -> None:
        self._app.exit(return_code=1)

    def _draw_anew(self) -> None:
        self._app.refresh(layout=True)


class _Outlet(TextIOBase):
    """Standard output, in which nothing that fails is anybody's matter.

    Attributes:
        waiting: Texts that were handed over and are not written yet; not more than about right.
        is_last: Who does not read now is not waited for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.is_gone = self.is_last = False

    @override
    def fileno(self) -> int:
        return _OUTPUT

    @override
    def isatty(self) -> bool:
        return True

    @override
    def write(self, text: str, /) -> int:
        rest = memoryview(text.encode("utf-8", "replace"))
        with selectors.DefaultSelector() as selector:
            selector.register(_OUTPUT, selectors.EVENT_WRITE)
            while rest and not self.is_gone:
                if not selector.select(_PATIENCE_SECONDS):
                    self.is_gone = self.is_last
                    continue
                try:
                    rest = rest[os.write(_OUTPUT, rest[:_PIECE_BYTES]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    self.is_gone = True
        self.waiting -= 1
        return len(text)


_SAME_KEYS = {"\x1b\r": "\x1b[13;3u", "\x1b[27;2;13~": "\x1b[13;2u", "\x1b[27;3;13~": "\x1b[13;3u"}


def spelled(keys: str) -> str:
    """Alt-Enter and Shift-Enter as the parser knows them; it reads some terminals' as plain Enter."""
    for one, other in _SAME_KEYS.items():
        keys = keys.replace(one, other)
    return keys
