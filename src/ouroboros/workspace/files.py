"""Reading and writing whole text files without surprises; every function here blocks."""

import codecs
import errno
import os
import re
import stat
import sys
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.safety.paths.beneath import open_folder

SAMPLE_BYTES = 8192
"""How much of a file is looked at to tell text from binary."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


_CHINESE = re.compile(rb"[\xb0-\xf7][\xa1-\xfe]|[\xa1-\xa3][\xa1-\xfe]")


class FileMissing(ToolFailed):
    """There is no file of this name."""


class Decoded(Struct, frozen=True, kw_only=True):
    """A text file's content; ``mark`` is its byte order mark."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """Other text in the same encoding.

        Raises:
            ToolFailed: The encoding has no such characters.
        """
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as broken:
            wrong = text[broken.start : broken.start + 1]
            raise ToolFailed(f"the file is {self.encoding}, which has no {wrong!r}") from broken


def encoding_of(sample: bytes) -> tuple[str, bytes]:
    """Encoding and byte order mark that the first bytes announce; ``binary`` is an encoding too."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding, mark
    return ("binary" if b"\0" in sample else "utf-8"), b""


def decoded(data: bytes, path: Path) -> Decoded:
    """The text of a file; what is not UTF-8 is read as ``older_encoding`` says, which keeps every byte.

    Raises:
        ToolFailed: It is binary.
    """
    encoding, mark = encoding_of(data[:SAMPLE_BYTES])
    if encoding == "binary":
        raise ToolFailed(f"{path} is a binary file of {len(data)} bytes")
    try:
        return Decoded(text=data[len(mark) :].decode(encoding), encoding=encoding, mark=mark)
    except UnicodeDecodeError as broken:
        if mark:
            raise ToolFailed(f"{path} is damaged {encoding}: {broken.reason}") from broken
        encoding = older_encoding(data)
        return Decoded(text=data.decode(encoding), encoding=encoding)


def older_encoding(data: bytes) -> str:
    """What bytes that are not UTF-8 most likely are: GB18030, Windows-1252, or else Latin-1.

    GB18030 is taken when nearly every byte beyond ASCII is half of a common Chinese character.
    """
    high = sum(byte >= 0x80 for byte in data)
    pairs = len(_CHINESE.findall(data))
    if high >= 4 and pairs * 2 >= high * 0.9 and _is_kept(data, "gb18030"):
        return "gb18030"
    if any(0x80 <= byte < 0xA0 for byte in data) and _is_kept(data, "cp1252"):
        return "cp1252"
    return "latin-1"


def _is_kept(data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def load(path: Path, *, limit: int = WRITE_BYTES) -> Decoded:
    """Reads a text file of at most ``limit`` bytes.

    Raises:
        ToolFailed: It is missing, no regular file, too large, or binary.
    """
    return decoded(bytes_of(path, limit=limit), path)


def bytes_of(path: Path, *, limit: int = WRITE_BYTES) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    Raises:
        ToolFailed: It is missing, no regular file, or too large.
    """
    size = regular_size(path)
    data = b""
    if size <= limit:
        with opened(path) as file:
            data = file.read(limit + 1) or b""
    if max(size, len(data)) > limit:
        raise ToolFailed(f"{path} has over {limit} bytes ({size}); change it with shell")
    return data


def opened(path: Path) -> BufferedReader:
    """Opens a regular file for reading; nothing that has taken its place can make this wait.

    Raises:
        ToolFailed: It is no regular file any more.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ToolFailed(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb")


def regular_size(path: Path) -> int:
    """The size of a regular file.

    Raises:
        FileMissing: There is none.
        ToolFailed: It is no regular file.
    """
    try:
        found = path.stat()
    except FileNotFoundError as missing:
        raise FileMissing(f"{path} does not exist{near_names(path)}") from missing
    if stat.S_ISDIR(found.st_mode):
        raise ToolFailed(f"{path} is a folder; use ls")
    if not stat.S_ISREG(found.st_mode):
        raise ToolFailed(f"{path} is not a regular file")
    return found.st_size


def near_names(path: Path) -> str:
    """A hint with names beside a missing path that look like it; empty when there are none."""
    from difflib import get_close_matches

    folder = path.parent
    if not folder.is_dir():
        return f"; the folder {folder} does not exist either"
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name != path.name]
    near = get_close_matches(path.name, names, n=3, cutoff=0.6)
    near += [name for name in names if name.lower() == path.name.lower() and name not in near]
    return f"; did you mean {' or '.join(sorted(near))}?" if near else ""


def write_atomic(
    path: Path, data: bytes, *, admitted: tuple[Path, ...] = (), expected: bytes | None = None
) -> None:
    """Puts ``data`` in place in one step: readers see the old file or the new one, also after a crash.

    Folders are made; mode bits and attributes are kept; a symbolic link stays and its target is
    written. No part of the way may become a link meanwhile.

    Args:
        path: Absolute.
        data: The whole new content.
        admitted: Real paths that may be written; any when empty.
        expected: What the file must still hold just before it is replaced.

    Raises:
        ToolFailed: The target is a folder or another special file, leads elsewhere by now, or has
            been changed.
    """
    target = Path(os.path.realpath(path))
    if admitted and target not in admitted:
        raise ToolFailed(f"{path} leads elsewhere by now, so nothing was written")
    before = writable(path)
    try:
        folder = open_folder(target.parent, make=True)
    except OSError as failed:
        if failed.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
        raise ToolFailed(f"a link was put in the way of {path}, so nothing was written") from failed
    beside = f".{os.urandom(8).hex()}.tmp"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(beside, flags, 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                if before is not None:
                    _alike(target, before, file.fileno())
                file.flush()
                os.fsync(file.fileno())
            if expected is not None and bytes_of(target) != expected:
                raise ToolFailed(
                    f"{path} was changed just now, so nothing was written; read it again"
                )
            os.replace(beside, target.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=folder)
            raise
        with suppress(OSError):
            os.fsync(folder)
    finally:
        os.close(folder)


def _alike(old: Path, before: os.stat_result, new: int) -> None:
    """Gives a new file the owner, mode bits and attributes of the one it replaces."""
    with suppress(PermissionError):
        os.fchown(new, before.st_uid, before.st_gid)
    os.fchmod(new, stat.S_IMODE(before.st_mode) & 0o777)
    if sys.platform == "linux":
        with suppress(OSError):
            for name in os.listxattr(old):
                with suppress(OSError):
                    os.setxattr(new, name, os.getxattr(old, name))


def writable(path: Path) -> os.stat_result | None:
    """What is known of the file that would be replaced; None when there is none yet.

    Raises:
        ToolFailed: It, or the folder it would be in, cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        found = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        above = next(parent for parent in target.parents if parent.exists())
        if not above.is_dir():
            raise ToolFailed(f"{path} cannot be made: {above} is a file") from None
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ToolFailed(f"{path} is not a regular file, so it cannot be written")
    if not os.access(target, os.W_OK):
        raise ToolFailed(f"{path} is read-only")
    return found
