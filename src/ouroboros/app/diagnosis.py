"""The log file: for finding out what went wrong, never shown over a face."""

import traceback
from pathlib import Path

LARGEST_BYTES = 5 * 1_048_576
"""A longer log is set aside once, as ``ouro.log.1``."""


def log_file(home: Path) -> Path:
    """Where the log is kept."""
    return home / "log" / "ouro.log"


def start(home: Path, *, debug: bool) -> None:
    """Lets our own loggers write to the log file, in a thread: whoever logs waits for no disk.

    Raises:
        OSError: It cannot be opened.
    """
    import logging
    from logging.handlers import QueueHandler, QueueListener
    from queue import Queue

    path = _ready(home)
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    waiting: Queue[logging.LogRecord] = Queue()
    writer = QueueListener(waiting, handler)

    class Beside(QueueHandler):
        is_over = False

        def flush(self) -> None:
            if not self.is_over:  # at the end of the program no thread can be begun anew
                waiting.join()

        def close(self) -> None:
            if not self.is_over:
                self.is_over = True
                writer.stop()
                handler.close()
            super().close()

    class Clean(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return _clean(super().format(record))

    handler.setFormatter(Clean("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("ouroboros")
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    writer.start()
    logger.addHandler(Beside(waiting))
    logger.propagate = False


def record(home: Path, error: BaseException) -> Path:
    """Adds a traceback to the log; raises ``OSError`` if it cannot be written."""
    path = _ready(home)
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(_clean("".join(traceback.format_exception(error))))
    return path


def _clean(text: str) -> str:
    """The text without what looks like a secret."""
    from ouroboros.safety.secrets.detector import Detector  # a run that logs nothing needs none

    return Detector().redacted(text)


def _ready(home: Path) -> Path:
    path = log_file(home)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.is_file() and path.stat().st_size > LARGEST_BYTES:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    return path
