"""git as far as it only reads, and the form in which nothing of a repository's own is run."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.operands import Ground, is_secret_name
from ouroboros.safety.commands.options import Match, sort_out, spec
from ouroboros.safety.commands.tables.git import READS
from ouroboros.safety.commands.verdict import Doubt
from ouroboros.safety.paths import Places, real

_CLEARED = (
    "DIR",
    "WORK_TREE",
    "INDEX_FILE",
    "OBJECT_DIRECTORY",
    "ALTERNATE_OBJECT_DIRECTORIES",
    "COMMON_DIR",
    "NAMESPACE",
    "EXEC_PATH",
    "EXTERNAL_DIFF",
    "CONFIG",
    "CONFIG_COUNT",
    "CONFIG_PARAMETERS",
    "SSH",
    "SSH_COMMAND",
    "PROXY_COMMAND",
    "ATTR_SOURCE",
    "TRACE",
    "TRACE2",
    "TRACE2_EVENT",
)
_SET = "GIT_PAGER=cat GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1"
_OVERRIDES = (
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    "diff.external=",
    "diff.submodule=short",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.diffMerges=separate",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
)
HARDENED = " ".join((
    "env",
    *(f"-u GIT_{name}" for name in _CLEARED),
    _SET,
    "git --no-pager",
    *(f"-c {override}" for override in _OVERRIDES),
))
"""What stands in the place of ``git``: nothing that a repository names is run."""

_NO_DIFF_PROGRAMS = "--no-ext-diff --no-textconv --ignore-submodules=dirty"
_AFTER = {
    "annotate": "--no-textconv",
    "blame": "--no-textconv",
    "diff": _NO_DIFF_PROGRAMS,
    "diff-files": _NO_DIFF_PROGRAMS,
    "diff-index": _NO_DIFF_PROGRAMS,
    "diff-tree": _NO_DIFF_PROGRAMS,
    "grep": "--no-textconv",
    "log": _NO_DIFF_PROGRAMS,
    "show": _NO_DIFF_PROGRAMS,
    "stash show": _NO_DIFF_PROGRAMS,
    "status": "--ignore-submodules=dirty",
}
_SETTING = re.compile(
    r"(color\.[a-z.]+|core\.(quotepath|pager|abbrev)|log\.date|advice\.\w+)=(always|never|auto|false|true|cat|iso|short|\d+)",
    re.IGNORECASE,
)
_RUNS = re.compile(r"\[\s*(filter|include|hook)|\bworktree\s*=", re.IGNORECASE)
_SIGNED = re.compile(r"%G|signature", re.IGNORECASE)
_LISTING = frozenset({
    "-l",
    "--list",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
})
_PRIVATE = re.compile(
    r"^(http|credential|url|include)|extraheader|token|pass|secret|sendemail", re.IGNORECASE
)
_LARGEST = 200_000


def check_git(words: Sequence[Word], ground: Ground) -> list[tuple[int, int, str]]:
    """Holds a git command to one that reads; what to write in which place so that nothing is run.

    Raises:
        Doubt: It may change something, or the repository names programs that git would run.
    """
    edits = [(words[0].start, words[0].end, HARDENED)]
    cwds, at = _globals(words, ground)
    if at >= len(words):
        raise Doubt("ask.git", "git without a command")
    name, last = words[at].text, words[at]
    if at + 1 < len(words) and f"{name} {words[at + 1].text}" in READS:
        at += 1
        name, last = f"{name} {words[at].text}", words[at]
    line = READS.get(name)
    if line is None:
        raise Doubt("ask.git", f"git {name} is not known only to read")
    known = spec(line)
    match = sort_out(f"git {name}", known, words[at + 1 :])
    _check_values(match)
    if known.operands in {"PATHS", "PATTERN"}:
        _check_operands(match, cwds, ground)
    for check in known.checks:
        _CHECKS[check](name, match)
    for cwd in cwds:
        if cwd not in ground.repositories:
            _check_repository(cwd, ground.places)
            ground.repositories.add(cwd)
    if name in _AFTER:
        if not last.end:
            raise Doubt("ask.git", "the command of git is not written plainly")
        edits.append((last.end, last.end, f" {_AFTER[name]}"))
    return edits


def _globals(words: Sequence[Word], ground: Ground) -> tuple[tuple[Path, ...], int]:
    cwds, at = ground.cwds, 1
    while at < len(words) and words[at].text.startswith("-"):
        option = words[at].text
        value = words[at + 1] if at + 1 < len(words) else Word(text="")
        if option == "-C" and not value.is_pattern and not value.is_home:
            ground.check([value])
            cwds = tuple(real(cwd / value.text) for cwd in cwds)
            if not all(map(ground.places.is_readable, cwds)):
                raise Doubt("ask.outside", f"{value.text} is outside the workspace")
            at += 2
        elif option == "-c" and _SETTING.fullmatch(value.text):
            at += 2
        elif option in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}:
            at += 1
        elif option in {"--help", "--version", "-v"} and at + 1 == len(words):
            break
        else:
            raise Doubt("ask.option", f"the option {option} of git is not known to be harmless")
    return cwds, at


def _check_values(match: Match) -> None:
    for option, values in match.given.items():
        for value in values:
            if _SIGNED.search(value) and option in {"--format", "--pretty", "--sort"}:
                raise Doubt(
                    "ask.git", "the format asks for signatures, which another program checks"
                )
            if value.startswith(("/", "..")) and option not in {"-S", "-G", "-L", "--grep", "-e"}:
                raise Doubt("ask.option", f"{option} {value} of git is not known to be harmless")
            if option == "-L" and is_secret_name(value.rpartition(":")[2]):
                raise Doubt("ask.secret", f"{value} may hold keys")
            if option == "--submodule" and value not in {"short", "log"}:
                raise Doubt("ask.git", "the differences of submodules are shown by another git")


def _check_operands(match: Match, cwds: tuple[Path, ...], ground: Ground) -> None:
    own = Ground(cwds[0], ground.places)
    own.cwds = cwds
    own.check(match.paths)
    for word in match.paths:
        pieces = word.text.split(":")
        if any(is_secret_name(piece) for piece in pieces if piece):
            raise Doubt("ask.secret", f"{word.text} may hold keys")


def _one(name: str, match: Match) -> None:
    if len(match.operands) > 1:
        raise Doubt("ask.git", f"git {name} with {len(match.operands)} words sets something")


def _lists(name: str, match: Match) -> None:
    """With a name alone, branch and tag make one."""
    if match.operands and not match.given.keys() & _LISTING:
        raise Doubt("ask.git", f"git {name} with a name may make one; use --list")


def _reflog(name: str, match: Match) -> None:
    if match.operands and match.operands[0].text in {"expire", "delete", "drop", "write"}:
        raise Doubt("ask.git", f"git {name} {match.operands[0].text} changes what is remembered")


def _key(name: str, match: Match) -> None:
    if not match.operands or any(_PRIVATE.search(word.text) for word in match.operands):
        raise Doubt("ask.secret", f"git {name} may show keys")


_CHECKS: dict[str, Callable[[str, Match], None]] = {
    "git_branch": _lists,
    "git_key": _key,
    "git_reflog": _reflog,
    "git_tag": _lists,
    "one": _one,
}


def _check_repository(cwd: Path, places: Places) -> None:
    """Holds the repository's settings to name no filter and no further file, which no option undoes."""
    for folder in (cwd, *cwd.parents):
        own = folder / ".git"
        if os.path.lexists(own):
            if not places.is_readable(folder):
                raise Doubt("ask.outside", f"the repository {folder} is outside the workspace")
            if own.is_dir() and not _is_whole(own):
                raise Doubt("ask.repository", f"{own} is no repository, so git looks further up")
            for file in repository_settings(own):
                _check_settings(file)
            return
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            raise Doubt(
                "ask.repository",
                f"{folder} looks like a bare repository, whose settings may run programs",
            )


