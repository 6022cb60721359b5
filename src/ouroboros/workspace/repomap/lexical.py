"""Names and definitions by their look: for languages without a grammar here, and for broken files."""

import re
from bisect import bisect_right
from collections import Counter
from itertools import islice

from ouroboros.workspace.repomap.heads import has_body, head
from ouroboros.workspace.repomap.tags import Definition

_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_HASHES = r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_STRIPPED = {
    "python": re.compile(r"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|" + _HASHES, re.DOTALL),
    "bash": re.compile(_HASHES, re.DOTALL),
    "ruby": re.compile(_HASHES, re.DOTALL),
    "php": re.compile(f"{_SLASHES}|#[^\n]*", re.DOTALL),
}
_C_LIKE = re.compile(_SLASHES, re.DOTALL)
_WORD = re.compile(r"\.?[A-Za-z_$][\w$]{2,}")

_CLASS = r"(?:class|interface|trait|struct|enum|object|protocol|record)"
_MODIFIER = r"(?:public|private|protected|internal|static|final|abstract|open|override|virtual|async|sealed)"
_WORDS = (
    "(?:if|for|while|switch|catch|return|new|else|throw|await|yield|case|function|using|lock|do)"
)
_DEFINED = {
    "javascript": (
        r"^([ \t]*)(?:export[ ]+)?(?:default[ ]+)?(?:async[ ]+)?(?:function\*?|class)[ ]+([\w$]+)",
    ),
    "typescript": (
        r"^([ \t]*)(?:export[ ]+)?(?:default[ ]+)?(?:declare[ ]+)?(?:abstract[ ]+)?(?:async[ ]+)?"
        r"(?:function\*?|class|interface|enum|namespace|type)[ ]+([\w$]+)",
        r"^([ \t]*)(?:export[ ]+)?(?:const|let)[ ]+([\w$]+)[^=\n]*=[ ]*(?:async[ ]*)?(?:\(|function|<)",
        rf"^([ \t]+)(?:(?:{_MODIFIER}|readonly|get|set)[ ]+)*\*?(?!{_WORDS}\b)([\w$#]+)[ ]*(?:<[^>\n]*>)?(?P<open>\()",
    ),
    "bash": (r"^([ \t]*)(?:function[ ]+)?([\w:-]+)[ ]*\(\)",),
    "go": (r"^()func[ ]+(?:\([^)\n]*\)[ ]*)?(\w+)", r"^()type[ ]+(\w+)"),
    "rust": (
        r"^([ \t]*)(?:pub(?:\([^)\n]*\))?[ ]+)?(?:const[ ]+)?(?:async[ ]+)?(?:unsafe[ ]+)?"
        r"(?:fn|struct|enum|trait|type|mod|macro_rules!)[ ]+(\w+)",
    ),
    "java": (
        rf"^([ \t]*)(?:{_MODIFIER}[ ]+)*{_CLASS}[ ]+(\w+)",
        r"^([ \t]*)(?:[a-z]+[ ]+)*(?:fun|func|def)[ ]+(?:<[^>\n]*>[ ]*)?(\w+)",
        rf"^([ \t]+)(?:{_MODIFIER}[ ]+)*(?!{_WORDS}\b)[\w<>\[\],.?]+[ ]+(?!{_WORDS}\b)(\w+)[ ]*(?P<open>\()",
        rf"^([ \t]+)(?:{_MODIFIER}[ ]+)+(\w+)[ ]*(?P<open>\()",
    ),
    "c": (
        r"^()(?:typedef[ ]+)?(?:class|struct|enum|union|namespace)[ ]+(\w+)[^;\n]*\{?[ ]*$",
        r"^()(?!return|else|if|for|while|switch)[A-Za-z_][\w:<>,&* ]*[ *&:](~?\w+)[ ]*\([^;\n]*\)?[^;\n]*\{?[ ]*$",
        r"^()(?!return|else)[A-Za-z_][\w:<>,&* ]*\n(~?[\w:~]+)[ ]*(?P<open>\()",
        r"^()#[ ]*define[ ]+(\w+)",
    ),
    "ruby": (r"^([ \t]*)(?:def[ ]+(?:self\.)?|class[ ]+|module[ ]+)([\w:?!]+)",),
    "php": (rf"^([ \t]*)(?:{_MODIFIER}[ ]+)*(?:function[ ]+&?|{_CLASS}[ ]+)(\w+)",),
}
_COMPILED = {
    name: tuple(re.compile(each, re.MULTILINE) for each in shapes)
    for name, shapes in _DEFINED.items()
}
_FROM = re.compile(r"^[ \t]*from[ ]+[\w.]+[ ]+import[ ]+(\([^)]{0,4000}\)|[^\n]*)", re.MULTILINE)
_ALL = re.compile(r"^__all__[^=\n]*=[ ]*[\[(]([^\])]*)", re.MULTILINE)
_MOST_TRIES = 20_000
"""Lines that are looked at for one shape of a definition."""
_OWNERS = re.compile(rf"\b(?:{_CLASS}|module|impl|namespace)[ ]+(\w+)")


def stripped(source: str, language: str) -> str:
    """The source with blanks in the place of comments and strings; all else stays where it is."""
    return _STRIPPED.get(language, _C_LIKE).sub(_blank, source)


def _blank(found: re.Match[str]) -> str:
    text = found[0]
    if "\n" not in text:
        return " " * len(text)
    return "\n".join(" " * len(line) for line in text.split("\n"))


def uses(bare: str) -> tuple[Counter[str], Counter[str]]:
    """How often each name stands by itself, and how often after a dot."""
    names: Counter[str] = Counter()
    members: Counter[str] = Counter()
    for word, count in Counter[str](_WORD.findall(bare)).items():
        if word[0] == ".":
            members[word[1:]] += count
        else:
            names[word] += count
    return names, members


def imported(bare: str) -> tuple[str, ...]:
    """The names that a Python file has by ``from … import``, under their own names."""
    found: dict[str, None] = {}
    for match in _FROM.finditer(bare):
        for piece in match[1].strip("()").split(","):
            words = piece.split()
            if words:
                found[words[0]] = None
    return tuple(found)


def offered(source: str) -> tuple[str, ...]:
    """The names in ``__all__``."""
    found = _ALL.search(source) if "__all__" in source else None
    return tuple(re.findall(r"[\"'](\w+)[\"']", found[1])) if found else ()


def definitions(source: str, bare: str, language: str) -> list[Definition]:
    """What looks like a definition; the nearest class with less indent is its parent."""
    starts = [match.end() for match in re.finditer("\n", bare)]
    found: dict[int, tuple[int, str, str]] = {}
    for shape in _COMPILED[language]:
        for match in islice(shape.finditer(bare), _MOST_TRIES):
            if "open" in shape.groupindex and not has_body(bare, match.start("open")):
                continue
            at = match.start(2)
            line = bisect_right(starts, at) + 1
            found.setdefault(line, (len(match[1]), match[2], head(source, bare, at, language)))
    made: list[Definition] = []
    owners: list[tuple[int, str]] = []
    for line, (indent, name, text) in sorted(found.items()):
        while owners and owners[-1][0] >= indent:
            owners.pop()
        made.append(Definition(name, line, owners[-1][1] if owners else "", text))
        owner = _OWNERS.search(text)
        if owner is not None and owner[1] == name:
            owners.append((indent, name))
    return made
