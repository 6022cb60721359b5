"""Shell text by its grammar: simple commands in lists and pipelines, of plain or plainly quoted words.

Source: tree-sitter-bash. Only kinds of nodes that are known are read, each word is read a second
time by its characters, and the whole text by the scanner: where they differ it is not understood.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ouroboros.safety.commands.scanner import Reader
from ouroboros.safety.commands.verdict import Doubt

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LONGEST = 8_000
_MOST_WORDS = 250
_OPERATORS = "()<>|&;{}$`"
_MOST_OPERATORS = 400
"""The grammar takes the square of the time for what it does not understand."""

_DEEPEST = 80
_JOINTS = frozenset({"&&", "||", ";", "|", "|&", "\n"})
_WORDS = frozenset({
    "concatenation",
    "number",
    "raw_string",
    "simple_expansion",
    "string",
    "word",
})
_BLANKS = re.compile(rb" *")
_LINES = re.compile(rb"[ \n]*")
_NAME = re.compile(r"[A-Za-z0-9_.+/-]+")
_TEST = re.compile(r"\[(?: +[A-Za-z0-9_./=!-]+)+ +\]")

_KNOWN = (
    r"\$(?:(?:HOME|PATH|PWD|OLDPWD|SHELL|USER|LOGNAME|LANG|TERM|EDITOR|HOSTNAME|UID|BASH_VERSION"
    r"|OSTYPE)(?![A-Za-z0-9_\[])|\?)"
)
"""Variables whose value is no secret; it may be shown and nothing else."""

_PIECE = re.compile(
    r"(?P<bare>[A-Za-z0-9_@%+=:,./^~-]+)"
    r"|'(?P<single>[^'\n]*)'"
    r'|"(?P<double>(?:[^"\\$`!\n]|\\[^\n]|\$(?=["| )])|' + _KNOWN + r')*)"'
    r"|(?P<variable>" + _KNOWN + r")"
    r"|\\(?P<escaped>[ -~])"
    r"|(?P<pattern>[*?\[\]])"
    r"|(?P<braces>\{[A-Za-z0-9_@^~/:-]*\})"
)
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+")
_UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*" + _KNOWN)
_TILDE_LATER = re.compile(r"[:=]~")


class Word(Struct, frozen=True, kw_only=True):
    """A word without its quotes.

    Attributes:
        text: What the program gets, unless it ``is_pattern``.
        start: Where it begins in the text, in bytes.
        end: Where it ends.
        is_pattern: The shell may put names of files in its place.
        is_home: It begins with a bare ``~``.
        is_filled: The shell puts a variable's value into it.
        is_stream: It is the path of what another command prints, ``<(...)``.
        variable: It is, or was, filled with the value of this variable and nothing else.
        is_split: The shell splits that value and looks for files of that name.
    """

    text: str
    start: int = 0
    end: int = 0
    is_pattern: bool = False
    is_home: bool = False
    is_filled: bool = False
    is_stream: bool = False
    variable: str = ""
    is_split: bool = False


class Redirect(Struct, frozen=True, kw_only=True):
    """A redirection: ``operator`` with the number before it, and where to."""

    operator: str
    target: Word


class Simple(Struct, frozen=True, kw_only=True):
    """One simple command; ``joint`` is what stands before it."""

    words: tuple[Word, ...]
    assignments: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    joint: str = ""


def parse(text: str) -> tuple[Simple, ...]:
    """The simple commands of a text that is nothing but lists and pipelines of them.

    Raises:
        Doubt: The text is outside the subset that is understood.
    """
    data = text.encode("utf-8", "surrogatepass")
    reading = TreeReader(data)
    reading.statement(tree(text, data))
    agree(text, reading.drafts)
    return tuple(reading.commands)


def tree(text: str, data: bytes) -> "Node":
    """The root of the grammar's tree; ``data`` is the text in UTF-8.

    Raises:
        Doubt: It has odd characters, is too long, or is no shell text.
    """
    if not text.replace("\n", "").isprintable():
        odd = next(c for c in text if c != "\n" and not c.isprintable())
        raise Doubt(
            "ask.characters",
            f"it holds the character U+{ord(odd):04X}, which shells may read in several ways",
        )
    if len(text) > _LONGEST:
        raise Doubt("ask.long", "it is too long to be read with certainty")
    if len(text.split()) > _MOST_WORDS or sum(map(text.count, _OPERATORS)) > _MOST_OPERATORS:
        raise Doubt("ask.long", "it has too many words to be read with certainty")
    root = _parser().parse(data).root_node
    if root.has_error:
        raise Doubt("ask.syntax", "its grammar is not understood")
    return root


def prepare() -> None:
    """Loads the grammar, which takes a few milliseconds the first time."""
    _parser()


@cache
def _parser() -> "Parser":
    import tree_sitter

    return tree_sitter.Parser(tree_sitter.Language(_language()))


def _language() -> object:
    """The grammar from its library alone; its package would load 4 ms of resources beside it."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    package = find_spec("tree_sitter_bash")
    places = package and package.submodule_search_locations
    binding = PathFinder.find_spec("tree_sitter_bash._binding", places and list(places))
    if binding is None or binding.loader is None:
        raise ImportError("tree_sitter_bash is not installed whole")
    module = module_from_spec(binding)
    binding.loader.exec_module(module)
    return module.language()


