"""Shell text in the form that rules are compared with.

``simple`` is set only for one plain command, ``opaque`` whenever a command may run that cannot be
seen in the text. Wrappers and shells are unwrapped; what an unknown program runs is not known.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from ouroboros.safety.commands.scanner import Budget, Draft, Reader
from ouroboros.safety.commands.tables.runners import INTERPRETERS, KNOWN, QUOTES, RUNNERS

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./-]*")
_LOADER = re.compile(
    r"(BASH_ENV|ENV|PS4|PROMPT_COMMAND|LD_\w+|PAGER|LESSOPEN|EDITOR"
    r"|GIT_(SSH|PAGER|EXTERNAL|CONFIG|EDITOR|SEQUENCE|ASKPASS|PROXY)\w*)="
)
_STREAM = re.compile(r"/dev/(stdin|fd/)|/proc/")

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
    "select",
    "in",
    "case",
    "esac",
])
SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su", "rbash"])
_TAKES_SCRIPT = SHELLS | frozenset([
    "at",
    "batch",
    "entr",
    "flock",
    "parallel",
    "runuser",
    "screen",
    "script",
    "sg",
    "ssh",
    "tmux",
    "trap",
    "watch",
])
_TAKES_MORE = frozenset(["xargs", "parallel", "find", "fd", "fdfind"])
_WRAPPERS = (
    _TAKES_SCRIPT
    | _TAKES_MORE
    | frozenset([
        "builtin",
        "busybox",
        "bwrap",
        "chroot",
        "chronic",
        "chrt",
        "command",
        "coproc",
        "doas",
        "env",
        "eval",
        "exec",
        "fakeroot",
        "firejail",
        "function",
        "gosu",
        "hyperfine",
        "ifne",
        "ionice",
        "ltrace",
        "nice",
        "nohup",
        "nsenter",
        "perf",
        "pkexec",
        "prlimit",
        "proot",
        "rlwrap",
        "setarch",
        "setpriv",
        "setsid",
        "stdbuf",
        "strace",
        "su-exec",
        "sudo",
        "systemd-run",
        "taskset",
        "time",
        "timeout",
        "toybox",
        "unbuffer",
        "unshare",
        "valgrind",
        "xvfb-run",
    ])
)
_WRAPPED_WORDS = 64
"""A wrapper's own options end before; a longer one hides what it runs."""

_RUNNING = {
    "git": r"-c[^=]*=|[\w.-]+=|--(config-e|exec|ext-|textc|upload-|receive-|open)|bisect$|foreach$",
    "hash": r"-p",
    "mapfile": r"-C",
    "readarray": r"-C",
    "rg": r"--pre(=|$)|--hostname-bin|-z|--search-zip",
    "rsync": r"-[a-zA-Z]*e|--rsh|--rsync-p",
    "sort": r"--compress-p",
    "tar": r"-I|-[a-zA-Z]*F|--(to-c|checkpoint-a|use-c|rsh|info-s|new-vol)|(--file=)?[\w.@-]+:",
    "zip": r"-[a-zA-Z]*TT|--unz",
}
"""Options by which a program runs another one."""

_WRITING = {
    "fd": r"-x|-X|--exec",
    "fdfind": r"-x|-X|--exec",
    "find": r"-(exec|ok|delete|fprint|fls)",
    "git": r"--outp",
    "sort": r"-[a-zA-Z]*o|--o",
    "tree": r"-o",
}
"""Options by which a program that looks around changes something or hands its findings on."""

_TOKENS = re.compile(r"[\s\"'`(){}\[\];!|&:=,<>]+")
_LONGEST_MENTION = 20_000
_MOST_BEFORE = 4
"""So many values of a runner's options may stand before the words that make it run something."""

_LONG_FLAGS = {
    "--all": "-a",
    "--delete": "-d",
    "--force": "-f",
    "--no-verify": "-n",
    "--recursive": "-r",
    "--verbose": "-v",
}


