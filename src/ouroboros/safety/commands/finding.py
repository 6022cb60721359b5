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
_OR = frozenset({"-o", "-or"})
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
_SCRIPTED = frozenset({"awk", "gawk", "jq", "mawk", "sed", "yq"})
_XARGS = spec(
    "-0rtx -n= -P= -I= -L= -d= -s= --null --no-run-if-empty --max-args= --max-procs= --delimiter= WORDS"
)
_XARGS_VALUES = frozenset({"-n", "-P", "-I", "-L", "-d", "-s"})


class Feed(Struct, frozen=True, kw_only=True):
    """What comes down a pipe: ``is_listing`` are names of files below the folder."""

    is_listing: bool = False
    is_narrow: bool = False


class Search(Struct, kw_only=True):
    """What a ``find`` looks for: in each alternative of its expression, whether a name is asked for."""

    names: list[Word] = field(default_factory=list[Word])
    named: list[bool] = field(default_factory=lambda: [False])
    is_inverse: bool = False

    def note(self, option: str, value: Word | None = None) -> None:
        """Takes one more part of the expression."""
        if option in _OR:
            self.named.append(False)
        elif option in {"!", "-not", ","}:
            self.is_inverse = True
        elif option == "-prune":
            self.named[-1] = True
        elif value is not None and option in _NAMES:
            self.names.append(value)
            is_name = option in {"-name", "-iname"} and bool(value.text.strip("*?."))
            self.named[-1] = self.named[-1] or is_name

    def allows(self, program: str) -> None:
        """Whether what it finds, as far as the expression was read, may be handed to a program.

        Raises:
            Doubt: Files with keys may be among it.
        """
        for name in self.names:
            is_pattern = any(mark in name.text for mark in "*?[")
            if is_secret_name(name.text, is_pattern=is_pattern):
                raise Doubt("ask.secret", f"{name.text} may be files with keys")
        if program in _PRINTERS and (self.is_inverse or not all(self.named)):
            raise Doubt(
                "ask.secret",
                f"{program} would print every file that is found, also those with keys",
            )


def check_find(words: Sequence[Word], ground: Ground, judge: Judge) -> Feed:
    """Holds a ``find`` to be one that lists, or hands what it finds to programs that only read.

    Raises:
        Doubt: It may change or run something.
    """
    search = Search()
    rest = _after_places(list(words[1:]), ground)
    while rest:
        word = rest.pop(0)
        text = word.text
        if word.is_pattern or word.is_home:
            raise Doubt("ask.pattern", f"the shell may change {text}")
        if text in _TESTS or text in _REFERENCES:
            value = _value(text, rest)
            search.note(text, value)
            if text in _REFERENCES:
                ground.check([value])
        elif text == "-exec":
            inner = _inner(rest)
            _check_names(inner)
            search.allows(inner[0].text.rpartition("/")[2])
            judge(inner)
        elif text in {"!", "-not"} and rest and rest[0].text in _NAMES:
            # What is left out of a search makes it no wider, and no narrower either.
            _value(rest.pop(0).text, rest)
        elif text in _ALONE:
            search.note(text)
        else:
            raise Doubt("ask.option", f"the option {text} of find is not known to be harmless")
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


def _check_names(inner: Sequence[Word]) -> None:
    """Holds what is found to be put in as a file, and not into a script or for a folder of git."""
    at = [number for number, word in enumerate(inner) if "{}" in word.text]
    own = inner[0].text.rpartition("/")[2]
    is_glued = any(inner[number].text != "{}" for number in at)
    first = next((n for n, w in enumerate(inner) if n and not w.text.startswith("-")), 0)
    if is_glued or (at and (own == "git" or (own in _SCRIPTED and first in at))):
        raise Doubt("ask.wrapper", f"find would put names of files into what {own} runs")


def check_xargs(words: Sequence[Word], feed: Feed, judge: Judge) -> None:
    """Holds ``xargs`` to hand listed files to a program that no further word can turn.

    Raises:
        Doubt: It may run something else, or read what nobody named.
    """
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _XARGS_VALUES else 1
    match = sort_out("xargs", _XARGS, words[1:at])
    if any(not re.fullmatch(r"[{}%@]+", mark) for mark in match.given.get("-I", [])):
        raise Doubt("ask.wrapper", "xargs would put words in the place of others")
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
