"""Shell text taken apart into the simple commands that stand in it, also inside substitutions.

Quotes, comments, here-documents and substitutions are followed as bash does; whatever is beyond
that makes the text ``is_opaque``: something may run that was not seen.
"""

import re

_SEPARATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|[;|&\n]")
# No &>: a shell that does not know it reads & and >, and then what follows is a command.
_REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(<<<|<<-?|<>|<&|<|>>|>\||>&|>)")
_BARE = re.compile(r"[^ \t\n'\"\\;&|<>()`$]+")
_PLAIN_WORDS = re.compile(r"(?:[\w./,:@%+=-]++[ \t]++)++", re.ASCII)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./,:=@%+^~")
"""What begins no operator; digits may, before a redirection."""

_LITERAL = re.compile(r"[^\\$`\"]+|\"")
_ARITHMETIC = re.compile(r"\(\([^()`'\"\\]*\)\)")
_LIST = re.compile(r"\([^()&;|<>]*\)(?![^ \t\n;&|)])")
_ANSI = re.compile(r"\$'(?:\\.|[^'\\])*'", re.DOTALL)
_BACKTICKS = re.compile(r"`((?:\\.|[^`\\])*)`", re.DOTALL)
_BRACES = re.compile(r"[^{]*\{.*(?:,|\.\.)", re.DOTALL)
_EXPANDED = re.compile(r"[*?]|\[.|^~", re.DOTALL)
_DEEPEST = 24
_MOST_STEPS = 1_200
_SCRIPT = 3
"""Steps that a text within the text takes beside its own."""


class Draft:
    """A simple command while it is read: its words, and which of them the shell may change."""

    def __init__(self) -> None:
        """``feeds`` are texts the command reads on its standard input."""
        self.words: list[str] = []
        self.loose: list[bool] = []
        self.feeds: list[str] = []


class Budget:
    """How much of a text may still be read, here and in what stands inside of it."""

    def __init__(self) -> None:
        """Enough for some hundred commands."""
        self._left = _MOST_STEPS

    def is_spent(self, steps: int) -> bool:
        """Takes steps; whether there were not so many left."""
        self._left -= steps
        return self._left < 0


class _Word:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.bare: list[str] = []
        self.is_dynamic = False
        self.is_quoted = False


class _Heredoc:
    def __init__(self, word: _Word, draft: Draft, *, is_indented: bool) -> None:
        self.delimiter = "".join(word.pieces)
        self.is_quoted = word.is_quoted
        self.is_indented = is_indented
        self.draft = draft


