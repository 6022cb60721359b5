"""Whether something may be done with a path in a workspace, before any rule of the person speaks."""

import os
import stat
from pathlib import Path
from typing import Literal, NamedTuple

from ouroboros.safety.paths.patterns import alternatives, fixed_part, may_climb
from ouroboros.safety.paths.places import PROTECTED
from ouroboros.safety.paths.secret_names import is_secret_name
from ouroboros.safety.paths.spelling import (
    climbs,
    folded,
    has_climb,
    is_foreign,
    is_odd,
    readings,
    too_long,
)
from ouroboros.safety.paths.walk import Walked, has_other_name, walked

type Outcome = Literal["allow", "ask", "deny"]

WRITES = frozenset({"write", "delete", "extract", "patch", "download"})
READS = frozenset({"read", "list", "glob", "upload"})

_HARMLESS_DEVICES = frozenset({"/dev/null"})
_MACHINE = ("dev", "proc", "sys")
_SYSTEM = frozenset({
    "bin",
    "boot",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "root",
    "run",
    "sbin",
    "usr",
    "var",
})
_OWN_KEYS = frozenset({
    *("auth", "keys.sealed", "keys.toml", "profiles", "seal.key"),
    *("ouroboros.db", "ouroboros.db-wal"),
})
_STARTUP = frozenset({
    *(
        ".bash_login",
        ".bash_logout",
        ".bash_profile",
        ".bashrc",
        ".cshrc",
        ".gitconfig",
        ".inputrc",
    ),
    *(".kshrc", ".login", ".profile", ".tcshrc", ".vimrc", ".xinitrc", ".xprofile", ".zlogin"),
    *(".zprofile", ".zshenv", ".zshrc", "authorized_keys", "crontab"),
})
_TEMPORARY = tuple(Path("/var") / name for name in ("tmp", "folders"))
_ARCHIVES = (".zip", ".jar", ".whl", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".tbz2", ".txz", ".apk")


class Judged(NamedTuple):
    """May it be done, why not, and where the path really leads."""

    decision: Outcome
    reason: str
    resolved: str


def judge_path(root: Path, op: str, path: str) -> Judged:
    """Judges a path as it was written; blocks for as long as a few looks at the disk take.

    Args:
        root: The workspace, absolute.
        op: ``read``, ``write``, ``list``, ``delete``, ``extract``, ``patch``, ``upload``,
            ``download`` or ``glob``. The path of ``extract`` is a member's, or an archive whose
            members are all judged; that of ``glob`` is a pattern.
        path: From the root when it is not absolute.
    """
    if op not in WRITES | READS:
        return Judged("deny", f"{op!r} is nothing that can be done with a path", "")
    fault = _fault(path)
    if fault:
        return Judged("deny", fault, "")
    if op == "glob":
        return _judge_pattern(root, path)
    return _judge_one(root, op, path)


def odd_spelling(root: Path, op: str, path: str) -> str:
    """Why a path may not be what it seems, whatever is on the disk; empty for an ordinary one."""
    objection = _spelling(root, op, path)
    if objection is not None:
        return objection[1]
    return "its name holds characters that nobody sees" if is_odd(path) else ""


def _judge_pattern(root: Path, pattern: str) -> Judged:
    worst = Judged("allow", "", "")
    for one in alternatives(pattern):
        if may_climb(one):
            found = Judged("deny", "the pattern leads above the workspace", "")
        else:
            found = _judge_one(root, "glob", fixed_part(one), spelled=one)
        if not worst.resolved or _rank(found) > _rank(worst):
            worst = found
    return worst


def _rank(judged: Judged) -> int:
    return ("allow", "ask", "deny").index(judged.decision)


def _fault(path: str) -> str:
    """Why this is no path at all."""
    if not path.strip():
        return "the path is empty"
    if "\0" in path:
        return "the path holds a NUL"
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "the path holds half a character"
    if too_long(path):
        return "the path is longer than any file system takes"
    return ""


