"""The blocks of code in a reply, by four readings; the first that finds any is taken.

Fences marked ``repl``; other fences that hold JavaScript; a tool call as JSON; bare lines of code.
"""

from msgspec import Struct

from ouroboros.rlm.code import bare, calls, fences
from ouroboros.workspace.artifacts.drafts import without_drafts

MOST_BLOCKS = 50
_OURS = frozenset({"repl"})
_SCRIPT = frozenset({
    "js",
    "javascript",
    "jsx",
    "mjs",
    "cjs",
    "node",
    "nodejs",
    "ecmascript",
    "es6",
    "ts",
    "tsx",
    "typescript",
    "javascript-repl",
    "js-repl",
})
_FOREIGN = frozenset({
    *("python", "py", "python3", "bash", "sh", "shell", "zsh", "console", "terminal", "powershell"),
    *(
        "html",
        "xml",
        "svg",
        "css",
        "scss",
        "json",
        "json5",
        "jsonl",
        "jsonc",
        "yaml",
        "yml",
        "toml",
    ),
    *("sql", "text", "txt", "plain", "plaintext", "markdown", "md", "diff", "patch", "output"),
    *("csv", "tsv", "http", "java", "c", "cpp", "c++", "cs", "csharp", "go", "rust", "rs", "ruby"),
    *(
        "rb",
        "php",
        "swift",
        "kotlin",
        "r",
        "lua",
        "perl",
        "log",
        "result",
        "tool_output",
        "mermaid",
    ),
})


class Block(Struct, frozen=True, kw_only=True):
    """One block; ``closed`` is False when the reply ended before it did."""

    code: str
    closed: bool = True


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks to run, in order; empty when the reply holds no code."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    text = without_drafts(text)
    found = _fenced(fences.fences(text))
    if not found:
        found = [Block(code=code) for code in calls.codes(text)]
    if not found and "```" not in text and "~~~" not in text:
        code = bare.code(text)
        found = [Block(code=code)] if code else []
    return tuple(found[:MOST_BLOCKS])


def _fenced(found: list[fences.Fence]) -> list[Block]:
    """Ours if there are any, else JavaScript, else what has no mark and reads like it."""
    filled = [fence for fence in found if fence.code.strip()]
    for wanted in (_OURS, _SCRIPT):
        taken = [fence for fence in filled if fence.language in wanted]
        if taken:
            return [Block(code=fence.code, closed=fence.closed) for fence in taken]
    return [
        Block(code=fence.code, closed=fence.closed)
        for fence in filled
        if fence.language not in _FOREIGN and bare.is_script(fence.code)
    ]