def _is_whole(own: Path) -> bool:
    """Whether git takes the folder for a repository; otherwise it goes on to the folders above."""
    head = _text(own / "HEAD")
    is_head = re.fullmatch(r"ref: refs/[^\s\ufffd]+\n?|[0-9a-f]{40}(?:[0-9a-f]{24})?\n?", head)
    folders = (own / "objects", own / "refs")
    return is_head is not None and all(
        each.is_dir() and os.access(each, os.X_OK) for each in folders
    )


def repository_settings(own: Path) -> list[Path]:
    """The files of settings of a repository, by its ``.git``.

    Raises:
        Doubt: It does not say where they are.
    """
    folder = own
    if own.is_file():
        said = re.fullmatch(r"gitdir: ([^\r\n\ufffd]+)\n?", _text(own))
        if said is None:
            raise Doubt("ask.repository", f"{own} does not say where the repository is")
        folder = own.parent / said.group(1)
    folders = [folder]
    if os.path.lexists(folder / "commondir"):
        said = re.fullmatch(r"([^\r\n\ufffd]+)\n?", _text(folder / "commondir"))
        if said is None:
            raise Doubt("ask.repository", f"{folder} does not say where it has its settings")
        folders.append(folder / said.group(1))
    return [each / name for each in folders for name in ("config", "config.worktree")]


def _check_settings(file: Path) -> None:
    if not os.path.lexists(file):
        return
    found = _RUNS.search(_text(file))
    if found:
        raise Doubt(
            "ask.repository",
            f"the repository's settings ({file}) have {found.group().strip('[ =')}, which may run programs or read elsewhere",
        )


def _text(file: Path) -> str:
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            raise Doubt("ask.repository", f"{file} cannot be read")
        return file.read_text("utf-8", errors="replace")
    except OSError as error:
        raise Doubt("ask.repository", f"{file} cannot be read") from error
