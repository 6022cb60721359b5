"""Safe, approve or dangerous."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ouroboros.safety.commands.flow import parse_script
from ouroboros.safety.commands.grammar import Simple
from ouroboros.safety.commands.harm import danger
from ouroboros.safety.commands.operands import Ground
from ouroboros.safety.commands.outward import publishes, sends
from ouroboros.safety.commands.programs import FOLDERS, Judge, edited
from ouroboros.safety.commands.reading import Command, read_shell
from ouroboros.safety.commands.verdict import Doubt, FileDeletion, Kind, Verdict
from ouroboros.safety.paths import Places, real
from ouroboros.safety.paths.lookup import misled

_SHELLS = frozenset({"", "ash", "bash", "dash", "ksh", "sh", "zsh"})
_JOINTS = frozenset({"", "&&", "||", ";", "|"})
_BUILT_IN = frozenset({
    ":",
    "[",
    "cd",
    "echo",
    "false",
    "printf",
    "pwd",
    "read",
    "test",
    "true",
    "type",
})
"""Every shell has these in itself, and looks for no program."""

_MOVING = frozenset({
    *(
        "7z",
        "cp",
        "cpio",
        "dd",
        "git",
        "install",
        "ln",
        "mmv",
        "mount",
        "mv",
        "node",
        "patch",
        "perl",
    ),
    *("php", "prename", "python", "rclone", "rename", "rsync", "ruby", "tar", "unzip"),
})
"""Programs after which other files may lie under a name, or behind a link."""

_ALTERING = frozenset({
    *("cp", "dd", "install", "ln", "mkdir", "mv", "patch", "rm", "rmdir", "rsync", "tar", "tee"),
    *("touch", "truncate", "unzip"),
})
_ALTERING_GIT = frozenset({
    *(
        "add",
        "am",
        "apply",
        "bisect",
        "checkout",
        "cherry-pick",
        "clean",
        "clone",
        "commit",
        "init",
    ),
    *("merge", "mv", "pull", "rebase", "reset", "restore", "revert", "rm", "stash", "submodule"),
    *("switch", "tag", "update-index", "worktree"),
})
_IN_PLACE = re.compile(r"-[A-Za-z]{0,3}i(?:\W.*)?|--in-place.*")
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
_TO_FILE = re.compile(r">{1,2}\|?\s*(?!&|/dev/(?:null|stdout|stderr|tty)\b)[^\s&>]")

_VERSION = re.compile(r"[\d.]+$")
_LONGEST = 100_000
_LONGEST_NAMED = 200
_UNREAD = "danger.hides", "there is more in it than can be read, so that harm may hide in it"


def classify(text: str, *, cwd: Path, places: Places, shell: str = "bash") -> Verdict:
    """What shell text would do; ``places`` are resolved, ``shell`` is a name or a path."""
    if not text.strip():
        return Verdict(kind="approve", rule="ask.empty", reason="there is no command")
    if len(text) > _LONGEST:
        reason = "it is too long to be read with certainty"
        return Verdict(kind="approve", rule="ask.long", reason=reason, sends=True, is_unseen=True)
    try:
        script = parse_script(text)
        commands = script.commands
        if not commands:
            raise Doubt("ask.empty", "there is no command")
        ground = Ground(_followed(cwd), places)
        _check_shell(text, commands, shell)
    except Doubt as doubt:
        return _asked(text, doubt)
    judge = Judge(ground)
    doubts = [
        (_misled(simple, places) if _may_be_read(doubt) else None) or doubt
        for simple, doubt in zip(commands, judge.each(commands), strict=True)
    ]
    first = next(filter(None, doubts), None)
    is_plain = script.is_flat and all(map(_is_plain, commands))
    judged = zip(commands, doubts, strict=True) if is_plain else ()
    kinds: tuple[Kind, ...] = tuple(_kind(simple, doubt) for simple, doubt in judged)
    seen = Verdict(
        kind="safe",
        rule="safe.read",
        reason="it only reads, in places that may be read",
        parts=tuple(map(_words, commands)) if is_plain else None,
        kinds=kinds,
        hardened=edited(text, judge.edits) if judge.edits else "",
    )
    if first is None:
        return seen
    asked = _asked(text, first, seen)
    if asked.kind != "dangerous":
        return asked
    return replace(asked, deletes=_deleted(text, commands, doubts))


def alters(text: str) -> bool:
    """Whether a command says that it changes files, so that it and those beside it need an order.

    What programs do that say nothing of it, such as builds and tests, is not known.
    """
    if len(text) > _LONGEST:
        return True
    return _TO_FILE.search(text) is not None or any(
        _alters(command.name, command.words[1:]) for command in read_shell(text).commands
    )


def _alters(name: str, words: Sequence[str]) -> bool:
    if name == "git":
        named = (
            word
            for word, before in zip(words, ("", *words), strict=False)
            if not (word.startswith("-") or before in _WITH_VALUE)
        )
        return next(named, "") in _ALTERING_GIT
    if name in {"sed", "perl"}:
        return any(map(_IN_PLACE.fullmatch, words))
    return name in _ALTERING


def _may_be_read(doubt: Doubt | None) -> bool:
    return doubt is None or isinstance(doubt, FileDeletion)


def _deleted(
    text: str, commands: Sequence[Simple], doubts: Sequence[Doubt | None]
) -> tuple[Path, ...] | None:
    """The files that are deleted by name, where the text does no other harm and moves nothing."""
    found = [(_words(simple), doubt) for simple, doubt in zip(commands, doubts, strict=True)]
    deleting = [words for words, doubt in found if isinstance(doubt, FileDeletion)]
    reading = read_shell(text)
    seen = [command.words for command in reading.commands]
    is_moving = any(_VERSION.sub("", command.name) in _MOVING for command in reading.commands)
    if not deleting or reading.opaque or reading.cut or is_moving:
        return None
    others = [command for command in reading.commands if command.words not in deleting]
    is_all = all(seen.count(words) == deleting.count(words) for words in deleting)
    if not is_all or danger(text, others):
        return None
    paths = [p for _, doubt in found if isinstance(doubt, FileDeletion) for p in doubt.paths]
    return tuple(dict.fromkeys(paths))


def _misled(simple: Simple, places: Places) -> Doubt | None:
    """PATH may lead to another program than the one that is known, also behind wrappers."""
    if not places.search:
        return None
    words = _words(simple)
    inner = read_shell(shlex.join(words)).commands
    names = [command.words[0] for command in inner if command.words]
    if words and words[0] in _BUILT_IN and names[:1] == [words[0]]:
        del names[0]
    why = misled(names, places)
    return Doubt("ask.path", why) if why else None


def _asked(text: str, doubt: Doubt, seen: Verdict | None = None) -> Verdict:
    reading = read_shell(text)
    harm = danger(text, reading.commands) or (_UNREAD if reading.cut else None)
    is_sent = sends(text, reading.commands)
    return Verdict(
        kind="dangerous" if harm else "approve",
        rule=harm[0] if harm else doubt.rule,
        reason=f"{harm[1]}{_culprit(reading.commands)}" if harm else doubt.reason,
        sends=is_sent or reading.opaque,
        is_unseen=reading.opaque and not is_sent,
        pushes=publishes(reading.commands),
        parts=seen.parts if seen else None,
        kinds=seen.kinds if seen else (),
        hardened=seen.hardened if seen else "",
    )


def _culprit(commands: Sequence[Command]) -> str:
    """Which of several commands it is that does harm, where one of them does by itself."""
    if len(commands) < 2:
        return ""
    found = next((shlex.join(one.words) for one in commands if danger("", [one])), "")
    return f": `{found}`" if 0 < len(found) <= _LONGEST_NAMED else ""


def _kind(simple: Simple, doubt: Doubt | None) -> Kind:
    if doubt is None:
        return "safe"
    text = shlex.join(_words(simple))
    reading = read_shell(text)
    return "dangerous" if reading.cut or danger(text, reading.commands) else "approve"


def _check_shell(text: str, commands: Sequence[Simple], shell: str) -> None:
    """Holds a shell other than bash to read the text as bash does."""
    folder, _, own = shell.rpartition("/")
    name = own.lower().removesuffix(".exe")
    if folder not in FOLDERS | {""}:
        raise Doubt("ask.shell", f"{shell} is no shell of the system")
    if name not in _SHELLS:
        raise Doubt("ask.shell", f"commands for {name} are not read")
    if name == "zsh":
        # It puts a program's path for =word, and its printf computes.
        words = [word.text for simple in commands for word in simple.words]
        is_other = any(re.match("=.", word) or word == "printf" for word in words)
    else:
        is_other = name not in {"", "bash"} and any(mark in text for mark in ("&>", "|&"))
    if is_other:
        raise Doubt("ask.shell", f"{name} reads this otherwise than bash")


def _followed(cwd: Path) -> Path:
    try:
        return real(cwd)
    except OSError as broken:
        raise Doubt("ask.folder", f"the folder {cwd} cannot be looked at") from broken


def _words(simple: Simple) -> tuple[str, ...]:
    return tuple(word.text for word in simple.words)


def _is_plain(simple: Simple) -> bool:
    is_bare = not simple.assignments and not simple.redirects and simple.joint in _JOINTS
    return is_bare and not any(word.is_filled for word in simple.words)
