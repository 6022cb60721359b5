"""Whether a place in JavaScript lies within a template literal, read line by line."""

_BEFORE_REGEX = frozenset("(,=:[!&|?{};+-*%<>~^")
_WORDS_BEFORE_REGEX = ("return", "typeof", "case", "in", "of", "await", "yield", "delete", "void")


class Quotes:
    """Strings, comments, templates and regular expressions, as far as needed to tell them apart."""

    def __init__(self) -> None:
        """Begins in plain code."""
        self._open: list[str] = []  # "`" a template, "{" a ${ within one, "(" any other brace
        self._comment = False

    @property
    def in_template(self) -> bool:
        """The next character would be text of a template literal."""
        return bool(self._open) and self._open[-1] == "`"

    def read(self, line: str) -> None:
        """Takes in one line without its end."""
        at, length = 0, len(line)
        while at < length:
            if self._comment:
                end = line.find("*/", at)
                if end < 0:
                    return
                self._comment, at = False, end + 2
            elif self.in_template:
                at = self._text(line, at)
            else:
                at = self._plain(line, at)

    def _text(self, line: str, at: int) -> int:
        mark = line[at]
        if mark == "\\":
            return at + 2
        if mark == "`":
            self._open.pop()
        elif line.startswith("${", at):
            self._open.append("{")
            return at + 2
        return at + 1

    def _plain(self, line: str, at: int) -> int:
        mark = line[at]
        match mark:
            case "'" | '"':
                return _string_end(line, at)
            case "`":
                self._open.append("`")
            case "{":
                self._open.append("(")
            case "}":
                if self._open:
                    self._open.pop()
            case "/":
                return self._slash(line, at)
            case _:
                pass
        return at + 1

    def _slash(self, line: str, at: int) -> int:
        if line.startswith("//", at):
            return len(line)
        if line.startswith("/*", at):
            self._comment = True
            return at + 2
        before = line[:at].rstrip()
        if before and before[-1] not in _BEFORE_REGEX and not before.endswith(_WORDS_BEFORE_REGEX):
            return at + 1
        return _regex_end(line, at)


def _string_end(line: str, at: int) -> int:
    quote = line[at]
    at += 1
    while at < len(line):
        if line[at] == "\\":
            at += 1
        elif line[at] == quote:
            return at + 1
        at += 1
    return at


def _regex_end(line: str, at: int) -> int:
    """Behind the closing slash; right behind the opening one where there is no closing one."""
    within = False
    place = at + 1
    while place < len(line):
        match line[place]:
            case "\\":
                place += 1
            case "[":
                within = True
            case "]":
                within = False
            case "/" if not within:
                return place + 1
            case _:
                pass
        place += 1
    return at + 1