def _judge_one(root: Path, op: str, path: str, spelled: str = "") -> Judged:
    written = _expanded(path)
    real_root = walked(root).path
    whole = Path(f"{real_root}/{written}" if not written.startswith("/") else written)
    way = walked(whole)
    if op == "delete" and way.is_link:
        way = way.unfollowed()
    place = str(way.path)
    objection = _spelling(real_root, op, _expanded(spelled or path))
    if objection is not None:
        return Judged(objection[0], objection[1], place)
    for judge in (_machine, _own, _secret, _links, _protected, _special, _outside, _content):
        objection = judge(real_root, op, written, way)
        if objection is not None:
            return Judged(objection[0], objection[1], place)
    return Judged("allow", "", place)


type Objection = tuple[Outcome, str] | None


def _lies_in(place: Path, folder: Path) -> bool:
    """As ``is_relative_to``, which takes the square of the depth."""
    return place == folder or str(place).startswith(f"{str(folder).rstrip('/')}/")


def _expanded(path: str) -> str:
    """``~`` as a shell takes it; a person who does not exist stays a name."""
    try:
        return str(Path(path).expanduser()) if path.startswith("~") else path
    except RuntimeError:
        return path


def _spelling(root: Path, op: str, path: str) -> Objection:
    """What is wrong before the disk is looked at."""
    if is_foreign(path):
        return "deny", "it is an address, or a path of another system"
    if path.startswith("~"):
        return "ask", "nobody of that name is known here, so it is unclear what ~ means"
    for reading in readings(path):
        fault = _reading_fault(root, reading, is_written=reading == path)
        if fault:
            return "deny", fault
    if op == "extract" and (path.startswith("/") or has_climb(path) or "\\" in path):
        return "deny", "a member of an archive may only name a place below the folder"
    return None


def _reading_fault(root: Path, reading: str, *, is_written: bool) -> str:
    if not is_written and is_foreign(reading):
        return "decoded, it is an address, or a path of another system"
    if not reading.startswith("/"):
        return "it leads out of the workspace by .." if climbs(reading) else ""
    if not is_written and not _lies_in(Path(os.path.normpath(reading)), root):
        return "decoded, it is an absolute path"
    away = not _lies_in(Path(os.path.normpath(reading)), root)
    return "it leads out of the workspace by .." if has_climb(reading) and away else ""


def _machine(root: Path, op: str, path: str, way: Walked) -> Objection:
    """Devices, processes and the kernel's own files, wherever a link to them stands."""
    del root, path
    places = dict.fromkeys((*way.visited, way.path))
    objections = [_machine_objection(op, place, way) for place in places]
    found = [objection for objection in objections if objection is not None]
    return min(found, key=lambda objection: objection[0] != "deny", default=None)


def _machine_objection(op: str, place: Path, way: Walked) -> Objection:
    parts = place.parts
    is_final = place == way.path
    if len(parts) < 2 or parts[1] not in _MACHINE or (len(parts) == 2 and not is_final):
        return None
    if str(place) in _HARMLESS_DEVICES and op in {"read", "write"} and not way.is_link:
        return None
    is_look = op in {"read", "list"}
    if is_look and parts[1] != "dev" and not _is_of_process(parts):
        return "ask", f"{place} tells of the machine"
    if is_look and len(parts) == 2:
        return "ask", f"{place} is the machine's"
    return "deny", f"{place} is a device, or stands for another file or process"


def _is_of_process(parts: tuple[str, ...]) -> bool:
    own = {"self", "thread-self", "kcore", "kmem", "sysrq-trigger", "kallsyms", "keys", "kmsg"}
    return parts[1] == "proc" and len(parts) > 2 and (parts[2].isdigit() or parts[2] in own)


def _own(root: Path, op: str, path: str, way: Walked) -> Objection:
    """The product's own keys and state."""
    del path, op
    for place in (way.path, way.last):
        inner = _lies_in(place, root)
        names = [folded(part) for part in _own_part(place, root)]
        if ".ouroboros" not in names:
            continue
        below = names[names.index(".ouroboros") + 1 :]
        if not inner or (below and below[0] in _OWN_KEYS):
            return "deny", f"{place} is the product's own"
    return None


def _secret(root: Path, op: str, path: str, way: Walked) -> Objection:
    """Where keys are, outside of the workspace."""
    del path
    place = way.path
    if op == "list" or _lies_in(place, root) or not is_secret_name(str(place)):
        return None
    return "deny", f"{place} may hold keys"


