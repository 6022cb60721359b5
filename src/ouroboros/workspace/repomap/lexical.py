"""Names and definitions by their look: for languages without a grammar here, and for broken files."""

import re
from collections import Counter

from ouroboros.workspace.repomap.tags import Definition

_SLASHES = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_HASHES = r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_STRIPPED = {
    "python": re.compile(r"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|" + _HASHES, re.DOTALL),
    "bash": re.compile(_HASHES, re.DOTALL),
    "ruby": re.compile(_HASHES, re.DOTALL),
    "php": re.compile(f"{_SLASHES}|#[^\n]*", re.DOTALL),
}
_C_LIKE = re.compile(_SLASHES, re.DOTALL)
_WORD = re.compile(r"(\.?)([A-Za-z_$][\w$]{2,})")

_CLASS = r"(?:class|interface|trait|struct|enum|object|protocol|record)"
_MODIFIER = r"(?:public|private|protected|internal|static|final|abstract|open|override|virtual|async|sealed)"
_DEFINED = {
    "python": (r"^([ \t]*)(?:async[ ]+)?(?:def|class)[ ]+(\w+)",),
    "javascript": (
        r"^([ \t]*)(?:export[ ]+)?(?:default[ ]+)?(?:async[ ]+)?(?:function\*?|class)[ ]+([\w$]+)",
    ),
    "typescript": (
        r"^([ \t]*)(?:export[ ]+)?(?:default[ ]+)?(?:declare[ ]+)?(?:abstract[ ]+)?(?:async[ ]+)?"
        r"(?:function\*?|class|interface|enum|namespace|type)[ ]+([\w$]+)",
        r"^([ \t]*)(?:export[ ]+)?(?:const|let)[ ]+([\w$]+)[^=\n]*=[ ]*(?:async[ ]*)?(?:\(|function|<)",
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
        rf"^([ \t]+)(?:{_MODIFIER}[ ]+)+[\w<>\[\],.? ]+[ ]+(\w+)[ ]*\([^;\n]*\{{?[ ]*$",
    ),
    "c": (
        r"^()(?:typedef[ ]+)?(?:class|struct|enum|union|namespace)[ ]+(\w+)[^;\n]*\{?[ ]*$",
        r"^()(?!return|else|if|for|while|switch)[A-Za-z_][\w:<>,&* ]*[ *&:](~?\w+)[ ]*\([^;\n]*\)?[^;\n]*\{?[ ]*$",
        r"^()#[ ]*define[ ]+(\w+)",
    ),
    "ruby": (r"^([ \t]*)(?:def[ ]+(?:self\.)?|class[ ]+|module[ ]+)([\w:?!]+)",),
    "php": (rf"^([ \t]*)(?:{_MODIFIER}[ ]+)*(?:function[ ]+&?|{_CLASS}[ ]+)(\w+)",),
}
_COMPILED = {
    name: tuple(re.compile(each, re.MULTILINE) for each in shapes)
    for name, shapes in _DEFINED.items()
}
_FROM = re.compile(r"^[ \t]*from[ ]+[\w.]+[ ]+import[ ]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_ALL = re.compile(r"^__all__[^=\n]*=[ ]*[\[(]([^\])]*)", re.MULTILINE)
_OWNERS = re.compile(rf"\b(?:{_CLASS}|module|impl|namespace)[ ]+(\w+)")


def stripped(source: str, language: str) -> str:
    """The source without comments and strings; lines stay where they are."""
    return _STRIPPED.get(language, _C_LIKE).sub(_blank, source)


def _blank(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def uses(bare: str) -> tuple[Counter[str], Counter[str]]:
    """How often each name stands by itself, and how often after a dot."""
    names: Counter[str] = Counter()
    members: Counter[str] = Counter()
    for dot, name in _WORD.findall(bare):
        (members if dot else names)[name] += 1
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
    found = _ALL.search(source)
    return tuple(re.findall(r"[\"'](\w+)[\"']", found[1])) if found else ()


def definitions(bare: str, language: str) -> list[Definition]:
    """What looks like a definition; the nearest class with less indent is its parent."""
    found: dict[int, tuple[int, str, str]] = {}
    for shape in _COMPILED[language]:
        for match in shape.finditer(bare):
            line = bare.count("\n", 0, match.start(2)) + 1
            found.setdefault(line, (len(match[1]), match[2], _line(bare, match.start(2))))
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


def _line(bare: str, at: int) -> str:
    end = bare.find("\n", at)
    text = bare[bare.rfind("\n", 0, at) + 1 : end if end >= 0 else None]
    return " ".join(text.split()).rstrip(" {:")[:160]