class Command(Struct, frozen=True, kw_only=True):
    """One simple command: its words without quotes, assignments and redirections.

    Attributes:
        loose: Which words the shell may change: variables, patterns, braces.
        feeds: Texts it reads on its standard input.
        is_open: It gets more words from elsewhere.
    """

    words: tuple[str, ...]
    loose: tuple[bool, ...] = ()
    feeds: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return self.words[0].rpartition("/")[2]

    def after(self, start: int) -> "Command":
        """The command without its first words."""
        words, loose = self.words[start:_WRAPPED_WORDS], self.loose[start:_WRAPPED_WORDS]
        return msgspec.structs.replace(self, words=words, loose=loose)


class Reading(Struct, frozen=True, kw_only=True):
    """What shell text says.

    Attributes:
        commands: Every command that can be seen in it, also those handed to wrappers and shells.
        simple: The words, when the text is one plain command and nothing else.
        opaque: It may run something that cannot be seen.
        cut: There was more in it than is read.
    """

    commands: tuple[Command, ...]
    simple: tuple[str, ...] | None
    opaque: bool
    cut: bool = False


_HISTORY = frozenset({
    *("annotate", "apply", "archive", "bisect", "blame", "bundle", "cat-file", "checkout"),
    *(
        "cherry-pick",
        "diff",
        "diff-files",
        "diff-index",
        "diff-tree",
        "difftool",
        "fast-export",
        "format-patch",
    ),
    *("log", "merge", "pull", "range-diff", "read-tree", "rebase", "reset", "restore", "revert"),
    *("merge-tree", "unpack-file", "show", "stash", "switch", "whatchanged", "worktree"),
})
_NAMES_ONLY = frozenset({
    "--stat",
    "--name-only",
    "--name-status",
    "--shortstat",
    "--numstat",
    "-s",
})
_PATCHES = (
    *("-p", "-u", "-U", "--patch", "--unified", "--binary", "-c", "--cc", "-S", "-G", "-L"),
    *("--full-diff", "-W", "--function-context", "--word-diff", "--color-words", "--remerge-diff"),
)
GIT_OPTIONS_WITH_VALUE = frozenset({
    *("-C", "-c", "--git-dir", "--work-tree", "--exec-path", "--namespace", "--super-prefix"),
    *("--config-env", "--attr-source"),
})


def reads_history(command: Command) -> bool:
    """Whether it is a git that may print, or write out, what it has stored of a file."""
    if command.name != "git":
        return False
    rest = list(command.words[1:])
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in GIT_OPTIONS_WITH_VALUE else rest[1:]
    if not rest:
        return False
    called, words = rest[0], rest[1:]
    is_patch = any(word.startswith(_PATCHES) for word in words)
    if called == "grep":
        return any(not word.startswith("-") for word in words[1:]) or "--cached" in words
    if called in {"log", "reflog"}:
        return is_patch
    if called == "status":
        return any(re.match(r"-\w*v|--verbose", word) for word in words)
    if called in {"checkout", "switch"}:
        return not {"-b", "-c", "--create"}.intersection(words)
    is_named = any(":" in word for word in words)
    is_summary = not _NAMES_ONLY.isdisjoint(words) and not is_patch and not is_named
    return called in _HISTORY and not is_summary


def read_shell(text: str) -> Reading:
    """Reads shell text; anything it does not understand makes it ``opaque``."""
    return _read(text, 0, set(), Budget())