def agree(
    text: str,
    drafts: Sequence[Sequence[str]],
    peeled: Callable[[Sequence[str]], Sequence[str]] = tuple,
) -> None:
    """Holds the scanner, which follows bash by hand, to have found the very same words.

    Raises:
        Doubt: It has found others.
    """
    reader = Reader(text.strip(" \t\n"))
    reader.read()
    theirs = [*filter(None, (tuple(peeled(draft.words)) for draft in reader.commands))]
    if reader.is_opaque or theirs != [*map(tuple, drafts)]:
        raise Doubt("ask.syntax", "shells may read it in several ways")


class TreeReader:
    """Walks a tree: the simple commands, and the words that the scanner must find for them."""

    def __init__(self, data: bytes) -> None:
        """``data`` is the text in UTF-8."""
        self.commands: list[Simple] = []
        self.drafts: list[tuple[str, ...]] = []
        self._data = data
        self._joint = ""
        self._depth = 0

    def statement(self, node: "Node") -> None:
        """Reads a node and what is in it.

        Raises:
            Doubt: It is of a kind that is not understood.
        """
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Doubt("ask.long", "it has too many commands to be read with certainty")
        self._kind(node)
        self._depth -= 1

    def _kind(self, node: "Node") -> None:
        match node.type:
            case "program" | "list" | "pipeline":
                self._group(node)
            case "redirected_statement":
                self._redirected(node)
            case "command":
                self._spaced(node, _BLANKS)
                self._command(node.children, ())
            case "test_command":
                self._test(node)
            case other:
                raise Doubt("ask.syntax", unknown(other))

    def _test(self, node: "Node") -> None:
        raw = self._raw(node)
        if not _TEST.fullmatch(raw):
            raise Doubt("ask.syntax", "it tests something in a way that is not understood")
        words: list[Word] = []
        for found in re.finditer(r"[^ ]+", raw):
            is_end = found.group() in {"[", "]"}
            words.append(Word(text=found.group()) if is_end else unquoted(found.group()))
        self._add(Simple(words=tuple(words), joint=self._joint))

    def _add(self, simple: Simple) -> None:
        self._joint = ""
        self.drafts.append((*simple.assignments, *(word.text for word in simple.words)))
        self.commands.append(simple)

    def _group(self, node: "Node") -> None:
        self._spaced(node, _LINES)
        before: Node | None = None
        for child in node.children:
            if child.type == "comment":
                line = self._data.rfind(b"\n", 0, child.start_byte) + 1
                if self._data[line : child.start_byte].strip(b" "):
                    raise Doubt("ask.syntax", "a comment stands after a command")
            elif child.is_named:
                self.statement(child)
                self._joint, before = "\n", child
            elif child.type in _JOINTS:
                self._joint = self._joined(child.type, before)
            else:
                raise Doubt("ask.syntax", unknown(child.type))

    def _joined(self, joint: str, before: "Node | None") -> str:
        """What joins the next command to the node ``before``."""
        del before
        return joint

    def _redirected(self, node: "Node") -> None:
        self._spaced(node, _BLANKS)
        body = node.child_by_field_name("body")
        if body is None:
            raise Doubt("ask.redirect", "it redirects without a command")
        written = [child for child in node.children if child.id != body.id]
        if body.type == "command":
            self._spaced(body, _BLANKS)
            self._command(body.children, tuple(map(self._redirect, written)))
            return
        self.statement(body)
        at = len(self.commands) - 1
        redirects = tuple(map(self._redirect, written))
        last = self.commands[at]
        self.commands[at] = msgspec.structs.replace(last, redirects=last.redirects + redirects)

    def _command(self, children: "list[Node]", redirects: tuple[Redirect, ...]) -> None:
        words: list[Word] = []
        assignments: list[str] = []
        for child in children:
            if child.type == "variable_assignment" and not words:
                assignments.append(self._assignment(child))
            elif child.type == "command_name" and not words:
                words.append(self._name(child))
            elif child.type == "file_redirect":
                redirects = (*redirects, self._redirect(child))
            elif words:
                words.append(self._word(child))
            else:
                raise Doubt("ask.syntax", unknown(child.type))
        if not words:
            raise Doubt("ask.environment", "it sets variables of the shell")
        self._add(
            Simple(
                words=tuple(words),
                assignments=tuple(assignments),
                redirects=redirects,
                joint=self._joint,
            )
        )

    def _name(self, node: "Node") -> Word:
        raw = self._raw(node)
        if len(node.children) != 1 or not _NAME.fullmatch(raw):
            raise Doubt("ask.syntax", "the name of the program is not written plainly")
        return Word(text=raw, start=node.start_byte, end=node.end_byte)

    def _assignment(self, node: "Node") -> str:
        raw = self._raw(node)
        name, equals, value = raw.partition("=")
        if not equals or not re.fullmatch(r"\w+", name, re.ASCII):
            raise Doubt("ask.environment", "it sets variables in a way that is not understood")
        if value and not re.fullmatch(r"[A-Za-z0-9_.@:/+,-]*", value):
            raise Doubt("ask.environment", f"the value of {name} is not written plainly")
        return raw

    def _redirect(self, node: "Node") -> Redirect:
        if node.type != "file_redirect":
            raise Doubt("ask.syntax", unknown(node.type))
        self._spaced(node, _BLANKS)
        target = node.child_by_field_name("destination")
        if target is None or node.children[-1].id != target.id or node.child_count > 3:
            raise Doubt("ask.redirect", "its redirection is not understood")
        operator = "".join(self._raw(child) for child in node.children[:-1])
        return Redirect(operator=operator, target=self._word(target))

    def _word(self, node: "Node") -> Word:
        if node.type not in _WORDS:
            raise Doubt("ask.syntax", unknown(node.type))
        return unquoted(self._raw(node), node.start_byte, node.end_byte)

    def _raw(self, node: "Node") -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def _spaced(self, node: "Node", blank: re.Pattern[bytes]) -> None:
        """Between the parts of a node there is nothing but blanks."""
        at = node.start_byte if node.parent is not None else 0
        for child in node.children:
            if not blank.fullmatch(self._data, at, child.start_byte):
                raise Doubt("ask.syntax", "its grammar is not understood")
            at = child.end_byte
        end = node.end_byte if node.parent is not None else len(self._data)
        if not blank.fullmatch(self._data, at, end):
            raise Doubt("ask.syntax", "its grammar is not understood")


