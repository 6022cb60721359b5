"""Texts that a reader of Markdown is slow at, goes deep in, or hides something of, for every face that shows some."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import product
from random import Random

PIECES = (
    *(
        "*",
        "**",
        "_",
        "__",
        "~",
        "~~",
        "`",
        "``",
        "`a",
        "[",
        "]",
        "![",
        "[]",
        "[](",
        "[a](",
        "[a](<b",
    ),
    *(
        '[a](b "',
        "<",
        "<http://",
        "<a ",
        "<!--",
        "</",
        "&",
        "&#",
        "&amp",
        "\\",
        "\\\\",
        "> ",
        ">",
        "- ",
    ),
    *(
        "1. ",
        "+ ",
        "* ",
        "  - ",
        "\t",
        "|",
        "|a",
        "|-",
        "a|\n-|\n",
        "#",
        "# ",
        "\n",
        "\n\n",
        "=\n",
        "-\n",
    ),
    *(
        "---\n",
        "```\n",
        "~~~\n",
        "http://",
        "http://a",
        "https://a.b/",
        "www.",
        "www.a.b ",
        "a@",
        "a@b.c ",
    ),
    *(
        "mailto:",
        "*a_ ",
        "_a*",
        "**a ",
        "__a ",
        "a**b",
        "a_",
        "*a **a ",
        "[a]: b\n",
        "[a][",
        "[a]",
        "![a](",
    ),
    *(
        "[x]: <",
        "[x]: b 'c\n",
        "- [ ] ",
        "    a\n",
        "  \n",
        "\xa0",
        "x ",
        "(",
        ")",
        "(a",
        "http://a(",
    ),
    *(
        "http://a)",
        "'",
        '"',
        "...",
        "--",
        "\u200b",
        "\U0001f600",
        "a\u0301",
        "- a\n\n",
        "> - ",
        "- > ",
    ),
    *(
        "1) ",
        "*\t",
        "\\|",
        "`|",
        "](",
        "[a](b)[",
        "<b>",
        "$",
        "[^1]: ",
        "<?",
        "<![CDATA[",
        "***",
        "*_",
    ),
    *(
        "`*`",
        "[`",
        "](b)",
        "&#x1b;",
        "-\n\n",
        "a  \n",
        "a\\\n",
        "http:///",
        "://",
        "*$",
        "-a",
        "http://*",
    ),
)
"""What is said over and over; each is harmless once."""

AROUND = (("", ""), ("", "x"), ("[", ""), ("a", "\n"), ("# a", "a"))

PAIRS = (
    ("[", "](b)"),
    ("![", "](b)"),
    ("*", "*"),
    ("**a ", " a**"),
    ("~~", "~~"),
    ("(", ")"),
    ("[", "]"),
)
"""Marks that lie in one another as deep as there are."""


def _lists(size: int) -> str:
    # A level deeper on each line, as far as the size goes.
    lines = [" " * (2 * depth) + "- a" for depth in range(max(4, int(size**0.5)))]
    return "\n".join(lines)


def _table(size: int) -> str:
    width = max(2, int(size**0.5) // 2)
    return "\n".join(["|a" * width, "|-" * width, *["|b"] * (size // 2)])


def _expanded(size: int) -> str:
    return f"[a]: http://{'b' * (size // 2)}\n\n" + "[a] " * (size // 8)


SHAPES: tuple[Callable[[int], str], ...] = (
    *(
        lambda size, pair=pair: pair[0] * (size // 6) + "a" + pair[1] * (size // 6)
        for pair in PAIRS
    ),
    _lists,
    _table,
    _expanded,
    lambda size: "# " + "a" + " " * size + "b",
    lambda size: "# " + "a" + " #" * (size // 2) + "b",
    lambda size: "-" + " -" * (size // 2) + "x",
    lambda size: "|a\n" + "|" + " " * size + "x",
    lambda size: "a|b\n" + ":-" * (size // 2) + "!",
    lambda size: "[" + "a" * size + "](" + "b" * 9,
    lambda size: "".join("`" * (1 + n % 60) + "a" for n in range(size // 30)),
    lambda size: ">" * (size // 2) + "a\n" + ">" * (size // 4) + "b",
    lambda size: "- " * (size // 2) + "a",
    lambda size: "> - " * (size // 4) + "a",
    lambda size: "<proposed_plan>" * (size // 15),
)


def texts(size: int, around: Sequence[tuple[str, str]] = AROUND[:1]) -> Iterator[str]:
    """Every hostile text, each about this many characters long."""
    for piece, (before, after) in product(PIECES, around):
        yield before + piece * (size // len(piece)) + after
    for shape in SHAPES:
        yield shape(size)


def drawn(seed: int, size: int) -> str:
    """A text of a few pieces in any order: what nobody thought of."""
    chance = Random(seed)
    few = chance.sample(PIECES, chance.randint(2, 5))
    return "".join(chance.choices(few, k=size // 3))[:size]


FEW, MANY = 2_400, 19_200
_MOST_TIMES_MORE = 24.0
"""Eight times the text costs eight times as much where time is linear, 64 times where it is squared."""

_FLOOR_SECONDS = 0.004


async def growing_too_fast(
    spent: Callable[[str], Awaitable[float]], pairs: Iterator[tuple[str, str]]
) -> list[tuple[float, float, str]]:
    """The texts that cost more than their length, by processor time: (of the short, of the long, its beginning)."""
    found: list[tuple[float, float, str]] = []
    for short, long in pairs:
        cost = await spent(long)
        if cost <= _FLOOR_SECONDS * _MOST_TIMES_MORE:
            continue
        # The least of several: what else a thread did once (collecting garbage, compiling) is no growth.
        few = min([await spent(short) for _ in range(3)])
        many = min([cost, *[await spent(long) for _ in range(2)]])
        if many > _MOST_TIMES_MORE * max(few, _FLOOR_SECONDS):
            found.append((few, many, long[:40]))
    return found


SEEN = (
    *(
        mark * depth + " inmost"
        for mark in (">", "- ", "1. ", "> - ", "> 1. ", "+ > ")
        for depth in (3, 20, 300)
    ),
    *(f"{'*' * depth}inmost{'*' * depth}" for depth in (3, 20, 3000)),
    *(
        f"{mark * depth}inmost{'](https://a.b/)' * depth}"
        for mark in ("[", "![", "[![")
        for depth in (3, 20, 300)
    ),
    *(
        f"{mark}\n\nok"
        for mark in ("[//]: # (inmost)", "[a]: inmost", "<!-- inmost -->", "[^1]: inmost")
    ),
    "\n".join(f"{'  ' * depth}- {depth}" for depth in range(60)) + " inmost",
)
"""In each of these lies a word that somebody has to see, however deep."""