def _read(text: str, depth: int, seen: set[str], budget: Budget) -> Reading:
    """A script that was ``seen`` is not read again: wrappers in wrappers would do it without end."""
    stripped = text.strip(" \t\n")
    # A line end after a backslash is no line end.
    reader = Reader(text if stripped.endswith("\\") else stripped, budget=budget)
    reader.read()
    commands: list[Command] = []
    opaque, cut = reader.is_opaque or _ODD.search(text) is not None, reader.is_cut
    for draft in reader.commands:
        own, hidden = _peeled(draft)
        commands.extend(own)
        opaque = opaque or hidden
    for script in dict.fromkeys(script for command in commands for script in _scripts(command)):
        if depth >= 4:
            return Reading(commands=tuple(commands), simple=None, opaque=True, cut=cut)
        if script in seen:
            continue
        seen.add(script)
        reading = _read(script, depth + 1, seen, budget)
        commands.extend(reading.commands)
        opaque, cut = opaque or reading.opaque, cut or reading.cut
    simple = None if opaque or not reader.is_plain else _simple(reader.commands)
    return Reading(commands=tuple(commands), simple=simple, opaque=opaque, cut=cut)


def denies(rule: tuple[str, ...], command: Command) -> bool:
    """Whether a command does at least what the rule's words say, whatever the order of flags."""
    if not _is_named(rule, command):
        return False
    wanted_flags, wanted = _sorted_out(rule[1:])
    flags, rest = _sorted_out(command.words[1:])
    given = iter(rest)
    return wanted_flags <= flags and all(
        any(_alike(word, candidate) for candidate in given) for word in wanted
    )


def may_deny(rule: tuple[str, ...], command: Command) -> bool:
    """Whether a command could do what the rule says once the shell has filled in its words."""
    is_unsure = command.is_open or any(command.loose[1:])
    return is_unsure and _is_named(rule, command)


def reaches(name: str, words: tuple[str, ...]) -> bool:
    """Whether options among the words make a program run another one, or write elsewhere."""
    own = name.rpartition("/")[2]
    return _has_option(_RUNNING, own, words) or _has_option(_WRITING, own, words)


def _has_option(table: dict[str, str], name: str, words: tuple[str, ...]) -> bool:
    if table is _RUNNING and name == "git" and _rewrites(words):
        return True
    options = table.get(name)
    return options is not None and any(re.match(options, word) for word in words)


def _rewrites(words: tuple[str, ...]) -> bool:
    """Whether git is to run a command on each commit that it goes through."""
    is_told = any(re.match(r"-[a-z]*x|--exec", word) for word in words)
    return "filter-branch" in words or ("rebase" in words and is_told)


def _is_named(rule: tuple[str, ...], command: Command) -> bool:
    if not rule or not command.words:
        return False
    return _alike(rule[0].rpartition("/")[2].lower(), command.name.lower())


def _alike(pattern: str, word: str) -> bool:
    if "*" not in pattern:
        return pattern == word or _path(pattern) == _path(word)
    expression = ".*".join(re.escape(piece) for piece in pattern.split("*"))
    return re.fullmatch(expression, word, re.DOTALL) is not None


def _path(word: str) -> str:
    """A word that looks like a path in its shortest spelling."""
    return re.sub(r"^//+", "/", posixpath.normpath(word)) if "/" in word else word


def _simple(drafts: list[Draft]) -> tuple[str, ...] | None:
    if len(drafts) != 1:
        return None
    words = tuple(drafts[0].words)
    name = words[0].rpartition("/")[2]
    if name in _KEYWORDS or _ASSIGNMENT.match(words[0]):
        return None
    return None if name in _WRAPPERS - _TAKES_MORE | {"xargs", "parallel"} else words


def _peeled(draft: Draft) -> tuple[list[Command], bool]:
    """The command without keywords and assignments, what its wrappers run, and whether it hides."""
    start = 0
    while start < len(draft.words) and (
        draft.words[start] in _KEYWORDS or _ASSIGNMENT.match(draft.words[start])
    ):
        start += 1
    if start == len(draft.words):
        return [], False
    command = Command(
        words=tuple(draft.words[start:]),
        loose=tuple(draft.loose[start:]),
        feeds=tuple(draft.feeds),
    )
    found = [command]
    found += map(command.after, _given(command.words))
    hidden = _is_hiding(command) or any(_LOADER.match(word) for word in draft.words)
    if command.name in _WRAPPERS:
        hidden = hidden or any(command.loose) or len(command.words) > _WRAPPED_WORDS
        is_open = command.name in _TAKES_MORE
        hidden = hidden or (is_open and any("{}" in word and " " in word for word in command.words))
        for start in range(1, min(len(command.words), _WRAPPED_WORDS)):
            inner = msgspec.structs.replace(command.after(start), is_open=is_open)
            found.append(inner)
            hidden = hidden or _is_hiding(inner)
    return found, hidden


