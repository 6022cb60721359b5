"""Writes a session out in one of its forms."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.app.export.cleaning import Clean
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope

type Style = Literal["jsonl", "markdown", "html"]
STYLES: dict[str, Style] = {
    "jsonl": "jsonl",
    "md": "markdown",
    "markdown": "markdown",
    "html": "html",
}
ENDINGS: dict[Style, str] = {"jsonl": ".jsonl", "markdown": ".md", "html": ".html"}


class Wish(Struct, frozen=True, kw_only=True):
    """How a session is to be written out.

    Attributes:
        contents: What was in files too, not only their paths; lines of JSON hold it always.
        only_active: The branch that goes on, and no other; lines of JSON hold all of them.
    """

    style: Style = "jsonl"
    contents: bool = False
    only_active: bool = False


def written(
    envelopes: Iterable[Envelope], title: str, wish: Wish, clean: Clean | None
) -> Iterator[str]:
    """The document in pieces; each text in it goes through ``clean``."""
    match wish.style:
        case "jsonl":
            from ouroboros.app.export.lines import json_lines

            return json_lines(envelopes, clean=clean)
        case "markdown":
            from ouroboros.app.export.markdown import markdown as form
        case "html":
            from ouroboros.app.export.page import page as form
    return form(
        envelopes,
        title,
        clean=clean or str,
        contents=wish.contents,
        only_active=wish.only_active,
    )


def keep(pieces: Iterable[str], path: Path) -> None:
    """Makes a file of it, whole or not at all; blocking.

    Raises:
        Misuse: There is one already, or it cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(part, path)
    except FileExistsError:
        raise Misuse(f"{str(path)!r} exists already", hint="name another file") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Misuse(
            f"{str(path)!r} cannot be written: {said}", hint="name another file"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()


def put_in_place(part: Path, path: Path) -> None:
    """Gives a finished file its name; unlike a rename, a link never replaces what is there.

    Raises:
        FileExistsError: There is one already.
        OSError: It cannot be.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a disk without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        part.rename(path)
