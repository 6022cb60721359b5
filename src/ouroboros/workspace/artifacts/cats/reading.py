"""Reads a bundle of either dialect; pure."""

from ouroboros.workspace.artifacts.cats import markers, v1
from ouroboros.workspace.artifacts.cats.bundle import Bundle
from ouroboros.workspace.artifacts.faults import Malformed

_MARK = b"\xef\xbb\xbf"


def outside(data: bytes) -> bytes | None:
    """The text of a bundle that stands in no file; None for what does not begin as a bundle of files."""
    data = data.removeprefix(_MARK)
    if data.startswith(b"---\r\n"):
        data = data.replace(b"\r\n", b"\n")
    return v1.outside(data) if data.startswith(b"---\n") else markers.outside(data)


def read(data: bytes) -> Bundle:
    """The files of a bundle, byte for byte.

    Raises:
        Malformed: It is none, or broken; with block, path and line.
    """
    data = data.removeprefix(_MARK)
    is_rewritten = data.startswith(b"---\r\n")  # by a window or a mail, line by line
    if is_rewritten:
        data = data.replace(b"\r\n", b"\n")
    if data.startswith(b"---\n"):
        found = v1.read(data, is_rewritten=is_rewritten)
    elif markers.is_begun(data):
        found = markers.read(data)
    else:
        raise Malformed(
            "it is no bundle of files: it has neither a head between lines of '---' nor cat markers"
        )
    if not found.files:
        raise Malformed("the bundle is empty: it holds no file")
    return found
