"""Which paths a block may name: those that lie below a folder on every system; pure."""

import re
import unicodedata

MOST_PATH_BYTES = 4_096
MOST_NAME_BYTES = 255

_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufeff]")
"""Characters that macOS leaves out when it compares names, and such as turn text around."""

_DRIVE = re.compile(r"[A-Za-z]:(?:/|$)")
_SHORT_GIT = re.compile(r"git~\d+")


def fault_of(path: str) -> str:
    """Why a relative path with ``/`` between its parts may not be named; empty when it may.

    What leads out of the folder is a fault, and what touches ``.git`` in any spelling that some
    system takes for it.
    """
    if not path:
        return "it names no file"
    if any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in path):
        return "it holds control characters"
    if any(unicodedata.category(char) == "Cs" for char in path):
        return "its name is no valid Unicode"
    if path.startswith(("/", "~/")) or path == "~":
        return "it is absolute"
    if _DRIVE.match(path):
        return "it names a drive"
    if "\\" in path:
        return "it holds a backslash"
    if len(path.encode()) > MOST_PATH_BYTES:
        return f"it is longer than {MOST_PATH_BYTES} bytes"
    return next((fault for part in path.split("/") if (fault := _fault_of_part(part))), "")


def _fault_of_part(part: str) -> str:
    if not part:
        return "it has an empty part"
    if part in {".", ".."}:
        return f"it has the part {part!r}"
    if not part.strip(". "):
        return f"it has the part {part!r}, which some systems take for another"
    if is_git(part):
        return "it leads into git's own folder"
    if len(part.encode()) > MOST_NAME_BYTES:
        return f"a part of it is longer than {MOST_NAME_BYTES} bytes"
    return ""


def is_git(part: str) -> bool:
    """Whether some system takes a part of a path for git's own folder."""
    bare = _UNSEEN.sub("", unicodedata.normalize("NFKC", part)).lower()
    bare = bare.partition(":")[0].rstrip(". ")
    return bare == ".git" or _SHORT_GIT.fullmatch(bare) is not None
