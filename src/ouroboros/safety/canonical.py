"""Shell text in the form that rules are compared with.

This reads a small part of the shell and is honest about the rest: ``simple`` is set only for one
plain command, ``opaque`` whenever a command may run that cannot be seen in the text.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_LEXEME = r"""
    (?P<space>[ \t]+|\\\n)
    |(?P<redirect>\d*(?:<<<|<<-?|<>|>>|>\||>&|<&|&>>|&>|>(?!\()|<(?!\()))
    |(?P<split>&&|\|\||\|&|[;|&\n()`]|[<>]\(|\$\()
    |(?P<ansi>\$'(?:\\.|[^'\\])*')
    |(?P<single>'[^']*')
    |(?P<double>\$?"(?:\\.|[^"\\])*")
    |(?P<escape>\\.)
    |(?P<plain>[^\s'"\\;&|<>()`$]+)
    |(?P<dollar>\$)
    """
_SUBSTITUTION = re.compile(r"(?<!\\)(?:\$\(|`)")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_KEYWORDS = frozenset([
    "!",
    "{",
    "}",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "while",
    "until",
    "do",
    "done",
    "for",
    "in",
])
_SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su", "rbash"])
_WRAPPERS = frozenset([
    "ash",
    "bash",
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "dash",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "find",
    "fish",
    "flock",
    "ionice",
    "ksh",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "proot",
    "rbash",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "trap",
    "unshare",
    "watch",
    "xargs",
    "zsh",
])
_LONG_FLAGS = {
    "--all": "-a",
    "--delete": "-d",
    "--force": "-f",
    "--no-verify": "-n",
    "--recursive": "-r",
    "--verbose": "-v",
}


class Command(Struct, frozen=True, kw_only=True):
    """One simple command: its words without quotes, assignments and redirections."""

    words: tuple[str, ...]
    dynamic: bool = False


class Reading(Struct, frozen=True, kw_only=True):
    """What shell text says.

    Attributes:
        commands: Every command that can be seen in it, also those handed to wrappers and shells.
        simple: The words, when the text is one plain command and nothing else.
        opaque: It may run something that cannot be seen.
    """

    commands: tuple[Command, ...]
    simple: tuple[str, ...] | None
    opaque: bool


class _Scan:
    """Walks over shell text once, collecting commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.nested: list[str] = []
        self.plain = True
        self.opaque = False
        self._words: list[str] = []
        self._word: str | None = None
        self._dynamic = False
        self._skip = False
        self._piped = False

    def run(self, text: str) -> None:
        position = 0
        token = re.compile(_LEXEME, re.VERBOSE | re.DOTALL)
        while position < len(text):
            found = token.match(text, position)
            if found is None:
                self.opaque, self.plain = True, False
                position += 1
                continue
            self._token(str(found.lastgroup), found.group())
            position = found.end()
        self._end_command("")

    def _token(self, kind: str, token: str) -> None:
        match kind:
            case "space":
                self._end_word()
            case "split":
                self._end_command(token)
                self.plain = False
            case "redirect":
                self._end_word()
                self._skip = True
                self.plain = False
            case "single":
                self._grow(token[1:-1])
            case "escape":
                self._grow(token[1:])
            case "double":
                self._grow_double(token.removeprefix("$")[1:-1])
            case "plain":
                self._grow(token)
                if token.startswith("#") and self._word == token:
                    self.plain = False
            case _:
                self._grow(token)
                self._dynamic, self.plain = True, False

    def _grow(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _grow_double(self, inner: str) -> None:
        self._grow(re.sub(r'\\(["$`\\\n])', r"\1", inner))
        if re.search(r"(?<!\\)[$`]", inner):
            self._dynamic, self.plain = True, False
            self.nested.extend(inner[found.end() :] for found in _SUBSTITUTION.finditer(inner))

    def _end_word(self) -> None:
        if self._word is not None and not self._skip:
            first = not self._words
            if first and (self._dynamic or _is_expanded(self._word)):
                self.opaque = True
            self._words.append(self._word)
        if self._word is not None:
            self._skip = False
        self._word, self._dynamic = None, False

    def _end_command(self, separator: str) -> None:
        self._end_word()
        if self._words:
            self.commands.append(Command(words=tuple(self._words), dynamic=self._piped))
        self._words, self._skip = [], False
        self._piped = separator in {"|", "|&"}


def read_shell(text: str, *, depth: int = 0) -> Reading:
    """Reads shell text; anything it does not understand makes it ``opaque``."""
    scan = _Scan()
    scan.run(text.strip(" \t\n"))
    commands: list[Command] = []
    opaque = scan.opaque or _ODD.search(text) is not None
    for command in scan.commands:
        own, hidden = _peeled(command)
        commands.extend(own)
        opaque = opaque or hidden
    inner = [*scan.nested, *(script for command in commands for script in _scripts(command))]
    for script in inner:
        if depth >= 4:
            return Reading(commands=tuple(commands), simple=None, opaque=True)
        reading = read_shell(script, depth=depth + 1)
        commands.extend(reading.commands)
        opaque = opaque or reading.opaque
    return Reading(commands=tuple(commands), simple=_simple(scan, opaque=opaque), opaque=opaque)


def denies(rule: tuple[str, ...], command: Command) -> bool:
    """Whether a command does at least what the rule's words say, whatever the order of flags."""
    if not rule or not command.words:
        return False
    if not _alike(rule[0], command.words[0].rpartition("/")[2]) and rule[0] != command.words[0]:
        return False
    wanted_flags, wanted = _sorted_out(rule[1:])
    flags, rest = _sorted_out(command.words[1:])
    given = iter(rest)
    return wanted_flags <= flags and all(
        any(_alike(word, candidate) for candidate in given) for word in wanted
    )


def _is_expanded(word: str) -> bool:
    """Whether the shell would make another name of a command's name."""
    return word not in {"[", "[["} and re.search(r"[*?\[]|\{.*(,|\.\.)", word) is not None


def _alike(pattern: str, word: str) -> bool:
    if "*" not in pattern:
        return pattern == word
    expression = ".*".join(re.escape(piece) for piece in pattern.split("*"))
    return re.fullmatch(expression, word, re.DOTALL) is not None


def _simple(scan: _Scan, *, opaque: bool) -> tuple[str, ...] | None:
    if opaque or not scan.plain or len(scan.commands) != 1:
        return None
    words = scan.commands[0].words
    name = words[0].rpartition("/")[2]
    if name in _KEYWORDS or _ASSIGNMENT.match(words[0]):
        return None
    if name in _WRAPPERS - {"find"} or any(word.startswith(("-exec", "-ok")) for word in words):
        return None
    return words


def _peeled(command: Command) -> tuple[list[Command], bool]:
    """The command without keywords and assignments, what its wrappers run, and whether it hides."""
    words = list(command.words)
    while words and (words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    if not words:
        return [], False
    name = words[0].rpartition("/")[2]
    found = [Command(words=tuple(words))]
    reads_script = name in _SHELLS and all(word.startswith("-") for word in words[1:])
    hidden = (reads_script and command.dynamic) or name == "eval" or words[0].startswith("$")
    if name in _WRAPPERS:
        hidden = hidden or any(word.startswith("$") for word in words)
        found.extend(Command(words=tuple(words[start:])) for start in range(1, len(words)))
    return found, hidden


def _scripts(command: Command) -> Iterator[str]:
    """Arguments that a shell would read as shell text."""
    name = command.words[0].rpartition("/")[2]
    if name == "eval":
        yield " ".join(command.words[1:])
    elif name in _SHELLS | {"trap", "watch", "ssh", "script"}:
        yield from (word for word in command.words[1:] if re.search(r"\s", word))


def _sorted_out(words: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    flags: set[str] = set()
    rest: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            rest.extend(words[number + 1 :])
            break
        if word.startswith("--"):
            flags.add(_short(word))
        elif word.startswith("-") and len(word) > 1:
            flags.update(f"-{letter}".replace("-R", "-r") for letter in word[1:])
        else:
            rest.append(word)
    return frozenset(flags), tuple(rest)


def _short(flag: str) -> str:
    """The short form of a long flag; long flags may be abbreviated."""
    for long, short in _LONG_FLAGS.items():
        if flag == long or (len(flag) > 4 and long.startswith(flag)):
            return short
    return flag
