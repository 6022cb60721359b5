"""Which variables a child process may see."""

import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

_HIDDEN_NAME = (
    r"(^|_)(API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|ENCRYPTION_KEY|TOKEN|SECRET"
    r"|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_[A-Z0-9]{1,4})?$|_(KEY|PAT|PWD|AUTH)$"
    r"|(APIKEY|TOKEN|SECRET|PASSWORD)$|^AWS_BEARER_TOKEN_"
)
_LOADERS = frozenset({
    *("BASH_ENV", "ENV", "LD_AUDIT", "LD_PRELOAD", "PROMPT_COMMAND", "DYLD_INSERT_LIBRARIES"),
    *("BASHOPTS", "SHELLOPTS", "PS4", "CDPATH", "GLOBIGNORE", "IFS", "PERL5OPT", "RUBYOPT"),
    *("BAT_PAGER", "LESSCLOSE", "LESSOPEN", "MANOPT", "MANPAGER", "SYSTEMD_PAGER"),
    *("GREP_OPTIONS", "RIPGREP_CONFIG_PATH", "TAR_OPTIONS"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_COMMON_DIR", "GIT_DIR"),
    *("GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_INDEX_FILE", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_PROXY_COMMAND", "GIT_QUARANTINE_PATH"),
    *("GIT_TEMPLATE_DIR", "GIT_WORK_TREE"),
})
"""They make programs run something, read a command otherwise, or work on another repository: those
of git are set in its hooks."""
_FUNCTION = "BASH_FUNC_"
_FORCED = {
    "COLORTERM": "",
    "GH_PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "LC_CTYPE": "C.UTF-8",
    "NO_COLOR": "1",
    "OUROBOROS": "1",
    "PAGER": "cat",
    "TERM": "dumb",
}


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name usually holds a credential."""
    return re.search(_HIDDEN_NAME, name, re.IGNORECASE) is not None


def steers(name: str) -> bool:
    """Whether a variable of this name makes ordinary commands do something else."""
    return name in _LOADERS or name.startswith(_FUNCTION)


SYSTEM_PATH = (
    "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
    ":/run/wrappers/bin:/run/current-system/sw/bin:/opt/homebrew/bin"
)
"""Where programs of the system are, whatever PATH says."""


def apart(environment: Mapping[str, str], cwd: Path) -> dict[str, str]:
    """The variables for a helper program of ours: PATH without what the project at ``cwd`` may hold.

    A cloned project may bring a ``git`` or ``rg`` of its own in a folder that is on PATH once its
    environment is active; commands that a person or a model wishes still run those. Entries of PATH that
    depend on the working folder are left out too. Blocks for some looks at the disk.
    """
    folders = [cwd]
    with suppress(OSError):
        folders.append(Path.cwd())  # where we were called may be another project
    person = Path(environment.get("HOME") or "/")
    return {**environment, "PATH": _apart(environment.get("PATH", ""), person, *folders)}


@lru_cache(maxsize=64)
def _apart(path: str, person: Path, *folders: Path) -> str:
    places = (Path(os.path.realpath(_project(each, person))) for each in folders)
    projects = [each for each in places if each != each.parent]  # all of a machine is no project
    kept: list[str] = []
    for entry in path.split(os.pathsep):
        if not entry.startswith("/") or entry in kept:
            continue
        places = (Path(entry), Path(os.path.realpath(entry)))
        if not any(place.is_relative_to(each) for place in places for each in projects):
            kept.append(entry)
    # Without one the working folder itself would be searched.
    return os.pathsep.join(kept) or SYSTEM_PATH


def _project(cwd: Path, person: Path) -> Path:
    """The repository that a folder lies in, or the folder itself; a home with a ``.git`` is none."""
    for each in (cwd, *cwd.parents):
        if each == person:
            break
        if os.path.lexists(each / ".git"):
            return each
    return cwd


def cleaned(environment: Mapping[str, str], *, reveal: Collection[str] = ()) -> dict[str, str]:
    """The variables a child may see: no credentials, nothing that steers, no colours, no pagers.

    Args:
        environment: What the parent has.
        reveal: Names that pass although they look like credentials.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if name in reveal or not (is_secret_name(name) or steers(name))
    }
    return kept | _FORCED
