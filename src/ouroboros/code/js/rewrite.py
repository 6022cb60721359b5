"""Turns a block of JavaScript into one whose top level stays: its names, its awaits, its last value.

Pure. Declarations at the top level become assignments to global names, so that a later block finds
them and may declare them again (``const`` too: across blocks it is a name like any other). Functions
and everything inside them stay as written, on the lines they were written on. Read in the worker:
text that a model wrote meets the parser only inside the cage.
"""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MARK = "\N{LATIN SMALL LETTER F WITH HOOK}"
"""Begins the names that the rewrite makes; grows until the code has none like them."""

_FUNCTIONS = {"function_declaration", "generator_function_declaration"}
_SCOPES = _FUNCTIONS | {
    "function_expression",
    "function",
    "generator_function",
    "arrow_function",
    "method_definition",
    "class_static_block",
}
_ALONE = {"function_expression", "generator_function", "arrow_function", "class"}
_LOOPS = {"for_statement", "for_in_statement", "while_statement", "do_statement"}
_STRICT = (b'"use strict"', b"'use strict'")
_TYPES = re.compile(
    r"[\w\])}]\s*\??:\s*(string|number|boolean|any|unknown|void|Promise<|Array<|Record<)\b"
    r"|^\s*(interface|enum|declare|type)\s+\w+\s*[={]|\bas (const|any|string|number|unknown)\b",
    re.MULTILINE,
)
_PYTHON = re.compile(
    r"^\s*(?:def \w+\(.*\)|(?:for|while|if|elif|else|try|except|with)\b[^{(]*):\s*(?:#.*)?$"
    r"|^\s*from \w+ import |^\s*(?:elif|except)\b|\bnot in\b|\bf\"",
    re.MULTILINE,
)


class SyntaxFault(NamedTuple):
    """Why a block cannot be run at all; line and column from 1."""

    line: int
    column: int
    message: str


class Portable(NamedTuple):
    """A function that needs nothing but global names: its text as V8 shows it, and as written."""

    name: str
    seen: str
    source: str


class Rewritten(NamedTuple):
    """An async function of one argument (the namer of functions), as text.

    Attributes:
        code: To be evaluated; the first line is longer than it was, lines stay.
        plain: The same without any change inside, should V8 not take ``code``.
        names: What it declares at the top level, in order.
        portable: Its functions that a new isolate can be given.
        shadowed: Names of the REPL that it declares for itself; they last as long as the block.
        doubtful: The parser stumbled: ask V8 first whether ``plain`` is JavaScript at all.
    """

    code: str
    plain: str
    names: tuple[str, ...] = ()
    portable: tuple[Portable, ...] = ()
    shadowed: tuple[str, ...] = ()
    doubtful: bool = False


def rewritten(code: str, reserved: Collection[str] = ()) -> Rewritten | SyntaxFault:
    """The block that stays; ``reserved`` are the names that belong to the REPL."""
    if code.startswith("#!"):
        code = "//" + code[2:]
    data = code.encode("utf-8", "replace")
    root = _parser().parse(data).root_node
    fault = _refused(root)
    return fault or _Rewrite(data, root, frozenset(reserved)).result()


def hint(code: str, message: str) -> str:
    """What to do about a syntax error, where the code shows it; may be empty."""
    if _TYPES.search(code):
        return "This looks like TypeScript: write plain JavaScript, without types."
    if _PYTHON.search(code):
        return "This looks like Python: write JavaScript."
    if message.endswith("'<'"):
        return "This looks like JSX or HTML: put markup into a string."
    return ""


@functools.cache
def _parser() -> "Parser":
    import tree_sitter
    import tree_sitter_javascript

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def _text(node: "Node") -> bytes:
    return node.text or b""


def _part(node: "Node", name: str) -> "Node":
    """A part that the grammar says is there."""
    part = node.child_by_field_name(name)
    assert part is not None
    return part


def _refused(root: "Node") -> SyntaxFault | None:
    if b"import" not in _text(root) and b"export" not in _text(root):
        return None
    for node in _within(root, into_functions=True):
        if node.type in {"import_statement", "export_statement"}:
            words = node.type.partition("_")[0]
            return _fault(node, f"{words} is not available: there are no modules in this REPL")
        if node.type == "call_expression" and node.children[0].type == "import":
            return _fault(node, "import() is not available: there are no modules in this REPL")
        if node.type == "meta_property" and _text(node).startswith(b"import"):
            return _fault(node, "import.meta is not available: a block is not a module")
    return None


