"""Pictures of a session for a face that can show them."""

from pathlib import Path

from msgspec import Struct

from ouroboros.tools.pictures.measure import BadPicture, measured

_LARGEST_BYTES = 4 * 1_048_576
_MOST_PIXELS = 40_000_000


class Thumbnail(Struct, frozen=True, kw_only=True):
    """A PNG as it is on the disk, with its size in pixels."""

    content: bytes
    width: int
    height: int


def thumbnail(home: Path, path: str) -> Thumbnail | None:
    """A picture that was kept with a session; None where it is no PNG, too large, or not there. Blocking."""
    file = (home / path).resolve()
    if not file.is_relative_to((home / "artifacts").resolve()):
        return None
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_BYTES + 1)
        found = measured(content)
    except (OSError, BadPicture):
        return None
    is_fit = len(content) <= _LARGEST_BYTES and found.pixels <= _MOST_PIXELS
    if not is_fit or found.media_type != "image/png":
        return None
    return Thumbnail(content=content, width=found.width, height=found.height)
