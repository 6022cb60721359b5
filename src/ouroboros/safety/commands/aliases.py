"""What git runs for a name that is no command of its own: aliases of the person's and of repositories.

Read without starting git. Where a condition decides whether a file counts, it counts: a rule that
denies must not depend on it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from ouroboros.safety.commands.git import repository_settings
from ouroboros.safety.commands.reading import GIT_OPTIONS_WITH_VALUE, Command, Reading, read_shell
from ouroboros.safety.commands.tables.git import BUILTINS
from ouroboros.safety.commands.verdict import Doubt

_LARGEST = 1_000_000
_DEEPEST_INCLUDE, _DEEPEST_ALIAS, _MOST = 10, 10, 64
_SYSTEM = ("/etc/gitconfig", "/usr/etc/gitconfig", "/usr/local/etc/gitconfig")
_HOMEBREW = "/opt/homebrew/etc/gitconfig"
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*(=?)[ \t]*")
_STEERED = re.compile(r"\b(HOME|XDG_CONFIG_HOME|GIT_\w+)\s*=|\bgit\b.*\bconfig\b")
"""Words that make git read other settings than those that are found here."""


_NO_GUESS = frozenset({"", "0", "never", "show", "false", "off", "no"})
_GUESSES = " "
"""Stands among the aliases where git runs a command whose name is like one that there is none of."""


class _AliasesUnreadable(Exception):
    """A file of settings that is too large, broken, or kept from us."""


class Aliases:
    """The aliases that may count in a folder; a file is read again once it has changed."""

    def __init__(self, person: Path | None, environment: Mapping[str, str] | None = None) -> None:
        """``person`` is the home folder; ``environment`` may name other files."""
        given = environment or {}
        own = [Path(given["GIT_CONFIG_GLOBAL"])] if given.get("GIT_CONFIG_GLOBAL") else []
        if person is not None:
            own += [person / ".gitconfig", person / ".config" / "git" / "config"]
        if given.get("XDG_CONFIG_HOME"):
            own.append(Path(given["XDG_CONFIG_HOME"]) / "git" / "config")
        system = [given["GIT_CONFIG_SYSTEM"]] if given.get("GIT_CONFIG_SYSTEM") else []
        self._person = person
        self._files = [*map(Path, (*system, *_SYSTEM, _HOMEBREW)), *own]
        self._read: dict[Path, tuple[tuple[int, ...], list[tuple[str, str]]]] = {}

    def of(self, folder: Path) -> dict[str, tuple[str, ...]] | None:
        """What each alias may stand for, by its name in small letters; None where that cannot be read."""
        found: dict[str, tuple[str, ...]] = {}
        try:
            for file in (*self._files, *_own_files(folder)):
                for name, value in self._aliases(file, 0):
                    found[name] = (*found.get(name, ()), value)
        except (_AliasesUnreadable, Doubt):
            return None
        return found

    def _aliases(self, file: Path, depth: int) -> Iterator[tuple[str, str]]:
        if depth > _DEEPEST_INCLUDE:
            raise _AliasesUnreadable
        for key, value in self._entries(file):
            section, _, rest = key.partition(".")
            if section == "alias":
                yield rest.removesuffix(".command").lower(), value
            elif key == "help.autocorrect" and value.lower() not in _NO_GUESS:
                yield _GUESSES, value
            elif section in {"include", "includeif"} and rest.rpartition(".")[2] == "path":
                yield from self._aliases(self._included(file, value), depth + 1)

    def _included(self, file: Path, value: str) -> Path:
        if not value.startswith("~"):
            return file.parent / value
        if self._person is None or not value.startswith("~/"):
            raise _AliasesUnreadable
        return self._person / value[2:]

    def _entries(self, file: Path) -> list[tuple[str, str]]:
        try:
            about = file.stat()
            identity = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            if self._read.get(file, ((), []))[0] != identity:
                if about.st_size > _LARGEST or not file.is_file():
                    raise _AliasesUnreadable
                text = file.read_text("utf-8", errors="surrogateescape")
                self._read[file] = (identity, list(_settings_of(text)))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as problem:
            raise _AliasesUnreadable from problem
        return self._read[file][1]


def _own_files(folder: Path) -> list[Path]:
    """The settings of the repository in which a folder lies, of a bare one too."""
    for each in (folder, *folder.parents):
        own = each / ".git"
        if own.is_dir() or own.is_file():
            return repository_settings(own)
        if (each / "HEAD").is_file() and (each / "objects").is_dir():
            return repository_settings(each)
    return []


def _settings_of(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of a file in git's form; the value of a name alone is ``true``."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    section, at = "", 0
    while at < len(text):
        if text[at] in " \t\n":
            at += 1
        elif text[at] in "#;":
            at = _line_end(text, at)
        elif found := _SECTION.match(text, at):
            name, sub = found.groups()
            own = "" if sub is None else "." + re.sub(r"\\(.)", r"\1", sub)
            section, at = name.lower() + own, found.end()
        elif section and (found := _KEY.match(text, at)):
            value, at = _value(text, found.end()) if found.group(2) else ("true", found.end())
            yield f"{section}.{found.group(1).lower()}", value
        else:
            raise _AliasesUnreadable


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}


def _value(text: str, at: int) -> tuple[str, int]:
    found: list[str] = []
    is_quoted, last = False, 0
    while at < len(text) and text[at] != "\n":
        each = text[at]
        if each in "#;" and not is_quoted:
            at = _line_end(text, at)
            break
        if each == "\\":
            if text[at + 1 : at + 2] not in _ESCAPES:
                raise _AliasesUnreadable
            found.append(_ESCAPES[text[at + 1]])
            at += 1
        elif each == '"':
            is_quoted = not is_quoted
        else:
            found.append(each)
        if is_quoted or each not in " \t":
            last = len(found)
        at += 1
    if is_quoted:
        raise _AliasesUnreadable
    return "".join(found[:last]), at


class Expanded(msgspec.Struct, frozen=True, kw_only=True):
    """A reading with what its aliases stand for, and that as shell text."""

    reading: Reading
    texts: tuple[str, ...] = ()


def expand(reading: Reading, text: str, folder: Path, aliases: Aliases) -> Expanded:
    """Adds what git would run for each of its commands that is an alias, or may be one."""
    if not any(_called(command) for command in reading.commands):
        return Expanded(reading=reading)
    work = _Expansion(aliases, folder, reading.commands, is_steered=bool(_STEERED.search(text)))
    for command in reading.commands:
        work.expand(command, 0)
    simple = None if work.runs_shell else reading.simple
    grown = msgspec.structs.replace(
        reading,
        commands=(*reading.commands, *work.commands),
        simple=simple,
        opaque=reading.opaque or work.is_hidden,
    )
    return Expanded(reading=grown, texts=tuple(work.texts))


class _Expansion:
    """Aliases of aliases, each once."""

    def __init__(
        self, aliases: Aliases, folder: Path, commands: Sequence[Command], *, is_steered: bool
    ) -> None:
        self._aliases = aliases
        self._folders, self._is_steered = [folder], is_steered
        for command in commands:
            if command.name in {"cd", "pushd"} and len(command.words) > 1:
                self._folders += [each / command.words[1] for each in self._folders[:8]]
                self._is_steered = self._is_steered or any(command.loose[1:])
        self.commands: list[Command] = []
        self.texts: list[str] = []
        self.is_hidden = self.runs_shell = self._guesses = False

    def expand(self, command: Command, depth: int) -> None:
        """Adds what stands for this command; too much of it is hidden."""
        at = _called(command)
        if not at:
            return
        if depth > _DEEPEST_ALIAS or len(self.texts) >= _MOST:
            self.is_hidden = True
            return
        options, name, rest = command.words[1:at], command.words[at], command.words[at + 1 :]
        values = self._values(options, name.lower())
        if values is None or (
            not values and (self._is_steered or self._guesses or _changes_settings(options))
        ):
            self.is_hidden = True
        for value in dict.fromkeys(values or ()):
            self._stand_in(command, (options, value, rest), depth)

    def _values(self, options: Sequence[str], name: str) -> list[str] | None:
        """What a name may stand for; None where that cannot be known."""
        moved = [Path(after) for word, after in pairwise(options) if word == "-C"]
        found = [
            value
            for word, after in pairwise(options)
            if word == "-c"
            for key, _, value in [after.partition("=")]
            if key.lower().removesuffix(".command") == f"alias.{name}"
        ]
        for folder in self._folders:
            known = self._aliases.of(folder.joinpath(*moved))
            if known is None:
                return None
            found += known.get(name, ())
            self._guesses = self._guesses or _GUESSES in known
        return found

    def _stand_in(
        self, command: Command, parts: tuple[Sequence[str], str, Sequence[str]], depth: int
    ) -> None:
        options, value, rest = parts
        if value.startswith("!"):
            self.runs_shell = True
            text = f"{value[1:]} {shlex.join(rest)}".strip()
            inner = read_shell(text)
            self.is_hidden = self.is_hidden or inner.opaque
            added = inner.commands
        else:
            try:
                words = (command.words[0], *options, *shlex.split(value), *rest)
            except ValueError:
                self.is_hidden = True
                return
            text = shlex.join(words)
            added = (Command(words=words, loose=(False,) * len(words), is_open=command.is_open),)
        if text in self.texts:
            return
        self.texts.append(text)
        self.commands += added
        for each in added:
            self.expand(each, depth + 1)


def _called(command: Command) -> int:
    """Where a git command names what may be an alias; 0 where it names a command, or none."""
    if command.name not in {"git", "git.exe"}:
        return 0
    at, words = 1, command.words
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in GIT_OPTIONS_WITH_VALUE else 1
    return at if at < len(words) and words[at] not in BUILTINS else 0


def _changes_settings(options: Sequence[str]) -> bool:
    return any(
        word.startswith(("-c", "--config-env", "--git-dir", "--exec-path")) for word in options
    )
