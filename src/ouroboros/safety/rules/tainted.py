"""What text from outside may not lead to without a yes, whatever the mode.

Independent of any detector: it is enough that such text was read.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ouroboros.safety.commands.reading import Command, Reading, reaches
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import origin_of
from ouroboros.safety.paths import Places
from ouroboros.safety.rules.values import Around, Intent
from ouroboros.safety.steering import configures

_LOCAL = frozenset([
    "[",
    "basename",
    "cat",
    "cd",
    "chgrp",
    "chmod",
    "chown",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "find",
    "fold",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "jq",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "paste",
    "printf",
    "pwd",
    "realpath",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sleep",
    "sort",
    "stat",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "truncate",
    "uniq",
    "unzip",
    "wc",
    "which",
    "xz",
    "zip",
])
"""Programs that do no more than their words say, and of these none speaks to a network."""
_STARTED = frozenset({"shell", "exec_command"})
"""Tools of which each call starts a command, in a sandbox of its own."""

_LOCAL_GIT = frozenset({"branch", "init", "tag"})
"""What git does without a hook, an editor, a monitor of files, a filter or another machine."""
_SED = re.compile(
    r"s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIip0-9]*|[\d,$]*[dp]"
)
"""A script of sed that only edits: others may run a program (``e``)."""


def carried(
    intent: Intent,
    around: Around,
    places: Places,
    *,
    verdict: Verdict | None = None,
    reading: Reading | None = None,
    touched: Iterable[Path] = (),
    changing: Iterable[Path] = (),
) -> str:
    """What text from outside could bring about by this, as a clause; empty when nothing.

    Args:
        intent: What would be done.
        around: Whether the session has read such text, and what commands can reach.
        places: The workspace.
        verdict: What is known of a command.
        reading: What it runs, as far as that can be seen.
        touched: Paths that a command speaks of.
        changing: Those of them that parts speak of which do more than read.
    """
    if not around.outside.sources:
        return ""
    match intent.kind:
        case "none" | "look" | "act" | "origin" | "risk":
            return ""  # a browser's own taint asks about places
        case "fetch":
            known = around.outside.known.knows(intent.url)
            where = origin_of(intent.url) or intent.url[:80]
            return "" if known else f"this would carry data to {where}, a place nobody has named"
        case "read":
            return next((_secret(path) for path in intent.paths if places.may_hold_keys(path)), "")
        case "write":
            found = (path for path in intent.paths if _steers(path, places))
            return next((_steering(path) for path in found), "")
        case "execute":
            return _sent(intent, around, verdict, reading) or _led(
                verdict, places, tuple(touched), changing
            )
        case "remember":
            return "this would be remembered in later sessions"
        case _:
            return f"{intent.tool} reaches beyond this session"


def is_confined(intent: Intent, around: Around) -> bool:
    """Whether the sandbox keeps a command from the network and from what steers others."""
    is_ordinary = intent.tool in _STARTED and intent.escalation.permissions == "use_default"
    return bool(around.outside.sources) and around.can_close and is_ordinary


def _sent(intent: Intent, around: Around, verdict: Verdict | None, reading: Reading | None) -> str:
    """What a command could tell others."""
    if verdict is None:
        return "nobody can tell what this command does"
    if verdict.pushes:
        return "this would publish code"
    if not around.is_online and intent.escalation.permissions == "use_default":
        return ""
    if is_confined(intent, around):
        # What it does with the network it does without one: only what surely wants it is worth asking.
        return "this may carry data out over the network" if verdict.sends else ""
    if verdict.is_unseen:
        return "nobody can see all that this runs, so it might use the network"
    if verdict.sends:
        return "this may carry data out over the network"
    stranger = next(_strangers(verdict, reading), "")
    return f"{stranger} runs what may carry data out over the network" if stranger else ""


def _strangers(verdict: Verdict, reading: Reading | None) -> Iterator[str]:
    """Programs of a command that may run anything: interpreters, builds, scripts of a project."""
    if verdict.kind == "safe" or reading is None:
        return
    parts = zip(verdict.parts or (), verdict.kinds, strict=False)
    safe = {words for words, kind in parts if kind == "safe"}
    for command in reading.commands:
        if command.words not in safe and not _is_local(command):
            yield command.name


def _is_local(command: Command) -> bool:
    name, words = command.name, command.words[1:]
    if "/" in command.words[0] or reaches(name, words):
        return False
    if name == "git":
        return bool(words) and words[0] in _LOCAL_GIT
    if name == "sed":
        plain = [word for word in words if word not in {"-i", "-n", "-E", "-r", "-s"}]
        # Behind a script of -e the first word is a file.
        is_script = bool(plain) and not any(word.startswith("-") for word in plain)
        return is_script and _SED.fullmatch(plain[0]) is not None
    return name in _LOCAL


def _led(
    verdict: Verdict | None, places: Places, touched: tuple[Path, ...], changing: Iterable[Path]
) -> str:
    """What a command would read or change of that which an attacker wants."""
    if verdict is None:
        return ""
    known = (path for path in touched if places.may_hold_keys(path))
    secret = next(filter(os.path.lexists, known), None)  # a word such as token is rarely a file
    if secret is not None or verdict.rule == "ask.secret":
        return _secret(secret) if secret is not None else "this may read keys"
    if verdict.kind == "safe":
        return ""
    steered = next((path for path in changing if _steers(path, places)), None)
    return _steering(steered) if steered is not None else ""


def _steers(path: Path, places: Places) -> bool:
    return bool(places.protected_by(path)) or configures(Path(places.below(path)))


def _secret(path: Path) -> str:
    return f"{path} may hold keys"


def _steering(path: Path) -> str:
    return f"{path} steers what programs and agents do later"