def runner_start(words: Sequence[str]) -> int | None:
    """Where the command may begin that a runner such as ``uv run`` is given; None for other programs."""
    called = RUNNERS.get(words[0].rpartition("/")[2])
    if called is None:
        return None
    plain = [(at, word) for at, word in enumerate(words[1:], 1) if not word.startswith("-")]
    plain = plain[:_WRAPPED_WORDS]
    for wanted in called:
        parts = wanted.split()
        if wanted.startswith("-"):
            if wanted in words:
                return list(words).index(wanted) + 1
        elif not parts:
            return 1
        for begin in range(
            min(len(plain), _MOST_BEFORE)
        ):  # values of its own options may come first
            if [word for _, word in plain[begin : begin + len(parts)]] == parts:
                return plain[begin + len(parts) - 1][0] + 1
    return None


def _given(words: Sequence[str]) -> Iterator[int]:
    """Where a command may begin in what a runner is given: behind its options, and what it runs it in."""
    begin, most = runner_start(words), min(len(words), _WRAPPED_WORDS)
    for at in range(begin if begin is not None else most, most):
        if words[at].startswith("-"):
            continue
        yield at
        before = words[at - 1]
        if not before.startswith("-") or before == "--":  # else it may be an option's value
            if before != "--" and at + 1 < most and not words[at + 1].startswith("-"):
                yield at + 1
            return


def mentioned(command: Command) -> Iterator[Command]:
    """Commands that a program whose ways are not known may be told to run by these words."""
    name = command.name
    if name in QUOTES:
        return
    is_unknown = "/" in command.words[0] or name not in KNOWN
    for start in range(1, min(len(command.words), _WRAPPED_WORDS)) if is_unknown else ():
        yield command.after(start)
    for word in command.words[1:_WRAPPED_WORDS]:
        if len(word) > _LONGEST_MENTION or _PLAIN_WORD.fullmatch(word):
            continue
        if is_unknown:
            yield from _read(word, 3, set(), Budget()).commands
        if is_unknown or name in INTERPRETERS or runner_start(command.words) is not None:
            tokens = tuple(token for token in _TOKENS.split(word) if token)
            for start in range(min(len(tokens), _WRAPPED_WORDS)):
                yield Command(words=tokens[start : start + _WRAPPED_WORDS])


def _is_hiding(command: Command) -> bool:
    """Whether what a command runs cannot be seen in its words."""
    name, words = command.name, command.words[1:]
    if command.loose[0] or name in {"eval", "alias", "enable"}:
        return True
    if name in SHELLS:
        is_bare = all(word.startswith("-") for word in words) and not command.feeds
        return is_bare or any(command.loose) or any(_STREAM.match(word) for word in words)
    if name in {".", "source"}:
        return any(command.loose) or any(_STREAM.match(word) for word in words)
    return _has_option(_RUNNING, name, words)


def _scripts(command: Command) -> Iterator[str]:
    """Arguments that a shell would read as shell text."""
    name, words = command.name, command.words[1:]
    if name == "eval":
        yield " ".join(words)
    elif name == "env":
        yield from (re.sub(r"^(-\w*S|--s[a-z-]*=?)", "", word) for word in words if " " in word)
    elif name in _TAKES_SCRIPT:
        yield from (word for word in words if not _PLAIN_WORD.fullmatch(word))
        yield from command.feeds


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
