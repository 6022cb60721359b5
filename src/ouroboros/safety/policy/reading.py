"""A policy file becomes a policy, and its examples are held to it."""

import posixpath
import shlex
from bisect import bisect_right
from typing import NamedTuple, cast

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.policy.evaluate import Policy
from ouroboros.safety.policy.starlark import Call, Value, read
from ouroboros.safety.policy.tokens import SyntaxWrong
from ouroboros.safety.policy.values import (
    Decision,
    HostExecutable,
    NetworkRule,
    PrefixRule,
    Protocol,
    Words,
)

_PARAMETERS = {
    "prefix_rule": ("pattern", "decision", "justification", "match", "not_match"),
    "network_rule": ("host", "protocol", "decision", "justification"),
    "host_executable": ("name", "paths"),
}
_REQUIRED = {
    "prefix_rule": {"pattern"},
    "network_rule": {"host", "protocol", "decision"},
    "host_executable": {"name", "paths"},
}
_DECISIONS: dict[str, Decision] = {"allow": "allow", "prompt": "prompt", "forbidden": "forbidden"}
_HOST_DECISIONS: dict[str, Decision] = {**_DECISIONS, "deny": "forbidden"}
_PROTOCOLS: dict[str, Protocol] = {
    "http": "http",
    "https": "https",
    "https_connect": "https",
    "http-connect": "https",
    "socks5_tcp": "socks5_tcp",
    "socks5_udp": "socks5_udp",
}
_HINT = "correct the file; until then every command is asked about"


class Examples(NamedTuple):
    """What a rule must and must not be about."""

    rule: PrefixRule
    match: tuple[Words, ...]
    not_match: tuple[Words, ...]


class _Found(NamedTuple):
    """What the calls of one file said."""

    rules: list[PrefixRule]
    network: list[NetworkRule]
    executables: list[HostExecutable]
    examples: list[Examples]


def policy_of(text: str, name: str) -> Policy:
    """The policy that a file's text spells.

    Raises:
        ConfigBroken: It is not understood, or an example does not hold; names file, line, column.
    """
    found = _Found([], [], [], [])
    text = text.replace("\r\n", "\n")
    places = _Places(text, name)
    try:
        for call in read(text):
            _take(call, found, places.of(call.offset))
    except SyntaxWrong as wrong:
        raise ConfigBroken(f"{places.of(wrong.offset)}: {wrong.what}", hint=_HINT) from None
    for examples in found.examples:
        _hold(examples, found.executables)
    return Policy(found.rules, network=found.network, executables=found.executables)


