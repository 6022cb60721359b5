"""Instruction files: what a person or a project wants every agent to know.

One file per folder, the first of ``AGENTS.override.md``, ``AGENTS.md``, ``CLAUDE.md``,
``GEMINI.md``; joined from the project's root down to the working folder, the nearest last, 32 KiB
in all. The person's own file in the home folder comes first and is not counted; their notes for this
project, which are kept in the home folder too, come last. The text is data
for the model; it configures nothing. A project's file that is a link out of the project is left
out: a clone must not choose which of the person's files a model reads.
"""

import codecs
import os
from pathlib import Path

from msgspec import Struct

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
NOTES = "# Notes of the user for this project"
SEPARATOR = "\n\n--- project-doc ---\n\n"

NOTES_BYTES = 32_768
"""Read of the person's notes for a project."""

OWN_BYTES = 1_048_576
"""Read of the person's own file; a longer one is a mistake."""


class Instructions(Struct, frozen=True, kw_only=True):
    """Joined text, the files it came from, and what the person should be told about them.

    ``project`` names the first file that is not the person's own.
    """

    text: str = ""
    files: tuple[Path, ...] = ()
    project: str = ""
    warnings: tuple[str, ...] = ()


def project_root(cwd: Path) -> Path:
    """The nearest folder upwards that holds ``.git``, else ``cwd`` itself."""
    for folder in (cwd, *cwd.parents):
        if (folder / ".git").exists():
            return folder
    return cwd


def gather(cwd: Path, home: Path, budget: int, *, personal: bool = True) -> Instructions:
    """Reads the files; blocking.

    Args:
        cwd: Working folder, absolute.
        home: The product's home folder, for the person's own file.
        budget: Bytes for all project files together; the file that crosses it is cut there, later
            ones are left out; 0 leaves all out.
        personal: With the person's own file.
    """
    files: list[Path] = []
    warnings: list[str] = []
    own = _first(home, OWN_BYTES, warnings) if personal else None
    if own:
        files.append(own[0])
    pieces: list[str] = []
    root = project_root(cwd)
    for folder in reversed([
        folder for folder in (cwd, *cwd.parents) if folder.is_relative_to(root)
    ]):
        found = _first(folder, budget, warnings, inside=root) if budget > 0 else None
        if found is None:
            continue
        path, raw = found
        budget -= len(raw)
        files.append(path)
        pieces.append(raw.decode("utf-8", "replace").strip())
    project = "\n\n".join(piece for piece in pieces if piece)
    noted = _notes(local_notes(root, home), files, warnings)
    mine = own[1].decode("utf-8", "replace").strip() if own else ""
    local = "\n\n".join(part for part in (project, noted) if part)
    text = SEPARATOR.join(part for part in (mine, local) if part)
    foreign = str(files[1 if own else 0]) if project else ""
    return Instructions(text=text, files=tuple(files), project=foreign, warnings=tuple(warnings))


def local_notes(root: Path, home: Path) -> Path:
    """The person's notes for one project, which nobody else sees."""
    from binascii import crc32

    name = root.name[:60].encode("utf-8", "replace").decode()
    return home / "notes" / f"{name}-{crc32(os.fsencode(root)):08x}.md"


def chosen(folder: Path) -> Path:
    """The file that counts in a folder, or that would, if there were one."""
    found = _first(folder, OWN_BYTES, [])
    return found[0] if found else folder / "AGENTS.md"


def added(old: str, new: str) -> str:
    """The lines that a text has in one place besides those of an older one; empty where it lost any."""
    before, after = old.splitlines(), new.splitlines()
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    rest = len(before) - first
    is_more = len(after) > len(before) and before[first:] == after[len(after) - rest :]
    return "\n".join(after[first : len(after) - rest]).strip() if is_more else ""


def _notes(path: Path, files: list[Path], warnings: list[str]) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(NOTES_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as broken:
        warnings.append(f"{path} cannot be read ({broken.strerror}); it is left out")
        return ""
    if len(raw) > NOTES_BYTES:
        warnings.append(f"{path} is cut: notes may hold {NOTES_BYTES} bytes")
    text = raw[:NOTES_BYTES].decode("utf-8", "replace").strip()
    if not text:
        return ""
    files.append(path)
    return f"{NOTES}\n\n{text}"


def _first(
    folder: Path, limit: int, warnings: list[str], *, inside: Path | None = None
) -> tuple[Path, bytes] | None:
    for name in NAMES:
        path = folder / name
        try:
            if not path.is_file():
                continue
            if inside is not None and not _is_inside(path, inside):
                warnings.append(f"{path} is a link out of {inside}; it is left out")
                continue
            with path.open("rb") as file:
                raw = file.read(limit + 1)
        except OSError as broken:
            warnings.append(f"{path} cannot be read ({broken.strerror}); it is left out")
            continue
        if not raw.strip():
            continue
        is_cut = len(raw) > limit
        if is_cut:
            raw = raw[:limit]
            warnings.append(f"{path} is cut: instruction files may hold {limit} more bytes")
        if not _is_text(raw, is_cut=is_cut):
            warnings.append(f"{path} is not valid UTF-8; broken bytes are replaced")
        return path, raw
    return None


def _is_inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _is_text(raw: bytes, *, is_cut: bool) -> bool:
    """Whether it is UTF-8, which may be cut within its last character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(raw, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True
