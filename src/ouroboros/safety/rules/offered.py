"""What a yes may be remembered as: this very thing, and wider rules that a person may choose."""

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from ouroboros.safety.commands.harm import is_harmful_name
from ouroboros.safety.commands.outward import sends
from ouroboros.safety.commands.reading import reaches, read_shell, runner_start
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import address, origin_of
from ouroboros.safety.paths import Places
from ouroboros.safety.policy.amendments import BANNED
from ouroboros.safety.rules.values import GRANT, WEB, Intent

CONTACT = "network"
"""What a connection of a command counts as, in rules and questions."""

_MOST = 4
_WORD = re.compile(r"[a-z][\w-]*")
_CHECKERS = frozenset({
    *("pytest", "py.test", "mypy", "pyright", "flake8", "black", "isort", "pylint", "tox", "nox"),
    *("eslint", "tsc", "prettier", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest"),
    "shellcheck",
})
"""Programs without sub-commands: whatever word follows is what they work on."""

_TELLING = frozenset({
    *("apt", "apt-get", "brew", "bun", "bundle", "cargo", "composer", "conda", "deno", "docker"),
    *("dotnet", "git", "go", "gradle", "hatch", "helm", "invoke", "just", "kubectl", "make", "mix"),
    *("mvn", "nerdctl", "npm", "pdm", "pip", "pnpm", "podman", "poetry", "rake", "rye"),
    *("swift", "systemctl", "task", "terraform", "uv", "yarn"),
})
"""Programs that do nothing, or all they can, without a word that says what to do."""

_PYTHONS = frozenset({"python", "pypy"})
_GIT_WORDS = frozenset({
    *("add", "apply", "blame", "branch", "cherry-pick", "commit", "diff", "log", "merge", "mv"),
    *("revert", "show", "stash", "status", "switch", "tag"),
})
"""Of the others some run programs that an option names, reach other places, or drop what is not committed."""

_ANYTHING = frozenset({
    *(
        "awk",
        "bpython",
        "bun",
        "cc",
        "clang",
        "clang++",
        "clisp",
        "clojure",
        "cmake",
        "deno",
        "ed",
        "elixir",
    ),
    *(
        "emacs",
        "erl",
        "ex",
        "expect",
        "g++",
        "gawk",
        "gcc",
        "gdb",
        "ghci",
        "groovy",
        "guile",
        "ipython",
    ),
    *(
        "java",
        "jshell",
        "julia",
        "lldb",
        "lua",
        "luajit",
        "m4",
        "mawk",
        "nano",
        "nawk",
        "node",
        "nodejs",
    ),
    *(
        "nvim",
        "octave",
        "osascript",
        "pdb",
        "perl",
        "php",
        "pypy",
        "python",
        "qemu",
        "r",
        "racket",
        "rscript",
    ),
    *(
        "ruby",
        "sbcl",
        "scala",
        "script",
        "sqlite3",
        "swipl",
        "tclsh",
        "ts-node",
        "tsx",
        "vi",
        "vim",
        "wasmtime",
    ),
    *("wine", "wish"),
})
"""Interpreters, editors, debuggers and compilers: an option more, and they run any code."""

_OF_FILES = frozenset({
    *(
        "cpio",
        "install",
        "link",
        "mkdir",
        "mkfifo",
        "mktemp",
        "patch",
        "rename",
        "rsync",
        "split",
        "symlink",
    ),
    *("tar", "touch", "unzip", "zip"),
})
"""What they are given is a file, and the next one may be any."""

_VERSION = re.compile(r"-?\d[\d.]*$")
_SCRIPT = re.compile(r"[\w./-]*\w\.(py|js|mjs|cjs|ts|rb|php)")


def grant_for(intent: Intent) -> str:
    """The narrowest rule that a remembered yes adds: this very command, or these very paths."""
    if intent.kind == "execute":
        # The same words in another folder are another command.
        is_here = intent.command and intent.folder is None
        return f"{intent.tool}({intent.command})" if is_here else ""
    if intent.kind in {"read", "write"} and len(intent.paths) == 1:
        text = str(intent.paths[0])
        return "" if re.search(r"[*?]", text) else f"{intent.tool}(/{text})"
    if intent.kind == GRANT:
        return ""
    if intent.kind in WEB:
        origin = origin_of(intent.url)
        name = "browser" if intent.kind == "origin" else intent.risk or intent.tool
        return f"{name}({origin}/*)" if origin else ""
    return "" if intent.paths else f"{intent.tool}"


def remembered(intent: Intent, verdict: Verdict | None) -> tuple[str, ...]:
    """Rules for a settings file that allow this very thing; none where lines could not say it safely."""
    match intent.kind:
        case "execute":
            return tuple(f"{intent.tool}({shlex.join(words)})" for words in _parts(verdict))
        case "origin":
            return ()
        case _:
            return tuple(filter(None, (grant_for(intent),)))


def wider(intent: Intent, verdict: Verdict | None) -> tuple[str, ...]:
    """Rules that allow more: what begins alike, a whole folder, a host by any address."""
    match intent.kind:
        case "execute":
            parts = [words for words in _parts(verdict) if not reaches(words[0], words[1:])]
            return tuple(dict.fromkeys(filter(None, (_beginning(intent, each) for each in parts))))
        case "read" | "write" if len(intent.paths) == 1:
            folder = intent.paths[0].parent
            is_plain = not re.search(r"[*?]", str(folder)) and folder.parent != folder
            return (f"{intent.tool}(/{folder}/**)",) if is_plain else ()
        case "fetch":
            read = address(intent.url)
            return (f"{intent.tool}(domain:{read.host})",) if read and read.host else ()
        case _:
            return ()


def always(intent: Intent, verdict: Verdict | None, places: Places) -> tuple[str, ...]:
    """What a yes for the session offers where more than this very thing is meant by it.

    A command by its beginning, edits by the folder that holds them; nothing where that could let through much else.
    """
    match intent.kind:
        case "execute" if verdict is not None and (
            intent.folder is None or places.is_inside(intent.folder)
        ):
            return _beginnings(intent, verdict)
        case "write" if intent.paths:
            paths = intent.paths
            if any(places.protected_by(path) or not places.is_inside(path) for path in paths):
                return ()
            folder = os.path.commonpath([path.parent for path in paths])
            is_plain = not re.search(r"[*?\[\]{}]", folder) and folder != "/"
            return (
                (f"{intent.tool}(/{folder}/**)",)
                if is_plain and places.is_inside(Path(folder))
                else ()
            )
        case _:
            return ()


def _beginnings(intent: Intent, verdict: Verdict) -> tuple[str, ...]:
    """A rule for each part that needs one; none where a part publishes or cannot be said."""
    if verdict.pushes or not _parts(verdict):
        return ()
    parts = tuple(zip(verdict.parts or (), verdict.kinds, strict=True))
    moves = any(words[0] == "cd" for words, _ in parts)
    needed = [words for words, kind in parts if words[0] != "cd" and (moves or kind != "safe")]
    found = [(words, beginning(words)) for words in needed]
    if not any(begun for _, begun in found):
        return ()
    rules = (
        f"{intent.tool}({shlex.join(begun)}:*)" if begun else f"{intent.tool}({shlex.join(words)})"
        for words, begun in found
    )
    return tuple(dict.fromkeys(rules))


def beginning(words: Sequence[str]) -> tuple[str, ...]:
    """A program, with what it is told to do where that is a word; empty where that lets through much else."""
    name, rest = _VERSION.sub("", words[0].rpartition("/")[2]), tuple(words[1:])
    if words[0].startswith("-") or reaches(words[0], rest):
        return ()
    start = runner_start(words)
    if start is not None:
        inner = beginning(words[start:]) if start < len(words) else ()
        is_plain = not any(word.startswith("-") for word in words[1:start])
        return (*words[:start], *inner) if inner and is_plain else ()
    if name in _PYTHONS and rest[:1] == ("-m",) and len(rest) > 1:
        inner = beginning(rest[1:])
        return (*words[:2], *inner) if inner else ()
    if rest and _SCRIPT.fullmatch(rest[0]) and name in {*_PYTHONS, "node", "ruby", "php"}:
        return tuple(words[:2])
    word = rest[0] if rest and _WORD.fullmatch(rest[0]) else ""
    has_word = bool(word)
    if name == "git":
        found = words[:2] if word in _GIT_WORDS else ()
    elif name in _TELLING:
        is_script = rest[:1] == ("run",) and len(rest) > 1 and _WORD.fullmatch(rest[1]) is not None
        is_told = has_word and (is_script or name not in _ANYTHING)
        found = words[: 3 if is_script else 2] if is_told else ()
    elif name in _CHECKERS:
        found = words[:1]
    elif is_harmful_name(name) or name.lower() in _ANYTHING or name in _OF_FILES or _sends(words):
        found = ()
    elif has_word:
        found = words[:2]
    else:
        # Of a program nobody knows the name alone says nothing, unless it is one of the project's scripts.
        found = words[:1] if "/" in words[0] and not words[0].startswith("/") else ()
    found = tuple(found)
    is_sayable = bool(found) and read_shell(shlex.join(found)).simple == found
    return found if is_sayable and found not in BANNED and _is_sayable(found) else ()


def _sends(words: Sequence[str]) -> bool:
    text = shlex.join(words)
    return sends(text, read_shell(text).commands)


def host_amendment(intent: Intent) -> tuple[str, ...]:
    """The host of a command's first contact, which a yes for good writes into the policy file."""
    if intent.kind != "fetch" or intent.tool != CONTACT:
        return ()
    read = address(intent.url)
    return (f"{read.scheme}://{read.host}",) if read and read.host else ()


def _parts(verdict: Verdict | None) -> tuple[tuple[str, ...], ...]:
    """The parts of a command that lines can speak of, all or none."""
    if verdict is None or verdict.parts is None or verdict.kind == "dangerous":
        return ()
    parts = tuple(words for words in verdict.parts if words[0] != "cd")
    return parts if len(parts) <= _MOST and all(map(_is_sayable, parts)) else ()


def _is_sayable(words: tuple[str, ...]) -> bool:
    text = shlex.join(words)
    is_pattern = text.endswith((":*", " *")) or ":" in text.partition(" ")[0]
    return not is_pattern and read_shell(text).simple is not None


def _beginning(intent: Intent, words: tuple[str, ...]) -> str:
    """A program with its sub-command, and whatever follows."""
    head = words[:2]
    if len(words) < 2 or not _WORD.fullmatch(words[1]) or head in BANNED:
        return ""
    return f"{intent.tool}({shlex.join(head)}:*)"
