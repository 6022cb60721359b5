"""The symbols of JavaScript and shell files, by their grammars."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from ouroboros.workspace.repomap.heads import plain
from ouroboros.workspace.repomap.tags import Definition

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MOST_NODES = 200_000
_MOST_OPEN = 100
"""Comments without an end, each of which the grammar follows to the end of the file."""
_KINDS = frozenset({
    *("function_declaration", "generator_function_declaration", "class_declaration"),
    *("method_definition", "function_definition"),
})
_VALUES = frozenset({"arrow_function", "function_expression", "class", "generator_function"})
_INSIDE = frozenset({
    *("program", "export_statement", "class_body", "lexical_declaration", "variable_declaration"),
    *("class_declaration", "if_statement", "compound_statement", "statement_block", "class"),
    *("variable_declarator", "ERROR"),
})


@cache
def _parser(language: str) -> "Parser":
    import tree_sitter

    if language == "javascript":
        import tree_sitter_javascript as grammar
    else:
        import tree_sitter_bash as grammar
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def script_definitions(data: bytes, language: str) -> list[Definition] | None:
    """Functions, classes, methods and named functions; None where the grammar gives up."""
    if data.count(b"/*") - data.count(b"*/") > _MOST_OPEN:
        return None
    tree = _parser(language).parse(data)
    found = list(_of(tree.root_node))
    return None if not found and tree.root_node.has_error else found


def _of(root: "Node") -> Iterator[Definition]:
    waiting: list[tuple[Node, str]] = [(root, "")]
    left = _MOST_NODES
    while waiting and left:
        left -= 1
        node, parent = waiting.pop()
        within = parent
        named = node.child_by_field_name("name")
        if named is not None and (node.type in _KINDS or _is_named_value(node)):
            name = _text(named)
            yield Definition(name, node.start_point[0] + 1, parent, _head(node))
            if "class" in node.type or _value(node) == "class":
                within = name
        if node.type in _INSIDE:
            waiting += [(child, within) for child in reversed(node.named_children)]


def _is_named_value(node: "Node") -> bool:
    return node.type == "variable_declarator" and _value(node) in _VALUES


def _value(node: "Node") -> str:
    value = node.child_by_field_name("value")
    return value.type if value is not None else ""


def _head(node: "Node") -> str:
    """Its signature, over as many lines as it takes, up to its body."""
    within = node.child_by_field_name("value") or node
    body = within.child_by_field_name("body")
    if body is None:
        return plain(_text(node).partition("\n")[0])
    return plain(
        (node.text or b"")[: body.start_byte - node.start_byte][:1200].decode("utf-8", "replace")
    )


def _text(node: "Node") -> str:
    return (node.text or b"")[:400].decode("utf-8", "replace")
