"""The files that rules keep from commands: found on the disk, so that the sandbox can hide them.

A rule about files speaks to tools by the path of a call. What a command reads nobody knows beforehand,
so these files are not there for it at all, whatever reads them.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct

from ouroboros.safety.commands.reading import SHELLS
from ouroboros.safety.paths import Places, real
from ouroboros.safety.rules.prepared import FAMILIES, Prepared
from ouroboros.safety.rules.values import ANY, EXPRESSION, Rule

MOST_FOLDERS = 4_000
"""So many folders are looked into for names that a pattern means, the upper ones first."""

_BUILT = frozenset({
    *("node_modules", "site-packages", "__pycache__", "venv", ".venv", ".tox", ".nox", ".git"),
})
"""Not looked into: programs fill them."""


class Masked(Struct, frozen=True, kw_only=True):
    """Real paths that exist.

    Attributes:
        denied: May not be read.
        asked: May be read once somebody said so.
        kept: May not be written.
        kept_unless: May be written once somebody said so.
    """

    denied: tuple[Path, ...] = ()
    asked: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    kept_unless: tuple[Path, ...] = ()

    def shown(self, paths: Sequence[Path]) -> "Masked":
        """The same, with what a person showed to one command."""
        if not paths:
            return self
        return Masked(
            denied=self.denied,
            asked=_without(self.asked, paths),
            kept=self.kept,
            kept_unless=_without(self.kept_unless, paths),
        )


def _without(places: Sequence[Path], paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(
        each
        for each in places
        if not any(each.is_relative_to(path) or path.is_relative_to(each) for path in paths)
    )


NOTHING = Masked()


def is_about_program(rule: Rule, canonical: Callable[[str], str]) -> bool:
    """Whether a rule denies a program as such, whatever it is told."""
    family = "" if rule.tool == "*" else FAMILIES.get(canonical(rule.tool), "")
    return rule.outcome == "deny" and family == "execute" and program_of(rule.content) != ""


def program_of(content: str) -> str:
    """The program that a content such as ``terraform:*`` is about as a whole; empty for other contents."""
    name = content.strip().removesuffix(":*").removesuffix(" *")
    if name in SHELLS:
        return ""  # every command is started by one
    is_whole = name != content.strip() and re.fullmatch(r"[A-Za-z0-9][\w.+-]*", name) is not None
    return name if is_whole else ""


def is_about_files(rule: Rule, canonical: Callable[[str], str]) -> bool:
    """Whether a rule keeps certain files from being read or written."""
    family = "" if rule.tool == "*" else FAMILIES.get(canonical(rule.tool), "")
    is_pattern = rule.content not in ANY and not rule.content.startswith(EXPRESSION)
    return rule.outcome != "allow" and family in {"read", "write"} and is_pattern


def _programs(names: Iterable[str], search: Sequence[str]) -> Iterator[Path]:
    """Where programs of these names are; one that is many programs under one name is left as it is."""
    for name in names:
        for folder in search:
            place = Path(folder, name)
            if folder.startswith("/") and place.is_file() and real(place).name == name:
                yield real(place)


class Masks:
    """Looks for the files of the rules; what has not changed is not listed again."""

    def __init__(
        self,
        rules: Iterable[Rule],
        places: Callable[[], Places],
        canonical: Callable[[str], str] = str.lower,
    ) -> None:
        """``places`` is asked at the first look; it may block."""
        given = tuple(rules)
        self._rules = [rule for rule in given if is_about_files(rule, canonical)]
        self._programs = [
            program_of(rule.content) for rule in given if is_about_program(rule, canonical)
        ]
        self._canonical, self._places = canonical, places
        self._prepared: list[Prepared] | None = None
        self._denied: tuple[Path, ...] = ()
        self._listed: dict[Path, tuple[int, tuple[tuple[str, bool], ...]]] = {}
        self._once = Lock()

    def __bool__(self) -> bool:
        """Whether there are such rules."""
        return bool(self._rules or self._programs)

    def found(self) -> Masked:
        """What they mean now; blocks."""
        if not self:
            return NOTHING
        with self._once:
            if self._prepared is None:
                places = self._places()
                self._denied = tuple(_programs(self._programs, places.search))
                self._prepared = [
                    Prepared(rule, self._canonical(rule.tool), places) for rule in self._rules
                ]
            of_kind: dict[tuple[str, str], dict[Path, None]] = {}
            for prepared in self._prepared:
                group = of_kind.setdefault((prepared.family, prepared.rule.outcome), {})
                group |= dict.fromkeys(self._meant(prepared))
        return Masked(
            denied=(*of_kind.get(("read", "deny"), ()), *self._denied),
            asked=tuple(of_kind.get(("read", "ask"), ())),
            kept=tuple(of_kind.get(("write", "deny"), ())),
            kept_unless=tuple(of_kind.get(("write", "ask"), ())),
        )

    def _meant(self, prepared: Prepared) -> Iterator[Path]:
        for start, is_whole in prepared.starts():
            waiting, looked = deque([start]), 0
            if is_whole or prepared.means(start):
                if os.path.lexists(start):
                    yield real(start)
                continue
            while waiting and looked < MOST_FOLDERS:
                folder, looked = waiting.popleft(), looked + 1
                for name, is_folder in self._entries(folder):
                    path = folder / name
                    if prepared.means(path):
                        yield real(path)
                    elif is_folder and name not in _BUILT:
                        waiting.append(path)

    def _entries(self, folder: Path) -> tuple[tuple[str, bool], ...]:
        try:
            changed = folder.stat().st_mtime_ns
            known = self._listed.get(folder)
            if known is not None and known[0] == changed:
                return known[1]
            with os.scandir(folder) as entries:
                found = tuple((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
        except OSError:
            return ()
        self._listed[folder] = (changed, found)
        return found
