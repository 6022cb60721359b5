"""Lines that name the file whose text stands in the fence below them, as chat windows write them. Pure."""

import json
import re
from typing import NamedTuple

from ouroboros.workspace.artifacts.cats.languages import language_of
from ouroboros.workspace.artifacts.dogs.readers.page import unquoted

_LONGEST = 300
_BEGIN = re.compile(
    r"^(?:(?:#{1,6}|[-*+\u2022]|\d{1,3}[.)]|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)\s+)+"
)
_LABEL = re.compile(
    r"^(\*\*|__|)(?:(?:new|updated|full|complete|create|modified)\s+)?(?:file\s?name|file|path)"
    r"(?:\s*:\s*\1|\1\s*:)\s*(?=\S)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^(\S+|`[^`]+`|\*\*.+\*\*)(?:\s+[(\[]([^()\[\]]{1,60})[)\]]|\s+[-–—]\s+(.{1,60}))$"
)
_LINES = re.compile(r"^(.*[^:#\s])(?::\d+(?:-\d+)?|#L?\d+(?:-L?\d+)?)$")
_CITED = re.compile(r"^(\d+):(\d+):(.+)$")
_OWN = re.compile(
    r"^[\w+.#-]*:(\"(?:[^\"\\]|\\.)*\"|[^\s\"]\S*)"
    r"((?: +(?:numbered|outline|executable|bom|no-final-newline|encoding=\S+|eol=\S+))+) *$"
)
"""As ``ouro cats`` says how a file is written."""

_WITH_LANGUAGE = re.compile(r"^([\w+.#-]*):(?![\\/]{2})(\S.*)$")
_ATTRIBUTE = re.compile(
    r"""(?:^|\s)(?:title|file|filename|path)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'{}]+))"""
)
_CHARACTERS = re.compile(r"[\w.@+~()\[\]{}$#=,%&'!:\\/-]+")
_ENDING = re.compile(r"[a-z][a-z0-9_+-]{0,11}")
_NAME_LIKE = re.compile(r"[./]")
_HIDDEN = re.compile(
    r"\.(?:\w+ignore|env(?:\.\w+)*|\w+rc|git\w+|editorconfig|flake8|htaccess|clang-\w+|mailmap|\w+-versions?)"
)
_NAMES = frozenset({
    "brewfile", "caddyfile", "dockerfile", "gemfile", "justfile", "license", "makefile", "procfile", "rakefile", "readme", "vagrantfile",
})  # fmt: skip
_ENDINGS = frozenset({
    "adoc", "astro", "bat", "cmd", "csproj", "erb", "ejs", "hbs", "j2", "jsonc", "lock", "mdx", "mk", "mod", "mts", "prisma", "properties", "pug", "sln", "sum", "tfvars", "txt", "vb",
})  # fmt: skip
_NO_FILES = frozenset({
    "asp.net", "d3.js", "ember.js", "express.js", "next.js", "node.js", "nuxt.js", "react.js", "three.js", "vb.net", "vue.js",
})  # fmt: skip


class Title(NamedTuple):
    """The name of a file and what is said behind it, such as ``new`` or ``lines 3-9``."""

    path: str
    remark: str = ""


def titled(line: str, *, is_sure: bool = False) -> Title | None:
    """The name that is all of a line, but for decoration; ``is_sure`` where there must be one."""
    words, remark = _BEGIN.sub("", line.strip()), ""
    if not words or len(words) > _LONGEST:
        return None
    while True:
        bare = words.removesuffix(":").strip()
        for mark in ("**", "__"):
            if len(bare) > len(mark) * 2 and bare.startswith(mark) and bare.endswith(mark):
                bare = bare.removeprefix(mark).removesuffix(mark).strip()
        bare = _LABEL.sub("", bare)
        if not remark and (found := _REMARK.match(bare)):
            bare, remark = found[1], found[2] or found[3]
        if bare == words:
            return _title(bare, remark, is_sure=is_sure)
        words = bare


def titled_fence(words: str) -> Title | None:
    """The name in the line that opens a fence, behind the language or instead of it."""
    if found := _ATTRIBUTE.search(words):
        return _title(json.dumps(found[1] or found[2] or found[3]), "", is_sure=True)
    if found := _CITED.match(words):
        return _title(found[3], f"lines {found[1]}-{found[2]}", is_sure=True)
    if found := _OWN.match(words):
        return _title(found[1], found[2].strip(), is_sure=True)
    rest, is_sure = words, False
    if found := _WITH_LANGUAGE.match(words):
        rest, is_sure = found[2], True
    elif not _NAME_LIKE.search(words.partition(" ")[0]):
        rest = words.partition(" ")[2].strip()
    found = _REMARK.match(rest)
    if found is None:
        return _title(rest, "", is_sure=is_sure)
    return _title(found[1], found[2] or found[3], is_sure=is_sure)


def _title(words: str, remark: str, *, is_sure: bool) -> Title | None:
    is_quoted = len(words) > 2 and words[0] == words[-1] and words[0] in '`"'
    path = unquoted(words[1:-1] if words.startswith("`") else words) if is_quoted else words
    if found := _LINES.match(path):
        path, remark = found[1], remark or "lines of it"
    if "://" in path or "`" in path or not path.isprintable() or path != path.strip():
        return None
    if not is_quoted and _CHARACTERS.fullmatch(path) is None:
        return None
    return Title(path, remark.strip()) if _is_path(path.lower(), is_sure=is_sure) else None


def _is_path(path: str, *, is_sure: bool) -> bool:
    """Whether a word is the path of a file, and nothing that is spelled alike."""
    name = re.split(r"[\\/]", path)[-1]
    if name in _NAMES or _HIDDEN.fullmatch(name) or (is_sure and name != path and name.strip(".")):
        return True
    stem, _, ending = name.rpartition(".")
    if not stem and name == path:
        return False
    if _ENDING.fullmatch(ending) is None or "." not in name:
        return False
    if name != path:
        return True
    return name not in _NO_FILES and (language_of(name) != "text" or ending in _ENDINGS)
