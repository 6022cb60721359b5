"""Which project folders may configure and execute: trusted by path and by content.

What a folder brings along (settings, hooks, ``.env``) is inert until the person trusted exactly
these files once; a changed, new or vanished file makes the folder untrusted again.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct

from ouroboros.app.config.file import decode, parse, read_bytes, write
from ouroboros.app.config.loosening import eased
from ouroboros.app.config.schema import flatten, format_key
from ouroboros.core.errors import ConfigBroken

type Verdict = Literal["nothing", "trusted", "untrusted", "changed"]

TO_USE = "`ouro trust` to use it"
"""What a person does about files that are not trusted."""

PERMISSION_FILES = (
    *("permissions.json", ".ouroboros/permissions.json"),
    *(".claude/settings.json", ".claude/settings.local.json"),
)
"""Files with permission rules besides the settings; of them only what allows more needs trust."""

_JSON = tuple(name.rpartition("/")[2] for name in PERMISSION_FILES)
_MOST_FILES = 1000
_SESSION = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_WORK_TREE = re.compile(rf"(.+)/\.paws/sessions/{_SESSION}/worktree(/.*)?")


class Inert(Struct, frozen=True, kw_only=True):
    """What a folder brings that needs trust, as read once, so that what is checked is what is used.

    ``files`` maps names relative to ``folder`` to their content.
    """

    folder: Path
    files: dict[str, bytes]

    @property
    def hashes(self) -> dict[str, str]:
        """The content hash of each file."""
        import hashlib

        return {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}


class Standing(Struct, frozen=True, kw_only=True):
    """Whether a folder is trusted, and which of its files differ from the trusted ones."""

    verdict: Verdict
    changed: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether the folder's files may take effect."""
        return self.verdict == "trusted"


def project_folder(cwd: Path, home: Path) -> Path:
    """The folder whose ``.ouroboros/`` and ``.env`` count for ``cwd``.

    The nearest ancestor with ``.ouroboros/`` inside the git work tree, else the top of the work
    tree; outside of git only ``cwd`` itself. The home folder is never a project's. A folder in the work
    tree of a session stands for the same one of its project: what works there cannot configure itself.
    """
    cwd = _meant(cwd)
    nearest: Path | None = None
    for folder in (cwd, *cwd.parents):
        own = folder / ".ouroboros"
        if nearest is None and _exists(own) and own.resolve() != home.resolve():
            nearest = folder
        if _exists(folder / ".git"):
            return nearest or folder
    return cwd


def tree_folder(cwd: Path, home: Path) -> Path | None:
    """The folder in the work tree of a session that its project's stands for; None outside of one."""
    found = _WORK_TREE.fullmatch(cwd.resolve().as_posix())
    if found is None:
        return None
    top = Path(found[0].removesuffix(found[2] or ""))
    project = project_folder(cwd, home)
    return top / project.relative_to(found[1]) if project.is_relative_to(found[1]) else top


def read(folder: Path, home: Path) -> Inert:
    """Everything below ``folder`` that needs trust; raises ``ConfigBroken`` if unreadable.

    The person's own ``home`` needs none.
    """
    files: dict[str, bytes] = {}
    own = folder / ".ouroboros"
    paths = [folder / ".env"]
    try:
        if own.is_dir() and own.resolve() != home.resolve():
            paths += sorted(own.glob("*.toml"))
            paths += sorted(path for path in (own / "hooks").rglob("*") if path.is_file())
            paths += sorted((own / "rules").glob("*.rules"))
            paths.append(own / "hooks.json")
    except OSError as error:
        raise ConfigBroken(
            f"{own} cannot be read: {error.strerror}", hint="check its owner and mode"
        ) from error
    if len(paths) > _MOST_FILES:
        raise ConfigBroken(f"{own} holds more than {_MOST_FILES} files", hint="remove some")
    for path in paths:
        # A folder may well be named .env, and what is no file holds no settings.
        content = read_bytes(path) if path.is_file() else None
        if content is not None:
            files[path.relative_to(folder).as_posix()] = content
    return Inert(folder=folder, files=files | _permission_blocks(folder, home))


def permission_files(folder: Path, home: Path) -> tuple[str, ...]:
    """The names of those that are there; in the person's own home none is a project's."""
    names = [name for name in PERMISSION_FILES if _exists(folder / name)]
    own = ".ouroboros/"
    if any(name.startswith(own) for name in names) and (folder / own).resolve() == home.resolve():
        names = [name for name in names if not name.startswith(own)]
    return tuple(names)


def _permission_blocks(folder: Path, home: Path) -> dict[str, bytes]:
    """The permission blocks that let more happen."""
    names = permission_files(folder, home)
    if not names:
        return {}
    from ouroboros.app.config.permission_files import needing_trust

    found = {name: needing_trust(folder / name) for name in names}
    return {name: block for name, block in found.items() if block is not None}