class Reader:
    """Reads one text once, from its beginning to its end."""

    def __init__(self, text: str, *, depth: int = 0, budget: Budget | None = None) -> None:
        """Nothing is read before ``read``."""
        self.commands: list[Draft] = []
        self.is_plain = True
        self.is_opaque = False
        self.is_cut = False
        self._budget = budget or Budget()
        self._text = text
        self._at = 0
        self._depth = depth
        self._inner = 0
        self._draft = Draft()
        self._word: _Word | None = None
        self._redirect = ""
        self._heredocs: list[_Heredoc] = []

    def read(self, end: str = "") -> None:
        """Collects commands up to ``end``, or to the end of the text."""
        outer = self._draft, self._word, self._redirect
        self._draft, self._word, self._redirect = Draft(), None, ""
        self._inner += bool(end)
        self._deepen()
        while self._at < len(self._text):
            character = self._text[self._at]
            if character == end:
                self._at += 1
                break
            self._step(character)
        else:
            self.is_opaque = self.is_opaque or bool(end)
        self._end_command()
        # The body of a here-document would follow after the substitution's end.
        self.is_opaque = self.is_opaque or bool(end and self._heredocs)
        self._depth -= 1
        self._inner -= bool(end)
        self._draft, self._word, self._redirect = outer

    def expand(self) -> None:
        """Collects only what a here-document's text would run."""
        self._double("")

    def _step(self, character: str) -> None:
        if self._is_over() or self._plain_words():
            return
        if character in " \t":
            self._end_word()
            self._at += 1
        elif character == "\\":
            self._escape()
        elif character in "'\"`$":
            self._quoted(character)
        elif character == "#" and self._word is None:
            self.is_plain = False
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        elif character in "()":
            self._parenthesis(character)
        elif character in _LETTERS or not self._operator():
            found = _BARE.match(self._text, self._at)
            bare = found.group() if found else character
            self._grow(bare).bare.append(bare)
            self._at += len(bare)

    def _plain_words(self) -> bool:
        """Whether whole words stood here that the shell leaves as they are; they are taken."""
        is_between = self._word is None and not self._redirect
        found = _PLAIN_WORDS.match(self._text, self._at) if is_between else None
        words = found.group().split() if found else []
        if found is None or "case" in words:
            return False
        self._at = found.end()
        self._draft.words += words
        self._draft.loose += [False] * len(words)
        return True

    def _grow(self, text: str) -> _Word:
        if self._word is None:
            self._word = _Word()
        self._word.pieces.append(text)
        return self._word

    def _escape(self) -> None:
        following = self._text[self._at + 1 : self._at + 2]
        if following != "\n":
            self._grow(following or "\\").is_quoted = True
        self._at += 2

    def _quoted(self, character: str) -> None:
        if character == "'":
            self._grow(self._single()).is_quoted = True
        elif character == '"':
            self._at += 1
            self._grow("").is_quoted = True
            self._grow(self._double('"'))
        elif character == "`":
            self._grow(self._backticks())
        else:
            self._grow(self._dollar(is_double=False))

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            self._give_up()
            return ""
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return text

    def _double(self, end: str) -> str:
        pieces: list[str] = []
        while self._at < len(self._text) and not self._is_over():
            character = self._text[self._at]
            if character == end:
                self._at += 1
                return "".join(pieces)
            if character == "\\":
                following = self._text[self._at + 1 : self._at + 2]
                kept = following if following in '$`"\\' else f"\\{following}"
                pieces.append("" if following == "\n" else kept)
                self._at += 2
            elif character == "$":
                pieces.append(self._dollar(is_double=True))
            elif character == "`":
                pieces.append(self._backticks())
            else:
                found = _LITERAL.match(self._text, self._at)
                pieces.append(found.group() if found else character)
                self._at += len(pieces[-1])
        self.is_opaque = self.is_opaque or bool(end)
        return "".join(pieces)

    def _dollar(self, *, is_double: bool) -> str:
        start = self._at
        following = self._text[start + 1 : start + 2]
        self._at += 1
        if following == "(":
            self._substitution()
        elif following == "{":
            self._braces(is_double=is_double)
        elif following == "'" and not is_double:
            found = _ANSI.match(self._text, start)
            self._at = found.end() if found else len(self._text)
            self.is_opaque = self.is_opaque or found is None
        elif following == '"' and not is_double:
            self._at += 1
            self._grow("").is_quoted = True
            return self._double('"')
        elif not (following.isalnum() or following in "_@*#?$!-"):
            return "$"
        self._note_dynamic()
        return self._text[start : self._at]

    def _substitution(self) -> None:
        arithmetic = _ARITHMETIC.match(self._text, self._at)
        if arithmetic:
            self._at = arithmetic.end()
            return
        self.is_opaque = self.is_opaque or self._text.startswith("((", self._at)
        self._at += 1
        self._is_over(_SCRIPT)
        self.read(")")

    def _braces(self, *, is_double: bool) -> None:
        start = self._at = self._at + 1
        self._deepen()
        while self._at < len(self._text) and (character := self._text[self._at]) != "}":
            if self._is_over():
                break
            if character == "\\":
                self._at += 2
            elif character == '"':
                self._at += 1
                self._double('"')
            elif character == "'" and not is_double:
                self._single()
            elif character == "$":
                self._dollar(is_double=is_double)
            elif character == "`":
                self._backticks()
            else:
                self._at += 1
        inside = self._text[start : self._at]
        # A blank or a bar starts a command in newer shells; @P runs what a variable holds.
        runs = inside[:1] in {" ", "\t", "\n", "|"} or "@P" in inside
        self.is_opaque = self.is_opaque or runs or self._at >= len(self._text)
        self._at += 1
        self._depth -= 1

    def _backticks(self) -> str:
        self._note_dynamic()
        self._is_over(_SCRIPT)
        found = _BACKTICKS.match(self._text, self._at)
        if found is None:
            self._give_up()
            return ""
        self._at = found.end()
        inner = Reader(
            re.sub(r"\\([$`\\\"])", r"\1", found.group(1)), depth=self._depth, budget=self._budget
        )
        inner.read()
        self._merge(inner)
        return found.group()

    def _merge(self, inner: "Reader") -> None:
        self.commands.extend(inner.commands)
        self.is_opaque = self.is_opaque or inner.is_opaque
        self.is_cut = self.is_cut or inner.is_cut
        self.is_plain = False

    def _note_dynamic(self) -> None:
        self.is_plain = False
        if self._word is None:
            self._word = _Word()
        self._word.is_dynamic = True

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._give_up()

    def _is_over(self, steps: int = 1) -> bool:
        """Whether nothing more is read of a text that has too much in it."""
        if self._budget.is_spent(steps):
            self.is_cut = True
            self._give_up()
        return self.is_cut

    def _give_up(self) -> None:
        self.is_opaque = True
        self._at = len(self._text)

    def _parenthesis(self, character: str) -> None:
        before = self._word.bare[-1][-1] if self._word and self._word.bare else ""
        # A pattern; or a list, of which bash forgets a faulty line and goes on with the next.
        if before in set("?*+@!") or (before == "=" and not _LIST.match(self._text, self._at)):
            self.is_opaque = True
        self._end_command()
        self.is_plain = False
        arithmetic = _ARITHMETIC.match(self._text, self._at)
        if arithmetic:
            self._at = arithmetic.end()
            return
        self.is_opaque = self.is_opaque or self._text.startswith("((", self._at)
        self._at += 1
        if character == "(":
            self.read(")")

    def _operator(self) -> bool:
        """Whether an operator stands here; it is taken."""
        if self._text.startswith(("<(", ">("), self._at):
            self._at += 2
            self._note_dynamic()
            self.read(")")
            return True
        redirect = _REDIRECT.match(self._text, self._at)
        if redirect and (self._word is None or self._text[self._at] in "<>"):
            self._end_word()
            self._redirect = redirect.group(1)
            self._at = redirect.end()
            self.is_plain = False
            return True
        separator = _SEPARATOR.match(self._text, self._at)
        if separator is None:
            return False
        self._end_command()
        self.is_plain = False
        self._at = separator.end()
        if separator.group() == "\n":
            self._take_bodies()
        return True

    def _end_word(self) -> None:
        word, self._word = self._word, None
        if word is None:
            return
        text, bare = "".join(word.pieces), "".join(word.bare)
        redirect, self._redirect = self._redirect, ""
        if redirect:
            self._redirected(redirect, word, text)
            return
        is_braced = _BRACES.match(bare) is not None
        loose = word.is_dynamic or is_braced
        loose = loose or (bare not in {"[", "[["} and _EXPANDED.search(bare) is not None)
        if loose and (is_braced or bare.startswith("-")):
            self.is_plain = False
        # The patterns of a case end with a parenthesis, which here looks like the end.
        self.is_opaque = self.is_opaque or (self._inner > 0 and text == "case")
        self._draft.words.append(text)
        self._draft.loose.append(loose)

    def _redirected(self, redirect: str, word: _Word, text: str) -> None:
        if redirect == "<<<":
            self._draft.feeds.append(text)
        elif redirect.startswith("<<"):
            self.is_opaque = self.is_opaque or word.is_dynamic
            self._heredocs.append(_Heredoc(word, self._draft, is_indented=redirect == "<<-"))

    def _end_command(self) -> None:
        self._end_word()
        self._redirect = ""
        if self._draft.words:
            self.commands.append(self._draft)
            self._is_over()
        self._draft = Draft()

    def _take_bodies(self) -> None:
        heredocs, self._heredocs = self._heredocs, []
        for heredoc in heredocs:
            body = self._body(heredoc)
            heredoc.draft.feeds.append(body)
            if not heredoc.is_quoted:
                self.is_opaque = self.is_opaque or "\\\n" in body
                inner = Reader(body, depth=self._depth, budget=self._budget)
                inner.expand()
                self._merge(inner)

    def _body(self, heredoc: _Heredoc) -> str:
        lines: list[str] = []
        while self._at < len(self._text):
            end = self._text.find("\n", self._at)
            end = len(self._text) if end < 0 else end
            line = self._text[self._at : end]
            self._at = end + 1
            line = line.lstrip("\t") if heredoc.is_indented else line
            if line == heredoc.delimiter:
                return "\n".join(lines)
            lines.append(line)
        self.is_opaque = True
        return "\n".join(lines)