def unquoted(raw: str, start: int = 0, end: int = 0) -> Word:
    """A word as the program gets it.

    Raises:
        Doubt: The shell may change it beyond putting in names of files.
    """
    if raw == "!" or _PLAIN.fullmatch(raw):
        return Word(text=raw, start=start, end=end)
    pieces: list[str] = []
    is_pattern, is_filled, at = False, False, 0
    while at < len(raw):
        found = _PIECE.match(raw, at)
        if found is None:
            raise Doubt("ask.syntax", f"the word {raw} may be changed by the shell")
        kind, text = str(found.lastgroup), found.group(str(found.lastgroup))
        is_filled = is_filled or kind == "variable"
        if kind == "double":
            is_filled = is_filled or re.search(_UNESCAPED, text) is not None
            text = re.sub(r"\\([\\\"$`])", r"\1", text)
        is_pattern = is_pattern or kind == "pattern"
        pieces.append(text)
        at = found.end()
    is_home = raw.startswith("~")
    if _TILDE_LATER.search(raw) or (is_home and raw[1:2] not in {"", "/"}):
        raise Doubt("ask.syntax", f"the word {raw} may be changed by the shell")
    return Word(
        text="".join(pieces),
        start=start,
        end=end,
        is_pattern=is_pattern,
        is_home=is_home,
        is_filled=is_filled,
    )


_SAID = {
    "&": "it runs in the background",
    "ansi_c_string": "it hides characters in $'...'",
    "arithmetic_expansion": "it computes, which may run what is inside",
    "arrayref": "it names an element of an array",
    "brace_expression": "it makes words from braces",
    "command_substitution": "it runs a command inside of another",
    "compound_statement": "it groups commands",
    "declaration_command": "it declares variables",
    "expansion": "the shell fills in a variable",
    "extglob_pattern": "it has a pattern of bash",
    "function_definition": "it defines a function",
    "heredoc_redirect": "it has a here-document",
    "herestring_redirect": "it feeds text to a command",
    "process_substitution": "it runs a command inside of another",
    "simple_expansion": "the shell fills in a variable",
    "subshell": "it starts a shell of its own",
    "translated_string": "the shell translates a text",
    "unset_command": "it unsets variables",
    "variable_assignment": "it sets variables of the shell",
}


def unknown(kind: str) -> str:
    """Why a kind of node is not read."""
    return _SAID.get(kind, f"it uses {kind.replace('_', ' ')}, of which it is not known what runs")
