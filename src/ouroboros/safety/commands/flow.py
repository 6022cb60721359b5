"""Shell text with conditions, loops, groups and substitutions: the simple commands that it may run.

A loop over words is read once for each of them. A variable that the text itself sets to a plain word
is that word; one that holds what a program prints may be shown and nothing else.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, override

import msgspec
from msgspec import Struct

from ouroboros.safety.commands.grammar import (
    Redirect,
    Simple,
    TreeReader,
    Word,
    agree,
    tree,
    unknown,
    unquoted,
)
from ouroboros.safety.commands.verdict import Doubt

if TYPE_CHECKING:
    from tree_sitter import Node

_PEELED = frozenset({"!", "{", "}", "if", "then", "elif", "else", "fi", "while", "do", "done"})
_RESERVED = _PEELED | {"until", "for", "select", "in", "case", "esac", "function", "coproc"}
_STRUCTURES = frozenset({"compound_statement", "if_statement", "subshell"})
_CLAUSES = frozenset({"do_group", "elif_clause", "else_clause"})
_MARKS = _PEELED | {"(", ")", "$(", "<(", ";", "\n"}
_SINGLE = frozenset({"command", "list", "pipeline", "test_command"})
_PIPES = frozenset({"|", "|&"})

_GOING = frozenset({"cd", "chdir", "popd", "pushd", "command", "builtin"})
_VARIABLE = re.compile(r"[a-z][a-z0-9]{0,15}")
_OF_ZSH = frozenset({"argv", "cdpath", "fignore", "fpath", "histchars", "mailpath", "manpath", "path", "pipestatus", "prompt", "psvar", "signals", "status", "watch"})  # fmt: skip
"""Names that are no plain variables in zsh."""

_COMPUTED = re.compile(r"\$\(\([0-9 +*/%-]+\)\)")
_VALUE = re.compile(r"\$(\{)?([a-z][a-z0-9]*)(?(1)\})")
_WHOLE = re.compile(r'(")?\$(\{)?([a-z][a-z0-9]*)(?(2)\})(?(1)")')
_UNSPLIT = re.compile(r"[A-Za-z0-9_./-]+")
_FILLED = "$?"
"""It stands for what the shell fills in while the rest of a word is read."""

_TESTS = re.compile(r"\[\[ (?:! )?-[a-zA-Z] [\w./-]+(?: (?:&&|\|\|) (?:! )?-[a-zA-Z] [\w./-]+)* \]\]", re.ASCII)  # fmt: skip
_ONE_TEST = re.compile(r"(?:! )?(-[a-zA-Z]) ([\w./-]+)", re.ASCII)
_MOST_VALUES = 16
_MOST_COMMANDS = 200


class Script(Struct, frozen=True, kw_only=True):
    """What shell text may run; ``is_flat`` when it is a list or a pipeline and nothing more."""

    commands: tuple[Simple, ...]
    is_flat: bool


def parse_script(text: str) -> Script:
    """The simple commands that a text may run, those in loops once for each word of the loop.

    Raises:
        Doubt: The text is outside the subset that is understood.
    """
    data = text.encode("utf-8", "surrogatepass")
    reading = _FlowReader(data)
    reading.statement(tree(text, data))
    agree(text, reading.drafts, _peel if reading.is_peeled else tuple)
    return Script(commands=tuple(reading.commands), is_flat=reading.is_flat)


def _peel(words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and words[at] in _PEELED:
        at += 1
    return words[at:]


class _FlowReader(TreeReader):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.is_flat = True
        self.is_peeled = False
        self._values: dict[str, Word | None] = {}
        self._loops: set[str] = set()
        self._nesting = 0

    @override
    def _kind(self, node: "Node") -> None:
        match node.type:
            case kind if kind in _STRUCTURES:
                self._structure(node)
            case "for_statement":
                self._for(node)
            case "while_statement":
                # Over anything but lines it may go on without an end.
                if not re.match(rb"while (IFS=[,:]? )?read ", self._data[node.start_byte :]):
                    raise Doubt("ask.syntax", unknown(node.type))
                start = len(self.commands)
                self._structure(node)
                # Read once it is judged where it begins, and each round would go further.
                if any(each.words[0].text in _GOING for each in self.commands[start:]):
                    raise Doubt("ask.folder", "it changes the folder in each round of a loop")
            case "negated_command":
                self._structure(node)
            case "variable_assignment":
                self._bind(node)
            case _:
                super()._kind(node)

    def _structure(self, node: "Node") -> None:
        self.is_peeled = True
        self._inside(node)

    def _inside(self, node: "Node") -> None:
        """Reads commands that stand for themselves, whatever is joined to the whole."""
        self.is_flat = False
        self._nesting += 1
        self._spaced(node, re.compile(rb"[ \n]*"))
        for child in node.children:
            if child.type in _CLAUSES:
                self._inside(child)
            elif child.is_named and child.type != "comment":
                self._joint = "\n"
                self.statement(child)
            elif child.type not in _MARKS:
                raise Doubt("ask.syntax", unknown(child.type))
        self._nesting -= 1
        self._joint = "\n"

    @override
    def _joined(self, joint: str, before: "Node | None") -> str:
        """A pipe from more than one command says nothing of what comes through it."""
        while before is not None and before.type == "redirected_statement":
            before = before.child_by_field_name("body")
        is_whole = before is not None and before.type in _SINGLE
        return joint if is_whole or joint not in _PIPES else "\n"

    def _for(self, node: "Node") -> None:
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = tuple(map(self._word, node.children_by_field_name("value")))
        marks = [child.type for child in node.children if not child.is_named]
        if name is None or body is None or marks not in (["for", "in", ";"], ["for", "in", "\n"]):
            raise Doubt("ask.syntax", unknown("for_statement"))
        variable = self._fresh(self._raw(name))
        if not 0 < len(values) <= _MOST_VALUES or any(v.is_filled or v.is_stream for v in values):
            raise Doubt("ask.syntax", "it loops over words that cannot be seen")
        self._spaced(node, re.compile(rb"[ \n]*"))
        self.is_flat, self.is_peeled = False, True
        self.drafts.append(("for", variable, "in", *(value.text for value in values)))
        self._loops.add(variable)
        start = len(self.commands)
        self._inside(body)
        self._loops.discard(variable)
        body_commands = self.commands[start:]
        if len(body_commands) * len(values) > _MOST_COMMANDS:
            raise Doubt("ask.long", "it has too many commands to be read with certainty")
        self.commands[start:] = [
            _filled(simple, variable, value) for value in values for simple in body_commands
        ]

    def _fresh(self, name: str) -> str:
        """A name that is no variable yet, neither here nor for any program."""
        if not _VARIABLE.fullmatch(name) or name in _OF_ZSH:
            raise Doubt("ask.environment", f"the variable {name} may change what runs")
        if name in self._loops or self._values.get(name) is not None:
            raise Doubt("ask.environment", f"the variable {name} is set twice")
        return name

    def _bind(self, node: "Node") -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        # Elsewhere it need not happen, or only in a shell of its own.
        is_plain = self._nesting == 0 and node.parent is not None and node.parent.type == "program"
        if name is None or value is None or not is_plain or name.type != "variable_name":
            raise Doubt("ask.environment", "it sets variables of the shell")
        if not self._raw(node).startswith(f"{self._raw(name)}="):
            raise Doubt("ask.environment", "it sets variables in a way that is not understood")
        self.is_flat = False
        variable = self._fresh(self._raw(name))
        if value.type == "command_substitution":
            self._inside(value)
            self._values[variable] = None
            self.drafts.append((self._raw(node),))
        else:
            word = self._word(value)
            if word.is_pattern or word.is_home or word.is_stream or word.variable:
                raise Doubt("ask.environment", f"the value of {variable} is not written plainly")
            self._values[variable] = None if word.is_filled else word
            self.drafts.append((f"{variable}={word.text}",))
        self._joint = "\n"

    @override
    def _add(self, simple: Simple) -> None:
        # What stands inside need not run, or only in a shell of its own: no cd is certain there.
        joint = "\n" if self._nesting and simple.joint not in _PIPES else simple.joint
        if simple.words[0].text in _RESERVED:
            raise Doubt("ask.syntax", "the name of the program is not written plainly")
        if simple.words[0].text == "read":
            for word in simple.words[1:]:
                if not word.text.startswith("-"):
                    self._values[self._fresh(word.text)] = None
            self.is_flat = False
        super()._add(simple)
        known = self.commands.pop()
        for variable, value in self._values.items():
            if value is not None:
                known = _filled(known, variable, value)
        self.commands.append(msgspec.structs.replace(known, joint=joint))

    @override
    def _test(self, node: "Node") -> None:
        raw = self._raw(node)
        if not raw.startswith("[["):
            super()._test(node)
            return
        if not _TESTS.fullmatch(raw):
            raise Doubt("ask.syntax", "it tests something in a way that is not understood")
        self.is_flat, self.is_peeled = False, True
        for test, operand in _ONE_TEST.findall(raw):
            words = tuple(Word(text=text) for text in ("[", test, operand, "]"))
            self.commands.append(Simple(words=words, joint="\n"))
        pieces = re.split(r" (?:&&|\|\|) ", raw)
        self.drafts.extend(tuple(_peel(piece.split())) for piece in pieces)
        self._joint = "\n"

    @override
    def _word(self, node: "Node") -> Word:
        if node.type == "process_substitution":
            if not self._raw(node).startswith("<("):
                raise Doubt("ask.syntax", unknown(node.type))
            self._inside(node)
            return Word(text="", is_stream=True, start=node.start_byte, end=node.end_byte)
        holes = [*self._holes(node)]
        if not holes:
            return super()._word(node)
        raw = self._raw(node)
        if _FILLED in raw:
            raise Doubt("ask.syntax", f"the word {raw} may be changed by the shell")
        data, at = b"", node.start_byte
        for start, end in holes:
            data += self._data[at:start] + _FILLED.encode()
            at = end
        data += self._data[at : node.end_byte]
        word = unquoted(data.decode("utf-8", "surrogatepass"), node.start_byte, node.end_byte)
        fillings = [self._data[start:end].decode("utf-8", "surrogatepass") for start, end in holes]
        first, *pieces = word.text.split(_FILLED)
        text = first + "".join(a + b for a, b in zip(fillings, pieces, strict=True))
        whole = _WHOLE.fullmatch(raw)
        return msgspec.structs.replace(
            word,
            text=text,
            is_filled=True,
            variable=whole.group(3) if whole else "",
            is_split=whole is not None and whole.group(1) is None,
        )

    def _holes(self, node: "Node") -> Iterable[tuple[int, int]]:
        """Where the shell fills in what this text sets, computes or runs."""
        if node.type in {"string", "concatenation"}:
            for child in node.children:
                if child.type == "command_substitution" and node.type == "string":
                    self._inside(child)
                    yield self._bounds(child)
                else:
                    yield from self._holes(child)
        elif node.type in {"arithmetic_expansion", "expansion", "simple_expansion"}:
            start, end = self._bounds(node)
            text = self._data[start:end].decode("utf-8", "surrogatepass")
            name = _VALUE.fullmatch(text)
            is_own = name is not None and (name.group(2) in {*self._values, *self._loops})
            if is_own or _COMPUTED.fullmatch(text):
                yield start, end

    def _bounds(self, node: "Node") -> tuple[int, int]:
        """A node's place without the blanks that the grammar puts before some of them."""
        blanks = len(self._raw(node)) - len(self._raw(node).lstrip(" "))
        return node.start_byte + blanks, node.end_byte


def _filled(simple: Simple, variable: str, value: Word) -> Simple:
    """A command with the value of a variable in the place of its name."""

    def one(word: Word) -> Word:
        if word.variable != variable:
            return word
        if word.is_split and (value.is_pattern or not _UNSPLIT.fullmatch(value.text)):
            raise Doubt("ask.syntax", f"the shell may split the value of {variable}")
        # It stands at no place of the text, where it could be edited.
        return msgspec.structs.replace(value, start=0, end=0, variable=variable)

    return msgspec.structs.replace(
        simple,
        words=tuple(map(one, simple.words)),
        redirects=tuple(
            Redirect(operator=each.operator, target=one(each.target)) for each in simple.redirects
        ),
    )