def standing(home: Path, inert: Inert) -> Standing:
    """Whether these very files were trusted at this very path."""
    if not inert.files:
        return Standing(verdict="nothing")
    trusted = _load(home).get(str(inert.folder.resolve()))
    if trusted is None:
        return Standing(verdict="untrusted")
    now = inert.hashes
    changed = [name for name in {**trusted, **now} if trusted.get(name) != now.get(name)]
    if changed:
        return Standing(verdict="changed", changed=tuple(sorted(changed)))
    return Standing(verdict="trusted")


def grant(home: Path, inert: Inert) -> None:
    """Trusts these files at this path from now on."""
    folders = _load(home)
    folders[str(inert.folder.resolve())] = inert.hashes
    _save(home, folders)


def revoke(home: Path, folder: Path) -> bool:
    """Forgets a folder; False if it was not trusted."""
    folders = _load(home)
    found = folders.pop(str(folder.resolve()), None)
    if found is not None:
        _save(home, folders)
    return found is not None


def trusted_folders(home: Path) -> tuple[str, ...]:
    """Every folder the person trusted."""
    return tuple(sorted(_load(home)))


def warning(inert: Inert, found: Standing) -> str:
    """The one line that says what is not used and how to change that; empty if all is used."""
    if found.verdict == "changed":
        names = ", ".join(found.changed[:3])
        more = f" and {len(found.changed) - 3} more" if len(found.changed) > 3 else ""
        return f"{inert.folder}: changed since you trusted it ({names}{more}); {TO_USE}{_holding(inert)}"
    if found.verdict == "untrusted":
        names = ", ".join(sorted(inert.files)[:3])
        more = f" and {len(inert.files) - 3} more" if len(inert.files) > 3 else ""
        said = f"{inert.folder}: not trusted, so not used: {names}{more}; {TO_USE}"
        return said + _holding(inert)
    return ""


def _holding(inert: Inert) -> str:
    is_there = any(name in inert.files for name in PERMISSION_FILES)
    return " (what its permission files deny or ask about holds already)" if is_there else ""


def summary(inert: Inert, found: Standing) -> tuple[str, ...]:
    """What trust would activate, a line for each file and for each thing it sets."""
    lines: list[str] = []
    for name, content in sorted(inert.files.items()):
        mark = " (changed)" if name in found.changed else ""
        lines.append(f"{name}, {len(content)} bytes{mark}")
        lines += [f"  {line}" for line in _sets(inert.folder / name, content)]
    lines += [f"{name} (gone)" for name in found.changed if name not in inert.files]
    return tuple(lines)


def _sets(path: Path, content: bytes) -> list[str]:
    if path.suffix == ".toml":
        table = parse(path, content)
        table.pop("hooks", None)  # they are shown whole, by ``hooks_of``
        more = eased(table, {})
        said = [f"{format_key(key)} = {value!r}"[:160] for key, value in flatten(table)]
        return [*said, f"lets more happen unasked: {more}"[:240]] if more else said
    if path.suffix == ".rules":
        return [line.strip()[:160] for line in decode(path, content).splitlines() if line.strip()]
    if path.name.endswith(_JSON):
        from ouroboros.app.config.permission_files import described

        return described(path.name, content)
    if path.name == ".env":
        lines = decode(path, content).splitlines()
        return [line.partition("=")[0].strip() for line in lines if "=" in line]
    return []


def _meant(cwd: Path) -> Path:
    found = _WORK_TREE.fullmatch(cwd.resolve().as_posix())
    return Path(f"{found[1]}{found[2] or ''}") if found else cwd


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _load(home: Path) -> dict[str, dict[str, str]]:
    path = home / "trust.toml"
    content = read_bytes(path)
    if content is None:
        return {}
    if path.stat().st_mode & 0o022:
        raise ConfigBroken(
            f"{path} can be written by other users", hint=f"check it, then: chmod 600 {path}"
        )
    folders = parse(path, content).get("folders", {})
    if not isinstance(folders, dict):
        raise ConfigBroken(f"{path}: [folders] is not a table", hint="move the file away")
    return {
        folder: {name: str(value) for name, value in cast("dict[str, object]", files).items()}
        for folder, files in cast("Mapping[str, object]", folders).items()
        if isinstance(files, dict)
    }


def _save(home: Path, folders: Mapping[str, Mapping[str, str]]) -> None:
    import tomlkit

    document = tomlkit.document()
    document.add(
        tomlkit.comment("Folders you trusted, with the hash of each file; see `ouro trust`.")
    )
    document["folders"] = {name: dict(files) for name, files in sorted(folders.items())}
    write(home / "trust.toml", tomlkit.dumps(document))
