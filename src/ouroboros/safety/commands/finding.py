"""``find`` and ``xargs``: what they look for, and what they run on it."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.operands import Ground, is_secret_name
from ouroboros.safety.commands.options import sort_out, spec
from ouroboros.safety.commands.verdict import Doubt

type Judge = Callable[[Sequence[Word]], None]

_TESTS = frozenset([
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-user",
    "-group",
    "-perm",
    "-links",
    "-inum",
    "-fstype",
    "-regextype",
    "-printf",
    "-uid",
    "-gid",
    "-used",
    "-newermt",
    "-newerct",
])
_REFERENCES = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_ALONE = frozenset([
    "-empty",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-true",
    "-false",
    "-not",
    "!",
    "-a",
    "-and",
    "-o",
    "-or",
    ",",
    "-depth",
    "-d",
    "-mount",
    "-xdev",
    "-daystart",
    "-noleaf",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "(",
    ")",
    "-ignore_readdir_race",
    "-warn",
    "-nowarn",
])
_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"})
_PRINTERS = frozenset([
    "cat",
    "head",
    "tail",
    "tac",
    "nl",
    "strings",
    "od",
    "xxd",
    "hexdump",
    "base64",
    "base32",
    "sed",
    "awk",
    "cut",
    "fold",
    "paste",
    "jq",
])
_XARGS = spec(
    "-0rtx -n= -P= -I= -L= -d= -s= --null --no-run-if-empty --max-args= --max-procs= --delimiter= WORDS"
)
_XARGS_VALUES = frozenset({"-n", "-P", "-I", "-L", "-d", "-s"})


class Feed(Struct, frozen=True, kw_only=True):
    """What comes down a pipe: ``is_listing`` are names of files below the folder."""

    is_listing: bool = False
    is_narrow: bool = False


class Search(Struct, kw_only=True):
    """What a ``find`` looks for."""

    names: list[Word] = field(default_factory=list[Word])

    def allows(self, program: str) -> None:
        """Whether what it finds may be handed to a program that prints.

        Raises:
            Doubt: Files with keys may be among it.
        """
        for name in self.names:
            is_pattern = any(mark in name.text for mark in "*?[")
            if is_secret_name(name.text, is_pattern=is_pattern):
                raise Doubt("ask.secret", f"{name.text} may be files with keys")
        if program in _PRINTERS and not self.is_narrow:
            raise Doubt(
                "ask.secret",
                f"{program} would print every file that is found, also those with keys",
            )

    @property
    def is_narrow(self) -> bool:
        """Whether it looks for names of one kind."""
        return bool(self.names) and all(name.text.strip("*?./") for name in self.names)


def check_find(words: Sequence[Word], ground: Ground, judge: Judge) -> Feed:
    """Holds a ``find`` to be one that lists, or hands what it finds to programs that only read.

    Raises:
        Doubt: It may change or run something.
    """
    search, runs = Search(), list[Sequence[Word]]()
    rest = _after_places(list(words[1:]), ground)
    while rest:
        word = rest.pop(0)
        text = word.text
        if word.is_pattern or word.is_home:
            raise Doubt("ask.pattern", f"the shell may change {text}")
        if text in _TESTS or text in _REFERENCES:
            value = _value(text, rest)
            if text in _NAMES:
                search.names.append(value)
            if text in _REFERENCES:
                ground.check([value])
        elif text == "-exec":
            runs.append(_inner(rest))
        elif text not in _ALONE:
            raise Doubt("ask.option", f"the option {text} of find is not known to be harmless")
    for inner in runs:
        search.allows(inner[0].text.rpartition("/")[2])
        judge(inner)
    return Feed(is_listing=True, is_narrow=_narrow(search))


def _narrow(search: Search) -> bool:
    try:
        search.allows("cat")
    except Doubt:
        return False
    return True


def _after_places(rest: list[Word], ground: Ground) -> list[Word]:
    while rest and re.fullmatch(r"-[HP]|-O\d", rest[0].text):
        rest.pop(0)
    places: list[Word] = []
    while rest and not re.match(r"[-(!,]", rest[0].text):
        if rest[0].is_pattern and rest[0].text[:1] in "*?[":
            raise Doubt("ask.pattern", "a file may be named like an option of find")
        places.append(rest.pop(0))
    ground.check(places or [Word(text=".")])
    return rest


def _value(option: str, rest: list[Word]) -> Word:
    if not rest:
        raise Doubt("ask.option", f"{option} of find has no value")
    value = rest.pop(0)
    # No option of find has a dot, so no file that fits *.py is one.
    if value.is_home or (value.is_pattern and not re.search(r"\.\w+$", value.text)):
        raise Doubt("ask.pattern", f"the shell may change {value.text}")
    return value


def _inner(rest: list[Word]) -> Sequence[Word]:
    ends = [at for at, word in enumerate(rest) if word.text in {";", "+"}]
    if not ends or ends[0] == 0:
        raise Doubt("ask.option", "-exec of find has no end")
    inner = rest[: ends[0]]
    del rest[: ends[0] + 1]
    return inner


def check_xargs(words: Sequence[Word], feed: Feed, judge: Judge) -> None:
    """Holds ``xargs`` to hand listed files to a program that no further word can turn.

    Raises:
        Doubt: It may run something else, or read what nobody named.
    """
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _XARGS_VALUES else 1
    sort_out("xargs", _XARGS, words[1:at])
    inner = words[at:]
    if any(word.is_pattern for word in words[:at]) or not inner:
        raise Doubt("ask.wrapper", "xargs does not say plainly what it runs")
    if not feed.is_listing:
        raise Doubt("ask.wrapper", "xargs takes words from something that does not list files")
    name = inner[0].text.rpartition("/")[2]
    if name in _PRINTERS and not feed.is_narrow:
        raise Doubt(
            "ask.secret", f"{name} would print every file that is listed, also those with keys"
        )
    judge(inner)