class _Places:
    """Line and column of every offset of a text."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]

    def of(self, offset: int) -> str:
        line = bisect_right(self._starts, offset)
        return f"{self._name}:{line}:{offset - self._starts[line - 1] + 1}"


def _take(call: Call, found: _Found, place: str) -> None:
    if call.name not in _PARAMETERS:
        known = ", ".join(_PARAMETERS)
        raise SyntaxWrong(f"there is no function {call.name!r}; there are {known}", call.offset)
    given = _Given(call)
    match call.name:
        case "prefix_rule":
            rule = PrefixRule(
                pattern=_pattern(given),
                decision=given.one_of("decision", _DECISIONS, "allow"),
                justification=given.words_for_people("justification"),
                place=place,
            )
            found.rules.append(rule)
            match, not_match = given.commands("match"), given.commands("not_match")
            found.examples.append(Examples(rule, match, not_match))
        case "network_rule":
            found.network.append(
                NetworkRule(
                    host=_host(given),
                    protocol=given.one_of("protocol", _PROTOCOLS),
                    decision=given.one_of("decision", _HOST_DECISIONS),
                    justification=given.words_for_people("justification"),
                    place=place,
                )
            )
        case _:
            found.executables.append(_executable(given))


def _pattern(given: "_Given") -> tuple[Words, ...]:
    pattern: list[Words] = []
    for token in given.items("pattern"):
        choices = token if isinstance(token, list | tuple) else [token]
        if not choices or not all(isinstance(one, str) for one in choices):
            raise given.wrong("pattern", "holds strings, and lists of strings to choose from")
        pattern.append(tuple(cast("list[str]", choices)))
    if not pattern or "" in pattern[0]:
        raise given.wrong("pattern", "begins with the name of a program")
    return tuple(pattern)


def _host(given: "_Given") -> str:
    host = given.text("host").strip()
    bare = host
    if host.startswith("["):
        bare, _, port = host[1:].partition("]")
        is_fit = not port or (port[0] == ":" and port[1:].isdecimal())
    else:
        name, colon, port = host.partition(":")
        if colon and ":" not in port:
            bare = name
        is_fit = not colon or ":" in port or port.isdecimal()
    bare = bare.rstrip(".").lower()
    if not is_fit or not bare or any(char in "/?#*@[]\\" or char.isspace() for char in bare):
        raise given.wrong("host", "is the name of one host, without scheme, path or wildcard")
    return bare


def _executable(given: "_Given") -> HostExecutable:
    name = given.text("name")
    if not name or "/" in name or name in {".", ".."}:
        raise given.wrong("name", "is the name of a program, without a folder")
    paths = [path for path in given.items("paths") if isinstance(path, str)]
    is_fit = len(paths) == len(given.items("paths")) and all(
        path.startswith("/") and posixpath.normpath(path) == path for path in paths
    )
    if not is_fit:
        raise given.wrong("paths", "holds absolute paths, as plain as can be")
    if any(posixpath.basename(path) != name for path in paths):
        raise given.wrong("paths", f"holds paths that end in {name}")
    return HostExecutable(name=name, paths=tuple(dict.fromkeys(paths)))


class _Given:
    """The values of a call by the names of its parameters."""

    def __init__(self, call: Call) -> None:
        parameters = _PARAMETERS[call.name]
        self._call = call
        if len(call.values) > len(parameters):
            raise SyntaxWrong(f"{call.name} takes {len(parameters)} values at most", call.offset)
        self._values = dict(zip(parameters, call.values, strict=False))
        for name, value in call.named.items():
            if name not in parameters:
                raise self.wrong(name, "is no parameter of it")
            if name in self._values:
                raise self.wrong(name, "is given twice")
            self._values[name] = value
        for name in sorted(_REQUIRED[call.name] - self._values.keys()):
            raise self.wrong(name, "is missing")

    def wrong(self, name: str, what: str) -> SyntaxWrong:
        return SyntaxWrong(f"{self._call.name}: {name} {what}", self._call.offset)

    def text(self, name: str) -> str:
        value = self._values.get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "is a string")
        return value

    def one_of[T](self, name: str, known: dict[str, T], default: str = "") -> T:
        value = self._values.get(name)
        found = known.get(value if isinstance(value, str) else "" if value is not None else default)
        if found is None:
            raise self.wrong(name, f"is one of {', '.join(known)}")
        return found

    def words_for_people(self, name: str) -> str:
        if self._values.get(name) is None:
            return ""
        words = self.text(name).strip()
        if not words:
            raise self.wrong(name, "is empty; leave it out")
        return words

    def items(self, name: str) -> list[Value]:
        value = self._values.get(name)
        if not isinstance(value, list | tuple):
            raise self.wrong(name, "is a list")
        return list(value)

    def commands(self, name: str) -> tuple[Words, ...]:
        """Examples, each a list of words or a line as a shell would read it."""
        if self._values.get(name) is None:
            return ()
        return tuple(self._command(name, example) for example in self.items(name))

    def _command(self, name: str, example: Value) -> Words:
        words: list[Value] = []
        if isinstance(example, str):
            try:
                words = list(shlex.split(example))
            except ValueError:
                raise self.wrong(name, f"holds {example!r}, which has an open quote") from None
        elif isinstance(example, list | tuple):
            words = list(example)
        if not words or not all(isinstance(word, str) for word in words):
            raise self.wrong(name, "holds commands, as strings or as lists of words")
        return tuple(cast("list[str]", words))


def _hold(examples: Examples, executables: list[HostExecutable]) -> None:
    """Holds one rule to its own examples; raises ``ConfigBroken``."""
    rule = examples.rule
    alone = Policy([rule], executables=executables)
    for words in examples.match:
        if not alone.evaluate([words], by_name="any").matched:
            raise _unheld(rule, words, "does not match its example")
    for words in examples.not_match:
        if alone.evaluate([words], by_name="any").matched:
            raise _unheld(rule, words, "matches what it must not")


def _unheld(rule: PrefixRule, words: Words, what: str) -> ConfigBroken:
    return ConfigBroken(f"{rule.place}: the rule {what} `{shlex.join(words)}`", hint=_HINT)
