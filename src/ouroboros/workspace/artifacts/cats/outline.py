"""The signatures of a file in the place of its text; pure."""

from ouroboros.workspace.repomap.tags import Definition, is_read


def outlined(path: str, data: bytes) -> bytes | None:
    """A line for each definition with its number, indented below the class it belongs to.

    None where the language is not known, or nothing is defined.
    """
    if not is_read(path):
        return None
    from ouroboros.workspace.repomap.reading import (
        tags_of,
    )  # a bundle without outlines never loads it

    found = tags_of(path, data).definitions
    if not found:
        return None
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    lines = [f"outline: the signatures of {count:,} lines, each with the number of its line"]
    lines += [_line(each) for each in sorted(found, key=lambda each: each.line)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _line(one: Definition) -> str:
    depth = one.parent.count(".") + 1 if one.parent else 0
    text = "".join(char if char.isprintable() else "?" for char in one.text)
    return f"{'  ' * depth}{one.line}: {text}"
