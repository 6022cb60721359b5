"""What may be meant by what is typed: commands after a slash, names after an ``@``; pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from ouroboros.core.commands import Effort, Mode, Personality
from ouroboros.faces.slashes.table import SLASHES, Slash
from ouroboros.faces.wording.mentions import begun_in, spelled

_COMMAND = re.compile(r"/([\w?-]*)$")
_ARGUMENT = re.compile(r"/([\w-]+) +([^\s]*)$")
_MODES: tuple[str, ...] = get_args(Mode.__value__)
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "mode": _MODES,
    "effort": get_args(Effort.__value__),
    "personality": get_args(Personality.__value__),
    "review": ("uncommitted", "base", "commit"),
    "plan": ("yes", "no", "edit"),
    "goal": ("pause", "resume", "edit", "budget", "clear"),
    "export": ("jsonl", "md", "html"),
    "note": ("project", "local", "user"),
    "help": tuple(name for name in SLASHES if name[0].isalpha()),
}


_SHORT = 16
_GOES_ON = frozenset({"base", "commit", "edit", "budget", "project", "local", "user"})


class Choice(NamedTuple):
    """One line of a list: what it puts into the text, how it looks, and what it means.

    One that ``ends`` a line may be sent as it is.
    """

    text: str
    looks: str
    meaning: str = ""
    ends: bool = False
    waits: bool = False


class Wanted(NamedTuple):
    """What a list is wanted of, and where the text begins that a choice replaces."""

    kind: Literal["command", "argument", "name"]
    start: int
    typed: str
    command: str = ""


class Menu:
    """A list that is open."""

    def __init__(self, wanted: Wanted, choices: Sequence[Choice]) -> None:
        """The first choice is the chosen one."""
        self.wanted, self.choices, self.at = wanted, tuple(choices), 0

    @property
    def chosen(self) -> Choice:
        """The one that Enter takes."""
        return self.choices[self.at]

    def step(self, by: int) -> None:
        """Chooses another; after the last comes the first."""
        self.at = (self.at + by) % len(self.choices)

    def window(self, rows: int) -> range:
        """The choices that are shown in so many rows."""
        first = max(0, min(self.at - rows // 2, len(self.choices) - rows))
        return range(first, min(first + rows, len(self.choices)))


def wanted_at(before: str) -> Wanted | None:
    """What a list is wanted of where the cursor is; None for no list."""
    command = _COMMAND.fullmatch(before)
    if command is not None:
        return Wanted("command", 0, command[1])
    argument = _ARGUMENT.fullmatch(before)
    if argument is not None and argument[1] in _ARGUMENTS:
        return Wanted("argument", argument.start(2), argument[2], argument[1])
    begun = begun_in(before)
    return None if begun is None else Wanted("name", begun.start, begun.typed)


def commands(
    typed: str,
    weight: Callable[[str], float],
    *,
    running: bool,
    slashes: Mapping[str, Slash] = SLASHES,
) -> list[Choice]:
    """The commands that fit, the most used first among those that fit equally well."""
    found: list[tuple[int, float, int, Choice]] = []
    for place, (name, slash) in enumerate(slashes.items()):
        if not name[0].isalpha():
            continue
        fit = fitting(typed, name)
        if fit is None and typed and len(typed) > 2 and typed.lower() in slash.meaning.lower():
            fit = 5
        if fit is not None:
            found.append((fit, -weight(name), place, _choice(name, slash, running=running)))
    return [choice for _, _, _, choice in sorted(found, key=lambda each: each[:3])]


def arguments(command: str, typed: str) -> list[Choice]:
    """The words that a command knows and that go on with what is typed."""
    return [
        Choice(word + " " * (word in _GOES_ON), word, ends=word not in _GOES_ON)
        for word in _ARGUMENTS.get(command, ())
        if word.startswith(typed) and word != typed
    ]


def names(found: Sequence[str]) -> list[Choice]:
    """Files and folders as choices."""
    return [Choice(spelled(name, is_all=True), name) for name in found]


def fitting(typed: str, name: str) -> int | None:
    """How well letters fit a name, 0 best; None where they are not in it in this order."""
    wanted, name = typed.lower(), name.lower()
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if any(part.startswith(wanted) for part in name.split("-")):
        return 2
    if wanted in name:
        return 3
    place = -1
    for letter in wanted:
        place = name.find(letter, place + 1)
        if place < 0:
            return None
    return 4


def _choice(name: str, slash: Slash, *, running: bool) -> Choice:
    rest = slash.usage.partition(" ")[2]
    is_whole = not rest or rest.startswith("[")
    waits = slash.waits and running
    meaning = f"{slash.meaning} (after the run)" if waits else slash.meaning
    looks = (
        f"/{name} {rest}".rstrip() if len(rest) <= _SHORT else f"/{name} \N{HORIZONTAL ELLIPSIS}"
    )
    return Choice(f"/{name}{'' if is_whole else ' '}", looks, meaning, ends=is_whole, waits=waits)