def _links(root: Path, op: str, path: str, way: Walked) -> Objection:
    """Links that lead nowhere, or away from where the path seems to lead."""
    if way.problem:
        return "deny", way.problem
    seems = Path(os.path.normpath(root / path))
    is_away = not _lies_in(way.path, root) or not all(
        _lies_in(place, root) for place in _from_root(root, way)
    )
    if _lies_in(seems, root) and is_away and not _lies_in(root, way.path):
        if op in WRITES | {"upload"}:
            return "deny", f"a link leads it out of the workspace, to {way.path}"
        return "ask", f"a link leads it out of the workspace, to {way.path}"
    if op == "extract" and way.path != seems:
        return "deny", "a link stands in its way"
    return None


def _from_root(root: Path, way: Walked) -> list[Path]:
    """The places that were visited once the walk had come into the workspace."""
    places = list(way.visited)
    inside = [number for number, place in enumerate(places) if _lies_in(place, root)]
    return places[inside[0] :] if inside else []


def _protected(root: Path, op: str, path: str, way: Walked) -> Objection:
    """Control data that runs or is believed outside of the cage later."""
    if op not in WRITES:
        return None
    places = [(way.path, root), (way.last, root)]
    names = {folded(part) for place, base in places for part in _own_part(place, base)}
    for reading in readings(path):
        names |= {folded(part) for part in reading.replace("\\", "/").split("/")}
    for name in PROTECTED:
        if name in names and not _is_below(root, name, path):
            return "deny", f"{name} holds control data"
    if way.path == root or _lies_in(root, way.path):
        return "deny", "it is the workspace itself, or a folder around it"
    if way.found is not None and stat.S_ISDIR(way.found.st_mode):
        if op != "delete":
            return None if op == "extract" else ("deny", f"{way.path} is a folder")
        if any((way.path / name).exists() for name in PROTECTED):
            return "ask", f"{way.path} holds control data"
    return None


def _is_below(root: Path, name: str, path: str) -> bool:
    """A workspace that itself lies in a folder of such a name, given by its whole path."""
    return path.startswith(f"{root}/") and not any(
        folded(part) == name for part in path[len(str(root)) :].split("/")
    )


def _own_part(place: Path, root: Path) -> tuple[str, ...]:
    return place.parts[len(root.parts) :] if _lies_in(place, root) else place.parts


def _special(root: Path, op: str, path: str, way: Walked) -> Objection:
    """What is no file and no folder."""
    del root, path, op
    if way.found is None:
        return None
    mode = way.found.st_mode
    if (
        stat.S_IFMT(mode) in {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
        or str(way.path) in _HARMLESS_DEVICES
    ):
        return None
    return "deny", f"{way.path} is no file and no folder"


def _outside(root: Path, op: str, path: str, way: Walked) -> Objection:
    del path
    place = way.path
    if _lies_in(place, root) or str(place) in _HARMLESS_DEVICES:
        return None
    if op == "upload":
        return "deny", f"{place} is outside the workspace, and would leave this machine"
    if op in READS:
        return "ask", f"{place} is outside the workspace"
    parts = place.parts
    if (
        place.name in _STARTUP
        or len(parts) < 3
        or (parts[1] in _SYSTEM and not _is_temporary(place))
    ):
        return "deny", f"{place} is outside the workspace, and the system's or a person's own"
    return "ask", f"{place} is outside the workspace"


def _is_temporary(place: Path) -> bool:
    return any(_lies_in(place, folder) for folder in _TEMPORARY)


def _content(root: Path, op: str, path: str, way: Walked) -> Objection:
    """Names that hold keys or mislead, files with another name elsewhere, members of archives."""
    place = way.path
    if is_odd(path):
        return "ask", "its name holds characters that nobody sees"
    own = "/".join(_own_part(place, root))
    if op in {"read", "upload"} and (is_secret_name(own) or is_secret_name(folded(place.name))):
        how: Outcome = "deny" if op == "upload" else "ask"
        return how, f"{place} may hold keys"
    found = way.found
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    if op not in {"delete", "list", "glob"} and has_other_name(place, found, (root,)):
        return "ask", f"{place} has another name (a hard link), which may lie elsewhere"
    if op == "extract" and place.name.lower().endswith(_ARCHIVES):
        from ouroboros.safety.paths.archives import archive_fault

        fault = archive_fault(place)
        if fault:
            return "deny", fault
    return None
