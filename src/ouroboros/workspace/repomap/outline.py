"""The weightiest symbols as an outline, in so many characters; pure."""

from collections.abc import Sequence

from ouroboros.workspace.repomap.ranking import Ranked


def outline(ranked: Sequence[Ranked], *, most_chars: int) -> tuple[str, int]:
    """The outline, and how many symbols it shows: as many of the first as there is room for."""
    low, high = 0, min(len(ranked), most_chars)  # none takes less than a character
    best = ""
    while low < high:
        middle = (low + high + 1) // 2
        text = _drawn(ranked[:middle])
        if len(text) <= most_chars:
            low, best = middle, text
        else:
            high = middle - 1
    return best, low


def _drawn(ranked: Sequence[Ranked]) -> str:
    files: dict[str, list[Ranked]] = {}
    for one in ranked:
        files.setdefault(one.path, []).append(one)
    lines: list[str] = []
    for path, symbols in files.items():
        lines.append(f"{_plain(path)}:")
        told: set[str] = set()
        for one in sorted(symbols, key=lambda each: each.definition.line):
            lines += _symbol(one, told)
    return "\n".join(lines)


def _symbol(one: Ranked, told: set[str]) -> list[str]:
    definition = one.definition
    lines: list[str] = []
    if definition.parent and definition.parent not in told:
        lines.append(f"  … {_plain(definition.parent)}")
        told.add(definition.parent)
    qualified = f"{definition.parent}.{definition.name}".lstrip(".")
    told.add(qualified)
    indent = "    " if definition.parent else "  "
    return [*lines, f"{indent}{definition.line}: {_plain(definition.text)}"]


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
