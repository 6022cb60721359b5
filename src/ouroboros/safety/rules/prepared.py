"""One rule with its patterns compiled, and what it is about."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.commands.reading import (
    Reading,
    denies,
    may_deny,
    mentioned,
    reaches,
    read_shell,
    runner_start,
)
from ouroboros.safety.origins import Place, place
from ouroboros.safety.paths import Glob, Places
from ouroboros.safety.policy.keys import approval_key
from ouroboros.safety.rules.values import ANY, EXPRESSION, WEB, Intent, Rule

FAMILIES = {
    "apply_patch": "write",
    "dogs": "write",
    "edit": "write",
    "exec_command": "execute",
    "find": "read",
    "grep": "read",
    "ls": "read",
    "multi_edit": "write",
    "python": "execute",
    "read": "read",
    "repo_map": "read",
    "shell": "execute",
    "view_image": "read",
    "write": "write",
}
"""What the tools do that rules with a content speak of."""
_SEARCHES = frozenset({"find", "grep"})
_OTHER_READERS = frozenset({"python", "write_stdin"})
"""Tools whose text is read by something else than a shell of its own."""


class Prepared:
    """A rule with its patterns compiled."""

    def __init__(self, rule: Rule, tool: str, places: Places) -> None:
        self.rule = rule
        self.family = "*" if tool == "*" else FAMILIES.get(tool, "")
        self._tool, self._plain, self._places = tool, _plain(tool), places
        # A remembered yes is never a pattern: the command * is a command.
        self._any = not rule.content if rule.exact else rule.content in ANY
        self._glob: Glob | None = None
        self._words: tuple[str, ...] = ()
        self._is_prefix = False
        is_command = rule.exact and self.family not in {"read", "write"}
        self._key = approval_key(rule.content) if is_command else ()
        self._expression = None if rule.exact else expression_of(rule.content)
        self._place: Place | None = None if self._any else place(rule.content)
        if self._expression is not None:
            self._place = None
        elif not self._any and self.family in {"read", "write"}:
            self._glob = Glob(rule.content, places, narrow=rule.outcome == "allow")
        elif not self._any:
            is_allow = rule.outcome == "allow"
            self._words, self._is_prefix = _command_words(rule.content, as_written=is_allow)

    def matches(self, intent: Intent, reading: Reading | None) -> bool:
        """Whether the rule is about this."""
        if intent.kind in WEB:
            return self._matches_page(intent)
        if not self.is_about(intent):
            return False
        if reading is not None:
            return self._is_read_alike(intent.tool) and self._matches_command(intent, reading)
        if self.rule.outcome == "allow":
            return self._covers(intent)
        if self._glob is None:
            return self._any
        return any(map(self._glob.matches, _spellings(intent.paths, intent.spelled)))

    def is_about(self, intent: Intent) -> bool:
        """Whether the rule speaks of this kind of thing at all."""
        return (
            intent.kind in WEB
            or self._fits(intent.tool)
            or (self.family != "" and self.family == FAMILIES.get(intent.tool, intent.kind))
        )

    def _fits(self, name: str) -> bool:
        """Whether the rule names this tool, or all whose names are like this (``mcp__docs__*``)."""
        return self._tool == name or ("*" in self._tool and fnmatchcase(name, self._tool))

    def _is_read_alike(self, tool: str) -> bool:
        """Whether a yes to a text is one to the same text here, where something else may read it."""
        if self.rule.outcome != "allow" or self._any or self._fits(tool):
            return True
        return not {self._tool, tool} & _OTHER_READERS

    def _matches_page(self, intent: Intent) -> bool:
        """A rule of one function, of one risk or of the whole ``browser``, at a place or anywhere."""
        names = {"*", _plain(intent.tool), "fetch" if intent.kind == "fetch" else "browser"}
        if intent.risk:
            names.add(_plain(intent.risk))
        own = self._plain
        if own not in names and not ("*" in own and any(fnmatchcase(n, own) for n in names)):
            return False
        if self._place is not None:
            return self._place.names(intent.url)
        # A new place is opened by a yes that names it, never by one for everything.
        return self._any and not (intent.kind == "origin" and self.rule.outcome == "allow")

    def _covers(self, intent: Intent) -> bool:
        if self._glob is not None and self.rule.exact:
            return self._was_granted(intent)
        if intent.kind == "write":
            return self._covers_writes(intent)
        if any(
            self._places.is_secret(path) and not self._spells_out(path) for path in intent.paths
        ):
            return False
        if self._glob is None:
            return self._any
        return bool(intent.paths) and all(self._glob.matches(path) for path in intent.paths)

    def _spells_out(self, secret: Path) -> bool:
        """Keys need an allow that names where they are."""
        home = self._places.home.name.lower() if self._places.home else ""
        return self._glob is not None and (
            self._glob.names(secret.name.lower()) or self._glob.names(home)
        )

    def _was_granted(self, intent: Intent) -> bool:
        """A yes to one path covers that path; only a search was about everything below."""
        place = Path(self.rule.content[1:])
        if self._tool in _SEARCHES and intent.kind == "read":
            below = all(path.is_relative_to(place) for path in intent.paths)
            is_secret = self._places.is_secret
            kept = is_secret(place) or not any(map(is_secret, intent.paths))
            return bool(intent.paths) and below and kept
        is_listing = "ls" in {self._tool, intent.tool}
        return intent.paths == (place,) and (not is_listing or self._tool == intent.tool)

    def may_match(self, reading: Reading) -> bool:
        """Whether it could speak of a command whose words are not all known."""
        return any(may_deny(self._words, command) for command in reading.commands)

    def names(self, parts: Iterable[Sequence[str]]) -> bool:
        """Whether it is about certain uses of a program that one of these commands runs."""
        if self.family != "execute" or self._any:
            return False
        return self._expression is not None or any(
            words[0].rpartition("/")[2] == self._words[0].rpartition("/")[2] for words in parts
        )

    def is_mentioned(self, reading: Reading) -> bool:
        """Whether a command of which it speaks stands among the words of an unknown program."""
        return any(
            denies(self._words, inner)
            for command in reading.commands
            for inner in mentioned(command)
        )

    def _covers_writes(self, intent: Intent) -> bool:
        """Protected paths and paths outside need an allow that speaks of them."""
        for path in intent.paths:
            protected = self._places.protected_by(path)
            if protected and not (self._glob and self._glob.names(protected)):
                return False
            if self._glob is not None and not self._glob.matches(path):
                return False
            if self._glob is None and not self._places.is_inside(path):
                return False
        return bool(intent.paths) and (self._any or self._glob is not None)

    def starts(self) -> tuple[tuple[Path, bool], ...]:
        """Where the files lie that it is about, see ``Glob.starts``."""
        return () if self._glob is None else self._glob.starts()

    def means(self, path: Path) -> bool:
        """Whether it is about this file."""
        return self._glob is not None and self._glob.matches(path)

    def asks_paths(self, paths: Iterable[Path]) -> tuple[Path, ...]:
        """The files among these that are read only once it was asked about, for commands that name them."""
        if self.rule.outcome != "ask" or self._glob is None or self.family != "read":
            return ()
        return tuple(path for path in paths if self._glob.matches(path))

    def denies_paths(self, paths: Iterable[Path]) -> bool:
        """Whether it denies files among these, for commands that speak of files."""
        return (
            self.rule.outcome == "deny"
            and self._glob is not None
            and any(self._glob.matches(path) for path in paths)
        )

    @property
    def limits_files(self) -> bool:
        """Whether it denies certain files, or wants to be asked about them."""
        return self.rule.outcome != "allow" and self._glob is not None

    def _matches_command(self, intent: Intent, reading: Reading) -> bool:
        text = intent.command
        if self._any:
            return True
        if self._expression is not None:
            return self._matches_expression(self._expression, text, reading)
        if self.rule.outcome != "allow":
            return any(denies(self._words, command) for command in reading.commands)
        if self.rule.exact:
            return intent.folder is None and self._key == approval_key(text)
        simple = reading.simple
        if simple is None:
            return False
        if not self._is_prefix:
            return simple == self._words
        count, start = len(self._words), runner_start(simple)
        if start is not None and count <= start:
            return False  # a yes to a runner says nothing of what it runs
        return simple[:count] == self._words and not reaches(simple[0], simple[count:])

    def _matches_expression(self, expression: re.Pattern[str], text: str, reading: Reading) -> bool:
        """An expression speaks of a whole command; one that allows speaks of plain ones only."""
        if self.rule.outcome != "allow":
            whole = (" ".join(command.words) for command in reading.commands)
            return any(expression.fullmatch(each) for each in (text.strip(), *whole))
        simple = reading.simple
        return (
            simple is not None
            and expression.fullmatch(text.strip()) is not None
            and not reaches(simple[0], simple[1:])
        )


@lru_cache(maxsize=32)
def _spellings(paths: tuple[Path, ...], spelled: tuple[Path, ...]) -> tuple[Path, ...]:
    """Every path once: a rule of two thousand is asked about the same ones."""
    normal = (Path(posixpath.normpath(path)) for path in spelled)
    return tuple(dict.fromkeys((*paths, *normal)))


def expression_of(content: str) -> re.Pattern[str] | None:
    """The regular expression of a content such as ``re:git (log|diff).*``, None for other contents.

    Raises:
        ConfigBroken: It is no expression.
    """
    if not content.startswith(EXPRESSION):
        return None
    try:
        return re.compile(content.removeprefix(EXPRESSION), re.DOTALL)
    except (re.error, OverflowError, RecursionError) as broken:
        raise ConfigBroken(
            f"not a regular expression: {content!r} ({broken})",
            hint="write it as re:EXPRESSION; it is held against the whole command",
        ) from broken


def _command_words(content: str, *, as_written: bool) -> tuple[tuple[str, ...], bool]:
    """The words a command rule asks for, and whether more may follow.

    An allow is taken ``as_written``: it never loses an assignment or a wrapper.
    """
    content = content.strip()
    is_prefix = content.endswith((":*", " *"))
    text = content[:-2] if is_prefix else content
    first, colon, rest = text.partition(":")
    if colon and rest and " " not in first and not rest.startswith("//"):
        text, is_prefix = f"{first} {rest}", True
    reading = read_shell(text)
    words = reading.simple
    if words is None and not as_written and len(reading.commands) == 1:
        words = reading.commands[0].words
    return (tuple(text.split()) if words is None else words), is_prefix


def _plain(name: str) -> str:
    """A name without case and dashes: ``cross-site-post`` and ``crossSitePost`` are one."""
    return "".join(each for each in name.lower() if each.isalnum() or each == "*")
