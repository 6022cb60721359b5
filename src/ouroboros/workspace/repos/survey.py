"""What a commit would write, judged before it is written."""

import os
from pathlib import Path

from msgspec import Struct

from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.faults import RepoRefused

_LINK, _SUBMODULE = "120000", "160000"
_MOST_NAME, _MOST_PATH = 255, 3500
_TRICKS = dict.fromkeys([0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F)])


class Survey(Struct, frozen=True, kw_only=True):
    """The files of a commit: how many, how large, which are links, which are other repositories."""

    files: int
    bytes: int
    links: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()


def survey(listed: bytes, bounds: Bounds) -> Survey:
    """Reads ``ls-tree -r -l -z``.

    Raises:
        RepoRefused: There are too many, they are too large, or a name must not be written.
    """
    files, total = 0, 0
    links: list[str] = []
    submodules: list[str] = []
    for entry in listed.split(b"\0"):
        head, tab, raw = entry.partition(b"\t")
        if not tab:
            continue
        mode, _, _, size = head.decode("ascii", "replace").split()
        path = os.fsdecode(raw)
        check_path(path)
        files += 1
        total += int(size) if size.isdecimal() else 0
        if mode == _LINK:
            links.append(path)
        elif mode == _SUBMODULE:
            submodules.append(path)
    if files > bounds.files:
        raise RepoRefused(
            f"it has {files:,} files, more than {bounds.files:,}",
            hint="repos.max_files is the bound",
        )
    if total > bounds.bytes:
        raise RepoRefused(
            f"its files have {total:,} bytes, more than {bounds.bytes:,}",
            hint="repos.max_bytes is the bound",
        )
    return Survey(files=files, bytes=total, links=tuple(links), submodules=tuple(submodules))


def check_path(path: str) -> None:
    """Raises ``RepoRefused`` for a name that leads elsewhere, or into git's own folder."""
    shown = path[:200].encode("unicode_escape").decode()
    if path.startswith("/") or len(os.fsencode(path)) > _MOST_PATH:
        raise RepoRefused(f"a file of it is called {shown!r}, which is not written here")
    for step in path.split("/"):
        plain = step.translate(_TRICKS).lower().rstrip(". ").partition(":")[0]
        is_own = plain in {".git", "git~1"}
        if step in {"", ".", ".."} or is_own or len(os.fsencode(step)) > _MOST_NAME:
            raise RepoRefused(f"a file of it is called {shown!r}, which is not written here")


def check_links(folder: Path, links: tuple[str, ...]) -> None:
    """Raises ``RepoRefused`` for a link that leads out of the folder, or into its ``.git``; blocks."""
    root = os.path.realpath(folder)
    own = f"{root}{os.sep}.git"
    for link in links:
        target = os.path.realpath(folder / link)
        is_beneath = target == root or target.startswith(root + os.sep)
        if not is_beneath or target == own or target.startswith(own + os.sep):
            raise RepoRefused(f"its link {link!r} leads out of it")
