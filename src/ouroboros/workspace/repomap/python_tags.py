"""The symbols of a Python file, by Python's own parser; nothing of it is run."""

import ast
import warnings

from ouroboros.workspace.repomap.tags import Definition

type _Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_MOST_LEVELS = 4


def python_definitions(source: str) -> list[Definition] | None:
    """Classes, functions, methods and constants; None where it is no Python of this version."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = source.splitlines()
    found: list[Definition] = []
    _walk(tree.body, "", found, lines, 0)
    return found


def _walk(
    body: list[ast.stmt], parent: str, found: list[Definition], lines: list[str], level: int
) -> None:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                found.append(_of(node, parent, lines))
                if level < _MOST_LEVELS:
                    _walk(node.body, f"{parent}.{name}".lstrip("."), found, lines, level + 1)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.append(_of(node, parent, lines))
            case ast.Assign() | ast.AnnAssign() if not parent:
                found += _constants(node)
            case ast.If() | ast.Try() if level < _MOST_LEVELS:
                _walk(node.body, parent, found, lines, level + 1)
                _walk(node.orelse, parent, found, lines, level + 1)
            case _:
                pass


def _of(node: _Node, parent: str, lines: list[str]) -> Definition:
    first = node.body[0].lineno if node.body else node.lineno
    last = max(node.lineno, min(first - 1, node.lineno + 11))
    head = " ".join(line.strip() for line in lines[node.lineno - 1 : last])
    if first == node.lineno:
        head = head.partition(":\n")[0]
    return Definition(node.name, node.lineno, parent, _shortened(head))


def _shortened(head: str) -> str:
    text = head.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")")
    for sign in (') -> "', ") -> ", "):"):
        at = text.find(sign)
        if at >= 0:
            end = text.find(":", at + len(sign)) if sign != "):" else at + 1
            text = text[: end if end > 0 else None]
            break
    return text.rstrip(": ")[:160]


def _constants(node: ast.Assign | ast.AnnAssign) -> list[Definition]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [
        Definition(target.id, node.lineno, "", target.id, is_value=True)
        for target in targets
        if isinstance(target, ast.Name) and len(target.id) > 2 and not target.id.startswith("__")
    ]
