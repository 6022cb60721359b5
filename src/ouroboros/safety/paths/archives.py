"""Whether unpacking an archive would leave its folder; the archive is read, not unpacked."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ouroboros.safety.paths.places import PROTECTED
from ouroboros.safety.paths.spelling import climbs, folded, is_foreign, readings

if TYPE_CHECKING:
    from tarfile import TarInfo

_MEMBERS = 20_000
_BYTES = 2 * 1_073_741_824


def archive_fault(path: Path) -> str:
    """Why an archive must not be unpacked, empty when it may; blocks, bounded by its table of members."""
    from lzma import LZMAError
    from tarfile import TarError
    from zipfile import BadZipFile, is_zipfile
    from zlib import error as broken_stream

    broken_ways = (BadZipFile, TarError, LZMAError, broken_stream, OSError, ValueError)
    try:
        return _zip_fault(path) if is_zipfile(path) else _tar_fault(path)
    except (*broken_ways, EOFError, NotImplementedError, RuntimeError, KeyError) as broken:
        return f"{path.name} cannot be read as an archive ({type(broken).__name__})"


def member_fault(name: str) -> str:
    """Why a member must not be written, empty when it may."""
    for reading in readings(name):
        if reading.startswith(("/", "\\", "~")) or is_foreign(reading):
            return f"the member {name!r} names a place outside of the folder"
        if climbs(reading.replace("\\", "/")) or "\0" in reading:
            return f"the member {name!r} leads out of the folder"
        if any(folded(part) in PROTECTED for part in reading.replace("\\", "/").split("/")):
            return f"the member {name!r} would be control data"
    return ""


def _link_fault(name: str, target: str) -> str:
    folder = name.rpartition("/")[0]
    if target.startswith(("/", "\\")) or is_foreign(target) or climbs(f"{folder}/{target}"):
        return f"the link {name!r} leads out of the folder"
    return ""


def _zip_fault(path: Path) -> str:
    from zipfile import ZipFile

    total = 0
    with ZipFile(path) as archive:
        members = archive.infolist()
        for member in members[:_MEMBERS]:
            total += member.file_size
            fault = member_fault(member.filename) or member_fault(member.orig_filename)
            mode = member.external_attr >> 16
            if not fault and stat.S_ISLNK(mode):
                with archive.open(member) as opened:
                    target = opened.read(4096).decode("utf-8", "replace")
                fault = _link_fault(member.filename, target)
            if not fault and stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}:
                fault = f"the member {member.filename!r} is no file"
            if fault:
                return fault
    return _bulk_fault(len(members), total)


def _tar_fault(path: Path) -> str:
    import tarfile

    count = total = 0
    with tarfile.open(path) as archive:
        for member in archive:
            count += 1
            total += member.size
            if count > _MEMBERS or total > _BYTES:
                break
            fault = next(_member_faults(member), "")
            if fault:
                return fault
    return _bulk_fault(count, total)


def _member_faults(member: "TarInfo") -> Iterator[str]:
    if fault := member_fault(member.name):
        yield fault
    if member.issym() and (fault := _link_fault(member.name, member.linkname)):
        yield fault
    if member.islnk() and (fault := member_fault(member.linkname)):
        yield fault
    if member.isdev() or not (
        member.isfile() or member.isdir() or member.issym() or member.islnk()
    ):
        yield f"the member {member.name!r} is no file"


def _bulk_fault(count: int, total: int) -> str:
    if count > _MEMBERS:
        return f"it has more than {_MEMBERS:,} members"
    return f"it would take {total:,} bytes" if total > _BYTES else ""