def _fault(node: "Node", message: str) -> SyntaxFault:
    row, column = node.start_point
    return SyntaxFault(row + 1, column + 1, message)


def _within(root: "Node", *, into_functions: bool = False) -> Iterator["Node"]:
    """Every node below, without recursion: nesting is the model's to choose."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if into_functions or node is root or node.type not in _SCOPES:
            waiting.extend(reversed(node.children))


def _names(pattern: "Node") -> Iterator[str]:
    """The names that a declarator's pattern binds."""
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                yield _text(node).decode()
            case "pair_pattern":
                waiting.append(_part(node, "value"))
            case "assignment_pattern" | "object_assignment_pattern":
                waiting.append(_part(node, "left"))
            case "object_pattern" | "array_pattern" | "rest_pattern":
                waiting.extend(reversed(node.named_children))
            case _:
                pass


class _Rewrite:
    def __init__(self, data: bytes, root: "Node", reserved: frozenset[str]) -> None:
        self._data, self._root, self._reserved = data, root, reserved
        self._mark = MARK
        while self._mark.encode() in data:
            self._mark += MARK
        self._edits: list[tuple[int, int, int, str]] = []
        self._names: dict[str, None] = {}
        self._portable: dict[str, Portable] = {}
        self._shadowed: dict[str, None] = {}
        self._hoisted: dict[str, None] = {}

    def result(self) -> Rewritten:
        statements = [node for node in self._root.named_children if node.type != "comment"]
        for node in statements:
            self._statement(node)
        if b"var" in self._data:
            self._nested_vars()
        ending = [node for node in statements if node.type not in _FUNCTIONS | {"empty_statement"}]
        if ending:
            self._tail(ending[-1], top=True)
        strict = bool(statements) and _text(statements[0]).rstrip(b";") in _STRICT
        return Rewritten(
            code=self._wrapped(self._edited(), strict=strict),
            plain=self._wrapped(self._data.decode(), strict=strict, hoisted=False),
            names=tuple(self._names),
            portable=() if self._shadowed else tuple(self._portable.values()),
            shadowed=tuple(self._shadowed),
            doubtful=self._root.has_error,
        )

    def _wrapped(self, text: str, *, strict: bool, hoisted: bool = True) -> str:
        mark = self._mark
        head = f"(async ({mark})=>{{" + ('"use strict";' if strict else "") + f"let {mark}{mark};"
        if hoisted:
            head += "".join(f'{name}={mark}({mark}{name},"{name}");' for name in self._hoisted)
        return f"{head}{text}\n;return {mark}({mark}{mark})}})"

    def _edited(self) -> str:
        data, at, pieces = self._data, 0, list[str]()
        for start, end, _, text in sorted(self._edits, key=lambda edit: edit[:3]):
            pieces += (data[at:start].decode(), text)
            at = end
        return "".join(pieces) + data[at:].decode()

    def _edit(self, start: int, end: int, text: str) -> None:
        # At one place what closes comes before what opens, each in the order it was asked for.
        order = len(self._edits)
        self._edits.append((start, end, -order if text.startswith(")") else order, text))

    def _claim(self, names: list[str]) -> bool:
        """Whether these names may become global; else they stay as they are, for this block."""
        taken = [name for name in names if name in self._reserved]
        self._shadowed.update(dict.fromkeys(taken))
        if not taken:
            self._names.update(dict.fromkeys(names))
        return not taken

    def _statement(self, node: "Node") -> None:
        kind = node.type
        if kind in _FUNCTIONS:
            self._function(node)
        elif kind in {"lexical_declaration", "variable_declaration"}:
            self._declaration(node)
        elif kind == "class_declaration":
            self._class(node)

    def _function(self, node: "Node") -> None:
        identifier = _part(node, "name")
        name = _text(identifier).decode()
        if not self._claim([name]):
            return
        self._hoisted[name] = None
        self._edit(identifier.start_byte, identifier.start_byte, self._mark)
        source = _text(node).decode()
        head = identifier.start_byte - node.start_byte
        text = _text(node)
        seen = text[:head].decode() + self._mark + text[head:].decode()
        self._portable[name] = Portable(name, seen, source)

    def _class(self, node: "Node") -> None:
        name = _text(_part(node, "name")).decode()
        if self._claim([name]):
            self._edit(node.start_byte, node.start_byte, f";{name}=")
            self._edit(node.end_byte, node.end_byte, ";")
            source = _text(node).decode()
            if not re.search(r"\bstatic\b", source):
                self._portable[name] = Portable(name, source, source)

    def _declaration(self, node: "Node") -> None:
        """``const a = 1, {b} = c`` becomes ``;a = 1, ({b} = c);``."""
        declarators = [one for one in node.named_children if one.type == "variable_declarator"]
        names = [name for one in declarators for name in _names(_part(one, "name"))]
        if not self._claim(names):
            return
        keyword = node.children[0]
        parent = node.parent.type if node.parent is not None else "program"
        listed = parent in {"program", "statement_block", "switch_case", "switch_default"}
        self._edit(keyword.start_byte, keyword.end_byte, ";" if listed else "")
        for one in declarators:
            self._declarator(one, keyword.type, top=parent == "program")
        if listed and not _text(node).endswith(b";"):
            self._edit(node.end_byte, node.end_byte, ";")

    def _declarator(self, node: "Node", keyword: str, *, top: bool) -> None:
        pattern = _part(node, "name")
        value = node.child_by_field_name("value")
        if value is None:
            if keyword != "var":
                self._edit(node.end_byte, node.end_byte, "=void 0")
        elif pattern.type != "identifier":
            self._edit(node.start_byte, node.start_byte, "(")
            self._edit(node.end_byte, node.end_byte, ")")
        elif top and value.type in _ALONE:
            name, source = _text(pattern).decode(), _text(value).decode()
            self._portable[name] = Portable(name, source, source)

    def _nested_vars(self) -> None:
        for node in _within(self._root):
            if node.type == "variable_declaration" and node.parent != self._root:
                self._declaration(node)
            elif node.type == "for_in_statement":
                kind = node.child_by_field_name("kind")
                left = _part(node, "left")
                if kind is not None and kind.type == "var" and self._claim(list(_names(left))):
                    self._edit(kind.start_byte, kind.end_byte, "")

    def _tail(self, node: "Node", *, top: bool = False) -> None:
        """Has the last expression that a statement would run kept as the block's value."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node.type == "expression_statement":
                self._keep(node)
            elif node.type == "statement_block" and top and self._is_object(node):
                self._keep(node, node)
            else:
                waiting += (one for one in _last_of(node) if one is not None)
            top = False

    def _keep(self, statement: "Node", expression: "Node | None" = None) -> None:
        if expression is None:
            if _text(statement).rstrip(b";") in _STRICT and statement.start_byte == 0:
                return
            inner = [one for one in statement.named_children if one.type != "comment"]
            if not inner:
                return
            expression = inner[0]
        self._edit(expression.start_byte, expression.start_byte, f"{self._mark}{self._mark}=(")
        closing = ")" if _text(statement).endswith(b";") else ");"
        self._edit(expression.end_byte, expression.end_byte, closing)

    def _is_object(self, node: "Node") -> bool:
        """``{a, b}`` at the end of a block is an object, as in every console."""
        root = _parser().parse(b"(" + _text(node) + b")").root_node
        return not root.has_error


def _last_of(node: "Node") -> Sequence["Node | None"]:
    """The statements one of which a statement ends with."""
    field = node.child_by_field_name
    match node.type:
        case "statement_block" | "switch_case" | "switch_default" | "program":
            value = field("value")
            inner = [one for one in node.named_children if one.type != "comment" and one != value]
            while inner and inner[-1].type in {"break_statement", "continue_statement"}:
                inner.pop()
            return inner[-1:]
        case "if_statement":
            return [field("consequence"), field("alternative")]
        case "try_statement":
            return [field("body"), field("handler")]
        case "switch_statement":
            return [field("body")]
        case "switch_body":
            return list(node.named_children)
        case "else_clause":
            return node.named_children[-1:]
        case "catch_clause" | "labeled_statement" | "with_statement":
            return [field("body")]
        case kind if kind in _LOOPS:
            return [field("body")]
        case _:
            return []
