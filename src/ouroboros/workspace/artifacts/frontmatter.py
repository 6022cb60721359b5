"""The head of a bundle and of a definition: YAML, written and read; pure.

Read are scalars, tables and lists. What a head has no use for is refused: anchors, tags, more than
one document. A word is a text unless it is written as JSON would write a number, a truth or null.
"""

import json
import re
from typing import TYPE_CHECKING, Protocol, cast

from ouroboros.workspace.artifacts.faults import Malformed

if TYPE_CHECKING:
    from yaml import MappingNode, Node

type Scalar = str | int | float | bool | None
type Value = Scalar | list[Value] | dict[str, Value]
type Head = dict[str, Value]

MOST_LINES = 1_000
MOST_CHARACTERS = 200_000
MOST_DEPTH = 8
MAJOR = 1
"""The version of all formats here."""

_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_WHOLE = re.compile(r"-?\d{1,18}")
_NUMBER = re.compile(r"-?\d{1,300}(\.\d{1,300})?([eE][-+]?\d{1,2})?")
_JSON: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


def written(head: Head) -> str:
    """The lines of a head with those around it; texts stand in quotes, tables are indented."""
    lines = ["---"]
    for key, value in head.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {inner}: {_scalar(each)}" for inner, each in value.items()]
        else:
            lines.append(f"{key}: {_scalar(value)}")
    return "\n".join([*lines, "---", ""])


def _scalar(value: Value) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", said)


class _Events(Protocol):
    def get_event(self) -> object:
        """The next one; None after the last."""
        ...


class Reader:
    """Reads the lines of one head; ``first`` is the number of the first of them in its file."""

    def __init__(self, lines: list[str], first: int) -> None:
        """Reads nothing yet."""
        self._text, self._first = "\n".join(lines), first
        self._places: dict[str, int] = {}

    def line(self, place: str) -> int:
        """Where a value stands that was read, such as ``tools[0].name``; else what it would be in."""
        while place and place not in self._places:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        return self._places.get(place, self._first)

    def read(self) -> Head:
        """All of it.

        Raises:
            Malformed: It is no YAML of this kind; with the line.
        """
        from yaml import MappingNode, YAMLError

        if len(self._text) > MOST_CHARACTERS:
            raise self._broken(f"it has more than {MOST_CHARACTERS:,} characters", 0)
        try:
            node = self._composed()
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            why = getattr(error, "problem", None) or getattr(error, "reason", None)
            raise self._broken(str(why or error), mark.line if mark else 0) from None
        if node is None:
            return {}
        if not isinstance(node, MappingNode):
            raise self._broken("it is no 'key: value'", node.start_mark.line)
        return self._table(node, "")

    def _composed(self) -> "Node | None":
        from yaml import AliasEvent, CollectionEndEvent, CollectionStartEvent, NodeEvent, SafeLoader

        depth = 0  # judged first: reading events recurses nowhere, making nodes does
        events = cast("_Events", SafeLoader(self._text))
        while (event := events.get_event()) is not None:
            if isinstance(event, CollectionEndEvent):
                depth -= 1
            elif isinstance(event, NodeEvent):
                line = event.start_mark.line
                if isinstance(event, AliasEvent) or event.anchor:
                    raise self._broken("anchors are not read", line)
                if getattr(event, "tag", None):
                    raise self._broken("tags are not read", line)
                depth += isinstance(event, CollectionStartEvent)
                if depth > MOST_DEPTH:
                    raise self._broken("it is nested too deeply", line)
        return SafeLoader(self._text).get_single_node()

    def _table(self, node: "MappingNode", place: str) -> Head:
        table: Head = {}
        for key, value in node.value:
            line = key.start_mark.line
            name = key.value
            if not isinstance(name, str):
                raise self._broken("a key is no word", line)
            if name in table:
                raise self._broken(f"{name!r} stands there twice", line)
            inner = f"{place}.{name}" if place else name
            self._places[inner] = self._first + line
            table[name] = self._value(value, inner)
        return table

    def _value(self, node: "Node", place: str) -> Value:
        from yaml import MappingNode, SequenceNode

        if isinstance(node, MappingNode):
            return self._table(node, place)
        if isinstance(node, SequenceNode):
            return [self._item(each, f"{place}[{at}]") for at, each in enumerate(node.value)]
        style, text = getattr(node, "style", None), str(node.value)
        return text if style else _plain(text)

    def _item(self, node: "Node", place: str) -> Value:
        self._places[place] = self._first + node.start_mark.line
        return self._value(node, place)

    def _broken(self, why: str, line: int) -> Malformed:
        return Malformed(f"the head is not understood: {why}", line=self._first + line)


def _plain(text: str) -> Scalar:
    if text in _JSON:
        return _JSON[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def supported(version: object, *, line: int) -> str:
    """The version of a bundle as a text; raises ``Malformed`` for one of another major number."""
    said = str(version)
    major = said.partition(".")[0]
    if version is None or isinstance(version, bool) or not re.fullmatch(r"\d+(\.\d+)*", said):
        raise Malformed('its head names no version such as "1.0"', line=line)
    if int(major) != MAJOR:
        raise Malformed(
            f"it is version {said}; this program reads version {MAJOR}",
            line=line,
            hint="a later version of Ouroboros may read it: `ouro update` says how to get one",
        )
    return said
