"""The policy files of a session: found, read, and added to."""

import fcntl
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import sleep

from msgspec import Struct

from ouroboros.app.config import file as config_file
from ouroboros.app.config import trust
from ouroboros.app.config.layers import MANAGED
from ouroboros.core.errors import ConfigBroken, StoreFailed
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.evaluate import ByName, Policy

_PAUSE_SECONDS = 0.05
_PAUSES = 100
_LOST = "leads nowhere"


class Source(Struct, frozen=True, kw_only=True):
    """One policy file.

    Attributes:
        content: None where it is not trusted, so that it does not count.
        problem: Why there is none although there should be.
    """

    path: Path
    content: bytes | None
    problem: str = ""


def book(home: Path, cwd: Path) -> tuple[Book, list[str]]:
    """The policy that holds in ``cwd``, and what the person should know of it; blocking.

    Raises:
        ConfigBroken: A file cannot be read at all.
    """
    policy, warnings = joined(sources(home, cwd))
    return Book(policy, partial(append, home)), warnings


def sources(home: Path, cwd: Path, *, managed: Path = MANAGED) -> list[Source]:
    """Every policy file, the person's own first and the administrator's last; blocking."""
    own = [Source(path=path, content=_content(path)) for path in _rules(home / "rules")]
    project = trust.project_folder(cwd, home)
    folder = project / ".ouroboros" / "rules"
    own += [Source(path=path, content=None, problem=_LOST) for path in _dangling(folder)]
    if folder.is_dir():
        try:
            inert = trust.read(project, home)
        except ConfigBroken:  # the settings said it already, and nothing of the folder is used
            inert = trust.Inert(folder=project, files={})
        is_active = trust.standing(home, inert).active
        own += [
            Source(path=project / name, content=content if is_active else None)
            for name, content in sorted(inert.files.items())
            if name.endswith(".rules")
        ]
    above = [Source(path=path, content=_content(path)) for path in _rules(managed.parent / "rules")]
    return [*own, *above]


def joined(found: Iterable[Source]) -> tuple[Policy, list[str]]:
    """All files together; one that is not understood leaves no rule, and everything is asked."""
    policy, warnings = Policy(), list[str]()
    for source in found:
        if source.problem:
            warnings.append(f"{source.path} {source.problem}, so no rule of it counts")
        if source.content is None:
            continue
        try:
            policy = policy.joined(_read(source))
        except ConfigBroken as error:
            warnings.append(
                f"{error.message}; no policy file counts, and every command is asked about"
            )
            policy = policy.joined(Policy(broken=f"a policy file is broken: {error.message}"))
    return (Policy(broken=policy.broken) if policy.broken else policy), warnings


def checked(files: Sequence[Path], words: tuple[str, ...], *, by_name: bool) -> dict[str, object]:
    """What these files say of one command, in the form that codex prints.

    Raises:
        ConfigBroken: A file is not there, or is not understood.
    """
    policy = Policy()
    for path in files:
        content = config_file.read_bytes(path)
        if content is None:
            raise ConfigBroken(f"there is no file {str(path)!r}")
        policy = policy.joined(_read(Source(path=path, content=content)))
    way: ByName = "any" if by_name else "no"
    found = policy.evaluate([words], by_name=way)
    matched: list[dict[str, object]] = []
    for match in found.matched:
        shown: dict[str, object] = {"matchedPrefix": match.prefix, "decision": match.decision}
        shown |= {"resolvedProgram": match.program} if match.program else {}
        shown |= {"justification": match.justification} if match.justification else {}
        matched.append({"prefixRuleMatch": shown})
    told: dict[str, object] = {"matchedRules": matched}
    return told | ({"decision": found.decision} if found.decision else {})


def listed(policy: Policy) -> list[dict[str, str]]:
    """Every rule as what it decides, what it is about, why, and where it stands."""
    commands = [
        (rule.decision, " ".join("|".join(choice) for choice in rule.pattern), rule)
        for rule in policy.rules
    ]
    hosts = [(rule.decision, f"{rule.protocol}://{rule.host}", rule) for rule in policy.network]
    return [
        {
            "decision": decision,
            "about": about,
            "justification": rule.justification,
            "place": rule.place,
        }
        for decision, about, rule in (*commands, *hosts)
    ]


def append(home: Path, line: str) -> None:
    """Adds a line to the person's own ``default.rules``, once; blocking.

    Raises:
        StoreFailed: It cannot be written.
        ConfigBroken: What is there is no readable file.
    """
    folder = home / "rules"
    target = folder / "default.rules"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(folder):
            text = config_file.decode(target, config_file.read_bytes(target) or b"")
            if line in (each.strip() for each in text.splitlines()):
                return
            gap = "" if not text or text.endswith("\n") else "\n"
            config_file.write(target, f"{text}{gap}{line}\n")
    except OSError as error:
        raise StoreFailed(
            f"{target} cannot be written: {error.strerror}",
            hint="check the folder's owner, mode and free space",
        ) from error


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keeps other processes from adding meanwhile: between reading and replacing a line is lost."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for _ in range(_PAUSES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                sleep(_PAUSE_SECONDS)
        else:
            raise StoreFailed(f"{folder} is held by another process", hint="try again")
        yield
    finally:
        os.close(handle)


def _dangling(folder: Path) -> list[Path]:
    """What in a project's folder for policy files is a link to nowhere, or the folder itself."""
    try:
        places = [folder] if folder.is_symlink() else sorted(folder.glob("*.rules"))
    except OSError:  # whoever reads the folder says it
        return []
    return [path for path in places if path.is_symlink() and not path.exists()]


def _rules(folder: Path) -> list[Path]:
    """The policy files of a folder, in order."""
    if not folder.is_dir() and (folder.is_symlink() or folder.exists()):
        what = "it leads nowhere" if folder.is_symlink() else "it is no folder"
        raise ConfigBroken(f"{folder} cannot be read: {what}", hint="mend or remove it")
    try:
        return sorted(folder.glob("*.rules"))
    except OSError as error:
        raise ConfigBroken(
            f"{folder} cannot be read: {error.strerror}", hint="check its owner and mode"
        ) from error


def _content(path: Path) -> bytes:
    content = config_file.read_bytes(path)
    if content is None:
        raise ConfigBroken(f"{path} cannot be read: it leads nowhere", hint="remove it")
    return content


def _read(source: Source) -> Policy:
    from ouroboros.safety.policy.reading import policy_of  # most people have no policy file

    text = config_file.decode(source.path, source.content or b"")
    return policy_of(text, str(source.path))
