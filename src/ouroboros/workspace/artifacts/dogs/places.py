"""Which paths a change may name: what bundles may, nothing misleading, and nobody's control data. Pure."""

from ouroboros.safety.paths import PROTECTED
from ouroboros.safety.paths.spelling import climbs, folded, has_climb, is_foreign, is_odd, readings
from ouroboros.workspace.artifacts.paths import fault_of

CONTROL = (*PROTECTED, ".paws")
"""What is believed or run by something else, in any spelling and at any depth."""


def plain(path: str) -> str:
    """The path without ``./`` and doubled slashes, as models write them."""
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def place_fault(path: str) -> str:
    """Why a bundle may not change this path; empty where it may. Looks at no disk."""
    if path.startswith(("/", "~")):
        return "it is absolute"
    if path.endswith("/"):
        return "it names a folder"
    if fault := fault_of(plain(path)):
        return fault
    if is_odd(path):
        return "it holds characters that nobody sees"
    return _elsewhere(path)


def _elsewhere(path: str) -> str:
    for reading in readings(path):
        if has_climb(reading) or climbs(reading):
            return "it climbs by '..'"
        if is_foreign(reading) or (reading != path and reading.startswith("/")):
            return "it is a path of another system, or an address"
        for part in reading.replace("\\", "/").split("/"):
            if (name := folded(part)) in CONTROL:
                return f"{name} holds control data"
    return ""


def same_place(path: str) -> str:
    """What two names have in common that a careless file system takes for one."""
    return "/".join(folded(part) or part for part in path.split("/"))
