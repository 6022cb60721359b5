"""A second reading of the patch format, slow and plain, to hold the real one against."""

FOLDS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
}


def level(line: str, number: int) -> str:
    if number == 1:
        return line
    if number == 2:
        return line.rstrip()
    if number == 3:
        return line.strip()
    return "".join(FOLDS.get(char, char) for char in line.strip())


def find(lines: list[str], wanted: list[str], cursor: int, *, at_end: bool) -> int | None:
    if not wanted:
        return cursor
    if len(wanted) > len(lines):
        return None
    first = len(lines) - len(wanted) if at_end else cursor
    for number in (1, 2, 3, 4):
        for start in range(first, len(lines) - len(wanted) + 1):
            here = lines[start : start + len(wanted)]
            if [level(line, number) for line in here] == [level(line, number) for line in wanted]:
                return start
    return None


type Step = tuple[str | None, list[tuple[str, str]], bool]
"""A header, the marked lines, and whether they are the end of the file."""


def applied(text: str, steps: list[Step]) -> str | None:
    """The text after the steps; None where one of them is not found."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    cursor = 0
    edits: list[tuple[int, int, list[str]]] = []
    for header, marked, at_end in steps:
        if header is not None:
            found = find(lines, [header], cursor, at_end=False)
            if found is None:
                return None
            cursor = found + 1
        old = [line for mark, line in marked if mark in " -"]
        new = [line for mark, line in marked if mark in " +"]
        if not old:
            place = len(lines) - 1 if lines and not lines[-1] else len(lines)
            edits.append((place, 0, new))
            continue
        found = find(lines, old, cursor, at_end=at_end)
        if found is None and not old[-1]:
            old = old[:-1]
            new = new[:-1] if new and not new[-1] else new
            found = find(lines, old, cursor, at_end=at_end)
        if found is None:
            return None
        edits.append((found, len(old), new))
        cursor = found + len(old)
    for start, length, new in sorted(edits, key=lambda edit: edit[0])[::-1]:
        lines[start : start + length] = new
    if not lines or lines[-1]:
        lines.append("")
    return "\n".join(lines)
