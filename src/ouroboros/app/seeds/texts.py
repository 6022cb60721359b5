"""From bytes to text and from text to JSON, for data that anybody may have written."""

import codecs
import csv
import io

import msgspec

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOK_BYTES = 8_192
_NAME_CHARACTERS = 64
_CONTROL = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))


class Broken(Exception):
    """Text that is not what its name says; the words tell where."""


def is_binary(data: bytes) -> bool:
    """Whether these bytes are no text in any encoding that is read here."""
    if data.startswith(tuple(bom for bom, _ in _BOMS)):
        return False
    start = data[:_LOOK_BYTES]
    odd = len(start) - len(start.translate(None, _CONTROL))
    return b"\0" in start or odd * 20 > len(start)


def decoded(data: bytes) -> tuple[str, str]:
    """The text, and its encoding unless it is UTF-8; what no encoding explains is replaced."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data[len(bom) :] if encoding == "utf-8" else data
            said = "" if encoding == "utf-8" else encoding.upper()
            return text.decode(encoding, "replace"), said
    try:
        return data.decode(), ""
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), "UTF-8 with bytes that are none"


def records(text: str) -> bytes:
    """JSON as it is, once it is known to be whole; raises ``Broken``."""
    value = text.strip().encode("utf-8", "replace")
    _check(value, "")
    return value


def lines(text: str) -> bytes:
    """One JSON value a line as one list; raises ``Broken``."""
    values: list[bytes] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            value = line.strip().encode("utf-8", "replace")
            _check(value, f"line {number}: ")
            values.append(value)
    return b"[" + b",".join(values) + b"]"


def table(text: str, sign: str) -> bytes:
    """Rows as objects by the names in the first row, every cell a text; raises ``Broken``."""
    csv.field_size_limit(max(len(text), 131_072))
    first = text.split("\n", 1)[0]
    if sign == "," and "," not in first:
        sign = next((found for found in (";", "\t", "|") if found in first), ",")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=sign))
    except csv.Error as error:
        raise Broken(f"it is no table: {error}") from None
    rows = [row for row in rows if row]
    if not rows:
        return b"[]"
    width = max(map(len, rows))
    names = _columns(rows[0], width)
    return msgspec.json.encode([dict(zip(names, row, strict=False)) for row in rows[1:]])


def separator(text: str) -> str:
    """What parts the cells of a text that is clearly a table; empty for any other.

    Clearly: short names of columns, each once, and below them rows of as many cells.
    """
    rows = text[:_LOOK_BYTES].split("\n")
    whole = rows if len(text) <= _LOOK_BYTES else rows[:-1]
    return next((sign for sign in (",", ";", "\t", "|") if _is_table(whole, sign)), "")


def _is_table(rows: list[str], sign: str) -> bool:
    if not rows or sign not in rows[0]:
        return False
    try:
        cells = [row for row in csv.reader(rows, delimiter=sign) if row]
    except csv.Error:
        return False
    names = cells[0]
    are_names = all(name.strip() == name and 0 < len(name) <= _NAME_CHARACTERS for name in names)
    widths = {len(row) for row in cells}
    return are_names and len({*names}) == len(names) and len(cells) > 1 and widths == {len(names)}


def _columns(given: list[str], width: int) -> list[str]:
    """A name for every column, each once."""
    names: list[str] = []
    for number in range(width):
        own = given[number].strip() if number < len(given) else ""
        own = own or f"column_{number + 1}"
        name, again = own, 2
        while name in names:
            name = f"{own}_{again}"
            again += 1
        names.append(name)
    return names


def _check(value: bytes, where: str) -> None:
    try:
        msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Broken(f"it is broken JSON: {where}{error}") from None
