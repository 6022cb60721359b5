"""Which options of a program are known only to read, and which of its words are paths.

A table line is a list of these: ``-abc`` letters, ``-abn=`` letters, the last with a value, ``-M[=]`` with a
value glued to it, ``--long``, ``--long=``, ``--long[=]``, ``-#`` a number; ``=@`` stands for a path as the value, ``==`` for two
values. Then the operands: ``PATHS``, ``PATH?`` at most one, ``PATTERN`` a word before paths unless ``-e``
or ``-f`` gave it, ``WORDS`` any, ``NAMES`` plain names, ``RAW`` all left to a check; without one of these there are none. ``ANY`` says
that no word does harm, so others may add words. ``:name`` is one more check.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct, field

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.verdict import Doubt

_ANY = "ANY"
_NUMBER = re.compile(r"-\d+")
_NAME = re.compile(r"(?!\+)[\w.:@+/-]*", re.ASCII)


class Spec(Struct, kw_only=True):
    """What is known of a program; each option has how it takes its value."""

    options: dict[str, str] = field(default_factory=dict[str, str])
    operands: str = ""
    is_open: bool = False
    checks: tuple[str, ...] = ()


class Match(Struct, kw_only=True):
    """The words of a command, sorted out."""

    paths: list[Word] = field(default_factory=list[Word])
    operands: list[Word] = field(default_factory=list[Word])
    given: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


@cache
def spec(line: str) -> Spec:
    """A table line, read."""
    made = Spec()
    for token in line.split():
        if token.startswith("-"):
            name, how = _split(token)
            if name.startswith("--") or name == "-#":
                made.options[name] = how
            else:
                made.options |= {f"-{letter}": "" for letter in name[1:-1]}
                made.options[f"-{name[-1]}"] = how
        elif token.startswith(":"):
            made.checks = (*made.checks, token[1:])
        elif token == _ANY:
            made.is_open = True
        else:
            made.operands = token
    return made


def _split(token: str) -> tuple[str, str]:
    for ending in ("[=]", "==", "=@", "="):
        if token.endswith(ending):
            return token.removesuffix(ending), ending
    return token, ""


def sort_out(program: str, known: Spec, words: Sequence[Word]) -> Match:
    """Takes the words after a program's name apart.

    Raises:
        Doubt: An option, or a number of operands, that is not known to be harmless.
    """
    return _Sorting(program, known).sort(words)


class _Sorting:
    def __init__(self, program: str, known: Spec) -> None:
        self._program = program
        self._known = known
        self._match = Match()

    def sort(self, words: Sequence[Word]) -> Match:
        rest = list(words) if self._known.operands != "RAW" else []
        while rest:
            word = rest.pop(0)
            if word.text == "--":
                self._match.operands.extend(rest)
                break
            if word.is_pattern and not self._known.is_open and word.text[:1] in "*?[":
                raise Doubt(
                    "ask.pattern",
                    f"a file may be named like an option of {self._program}; write ./{word.text}",
                )
            if not word.text.startswith("-") or word.text == "-":
                self._match.operands.append(word)
            elif word.text.startswith("--"):
                self._long(word, rest)
            elif _NUMBER.fullmatch(word.text) and "-#" in self._known.options:
                continue
            else:
                self._short(word, rest)
        self._operands()
        return self._match

    def _long(self, word: Word, rest: list[Word]) -> None:
        name, equals, value = word.text.partition("=")
        how = self._known.options.get(name)
        if how is None or (equals and not how):
            self._refuse(name)
        elif not equals and how not in {"", "[=]"}:
            self._value(name, how, rest)
        else:
            self._note(name, how, word, value)

    def _short(self, word: Word, rest: list[Word]) -> None:
        letters = word.text[1:]
        for number, letter in enumerate(letters, 1):
            name = f"-{letter}"
            how = self._known.options.get(name)
            if how is None:
                self._refuse(name if len(letters) == 1 else f"{name} in {word.text}")
                return
            if how:
                glued = letters[number:]
                if glued or how == "[=]":
                    self._note(name, how, word, glued)
                else:
                    self._value(name, how, rest)
                return
            self._match.given.setdefault(name, []).append("")

    def _value(self, name: str, how: str, rest: list[Word]) -> None:
        count = 2 if how == "==" else 1
        if len(rest) < count:
            self._refuse(name)
        for _ in range(count):
            word = rest.pop(0)
            if re.match(r"-\D", word.text):
                # Were the value glued only, the program would take this for an option.
                self._refuse(f"{name} {word.text}")
            self._note(name, how, word, word.text)

    def _note(self, name: str, how: str, word: Word, value: str) -> None:
        # Glued to a long name, whatever a pattern stands for is still this option.
        is_glued = word.text.startswith(f"{name}=") and how != "=@"
        if word.is_pattern and not is_glued:
            raise Doubt("ask.pattern", f"the shell may change the value of {name}")
        self._match.given.setdefault(name, []).append(value)
        if how == "=@":
            is_home = word.is_home and word.text == value
            self._match.paths.append(Word(text=value, is_home=is_home))

    def _operands(self) -> None:
        match, operands = self._match, self._match.operands
        match self._known.operands:
            case "PATHS":
                match.paths.extend(operands)
            case "PATH?" if len(operands) <= 1:
                match.paths.extend(operands)
            case "PATTERN":
                has_pattern = match.given.keys() & {"-e", "-f", "--regexp", "--file", "--files"}
                match.paths.extend(operands if has_pattern else operands[1:])
            case "WORDS":
                pass
            case "NAMES" if all(_NAME.fullmatch(word.text) for word in operands):
                pass
            case _ if operands:
                raise Doubt(
                    "ask.operand",
                    f"{self._program} with {operands[-1].text} is not known only to read",
                )
            case _:
                pass

    def _refuse(self, option: str) -> None:
        raise Doubt(
            "ask.option", f"the option {option} of {self._program} is not known to be harmless"
        )
