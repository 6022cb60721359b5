"""What a setting may be called and hold, read off ``Settings``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, TypeAliasType, cast, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import NODEFAULT, fields

from ouroboros.app.settings import Settings
from ouroboros.core.errors import Misuse

type KeyPath = tuple[str, ...]
type Table = dict[str, object]

ADDED = frozenset({("permissions", "allow"), ("permissions", "ask"), ("permissions", "deny")})
"""Lists that grow over the layers instead of being replaced; so do those of ``hooks``."""


class WrongValue(Exception):
    """A value that does not fit its setting; its place is known to the caller."""

    def __init__(self, path: KeyPath, reason: str) -> None:
        """``reason`` says what was expected."""
        super().__init__(reason)
        self.path = path
        self.reason = reason


class Unknown(Struct, frozen=True, kw_only=True):
    """A key that no setting has, and the setting that was probably meant."""

    path: KeyPath
    near: str = ""


class Leaf(Struct, frozen=True, kw_only=True):
    """One setting: where it stands, its type and its default; ``NAME`` stands for any name."""

    path: KeyPath
    kind: object
    default: object
    owner: type[Struct]


def leaves(owner: type[Struct] = Settings, at: KeyPath = ()) -> Iterator[Leaf]:
    """Every setting, in the order they are declared."""
    for entry in fields(owner):
        path = (*at, entry.encode_name)
        kind = cast("object", entry.type)
        if table := _struct(kind):
            yield from leaves(table, path)
        elif named := _named(kind):
            yield from leaves(named, (*path, "NAME"))
        else:
            default = None if entry.default is NODEFAULT else cast("object", entry.default)
            yield Leaf(path=path, kind=kind, default=default, owner=owner)


def find(path: KeyPath) -> object:
    """The type of the setting at ``path``; raises ``Misuse`` with a near name if there is none."""
    kind: object = Settings
    for name in path:
        if named := _named(kind) or _values(kind):
            kind = named
            continue
        table = _struct(kind)
        known = _types(table) if table else {}
        if name not in known:
            raise Misuse(f"there is no setting {format_key(path)!r}", hint=_meant(path))
        kind = known[name]
    return kind


def is_table(kind: object) -> bool:
    """Whether a setting of this type holds further settings rather than a value."""
    return _struct(kind) is not None or _named(kind) is not None


def check(table: Mapping[str, object]) -> tuple[Table, list[Unknown]]:
    """The known part of one layer, and what is not known; raises ``WrongValue``."""
    unknown: list[Unknown] = []
    return _check(table, Settings, (), unknown), unknown


def require(table: Mapping[str, object]) -> None:
    """Raises ``WrongValue`` if a provider of the joined layers has no address."""
    providers = cast("dict[str, Table]", table.get("providers", {}))
    lacking = [name for name, given in providers.items() if not given.get("base_url")]
    if not lacking:
        return
    from ouroboros.llm.providers import ENTRIES

    known = {entry.name for entry in ENTRIES}
    for name in lacking:
        if name not in known:
            close = nearest(name, known)
            meant = f", and no known provider is called so; did you mean {close}?" if close else ""
            raise WrongValue(("providers", name), f"'base_url' is missing{meant}")


def convert(path: KeyPath, text: str) -> object:
    """The value that ``text`` from a variable or the command line spells for a setting."""
    kind = find(path)
    if is_table(kind):
        raise WrongValue(path, "this is a table: name one of its keys")
    value: object = text
    if get_origin(kind) is tuple or (text[:1] == "[" and _may_be_list(kind)):
        value = _list(path, text)
    elif _values(kind) is not None:
        value = _inline(path, text)
    elif kind is object:
        value = _any(text)
    try:
        found: object = msgspec.to_builtins(msgspec.convert(value, kind, strict=False))
    except msgspec.ValidationError as error:
        raise WrongValue(path, expectation(path, kind, text, error)) from None
    return list(cast("tuple[object, ...]", found)) if isinstance(found, tuple) else found


def join(below: Table, above: Mapping[str, object], at: KeyPath = ()) -> None:
    """Lays one checked layer over the others, in place."""
    for name, value in above.items():
        path = (*at, name)
        old = below.get(name)
        if isinstance(value, dict):
            inner: Table = dict(cast("Table", old)) if isinstance(old, dict) else {}
            join(inner, cast("Table", value), path)
            below[name] = inner
        elif is_added(path) and old is not None:
            below[name] = [*cast("list[object]", old), *cast("list[object]", value)]
        else:
            below[name] = value


def is_added(path: KeyPath) -> bool:
    """Whether the lists of all layers count."""
    return path in ADDED or path[0] == "hooks"


def flatten(table: Mapping[str, object], at: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Every value of a checked layer with its path."""
    for name, value in table.items():
        path = (*at, name)
        if isinstance(value, dict):
            yield from flatten(cast("Table", value), path)
        else:
            yield path, value


def nest(path: KeyPath, value: object) -> Table:
    """A table that holds only this value."""
    for name in reversed(path):
        value = {name: value}
    return cast("Table", value)


def format_key(path: KeyPath) -> str:
    """The path in TOML's dotted spelling."""
    return ".".join(name if _is_bare(name) else msgspec.json.encode(name).decode() for name in path)


def parse_key(text: str) -> KeyPath:
    """The path that a dotted key spells, quoted parts included; raises ``Misuse``."""
    if text and all(_is_bare(name) for name in text.split(".")):
        return tuple(text.split("."))
    import tomllib

    broken = Misuse(
        f"{text!r} is not the name of a setting",
        hint='names look like limits.max_turns or models."gpt-5".window',
    )
    if not text.isprintable() or "=" in text or "#" in text:
        raise broken
    try:
        table: object = tomllib.loads(f"{text} = 0")
    except (ValueError, RecursionError):
        raise broken from None
    path: list[str] = []
    while isinstance(table, dict):
        name, table = next(iter(cast("Table", table).items()))
        path.append(name)
    return tuple(path)


def variable(path: KeyPath) -> str:
    """The environment variable of a setting."""
    return "OUROBOROS_" + "_".join(path).upper()


def is_hidden(path: KeyPath) -> bool:
    """Whether the value may be a secret: what is sent in headers."""
    return path[:1] == ("providers",) and path[2:3] == ("headers",)


def expectation(path: KeyPath, kind: object, value: object, error: msgspec.ValidationError) -> str:
    """What was expected and what was found, in words."""
    from ouroboros.app.config.words import describe

    place = str(error).partition(" - at `$")[2].rstrip("`")
    where = f" (at item {place.strip('[]')})" if place else ""
    reason = str(error).partition(" - at ")[0] if place else ""
    shown = "…" if is_hidden(path) else repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    return f"expected {describe(kind)}, got {shown}" + (f": {reason}{where}" if place else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like ``name``, or nothing."""
    from difflib import get_close_matches

    folded = {word.lower(): word for word in known}
    found = get_close_matches(name.lower(), list(folded), n=3, cutoff=0.6)
    letters = sorted(name.lower())
    return folded.get(min(found, key=lambda word: sorted(word) != letters, default=""), "")


def _check(
    table: Mapping[str, object], owner: type[Struct], at: KeyPath, unknown: list[Unknown]
) -> Table:
    known = _types(owner)
    kept: Table = {}
    for name, value in table.items():
        path = (*at, name)
        if name not in known:
            close = nearest(name, known)
            meant = format_key((*at, close)) if close else ""
            unknown.append(Unknown(path=path, near=meant))
            continue
        kind = known[name]
        if inner := _struct(kind):
            kept[name] = _check(_table(value, path), inner, path, unknown)
        elif named := _named(kind):
            kept[name] = {
                key: _check(_table(entry, (*path, key)), named, (*path, key), unknown)
                for key, entry in _table(value, path).items()
            }
        else:
            try:
                msgspec.convert(value, kind)
            except msgspec.ValidationError as error:
                raise WrongValue(path, expectation(path, kind, value, error)) from None
            kept[name] = value
    return kept


def _table(value: object, path: KeyPath) -> Table:
    if isinstance(value, dict):
        return cast("Table", value)
    raise WrongValue(path, f"expected a table, got {value!r}"[:120])


def _list(path: KeyPath, text: str) -> object:
    if not text.lstrip().startswith("["):
        return [piece.strip() for piece in text.split(",") if piece.strip()]
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise WrongValue(path, f"expected a JSON list, got {text!r}: {error}") from None


def _inline(path: KeyPath, text: str) -> object:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise WrongValue(path, f"expected a JSON object, got {text!r}: {error}") from None


def _may_be_list(kind: object) -> bool:
    return any(get_origin(one) is tuple for one in cast("tuple[object, ...]", get_args(kind)))


def _any(text: str) -> object:
    """A value of no certain type: what it is as JSON, else the text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _types(owner: type[Struct]) -> dict[str, object]:
    return {entry.encode_name: cast("object", entry.type) for entry in fields(owner)}


def _struct(kind: object) -> type[Struct] | None:
    if isinstance(kind, TypeAliasType):
        kind = cast("object", kind.__value__)
    if get_origin(kind) is Annotated:  # a table of which it must be known what was given
        notes = cast("tuple[object, ...]", getattr(kind, "__metadata__", ()))
        extras = [note.extra for note in notes if isinstance(note, Meta) and note.extra]
        kind = next((extra["table"] for extra in extras if "table" in extra), None)
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None


def _named(kind: object) -> type[Struct] | None:
    """The tables of a table whose names are the person's own."""
    return _struct(_values(kind))


def _values(kind: object) -> object:
    """The type of the values of a table whose names are the person's own."""
    if get_origin(kind) not in {dict, Mapping}:
        return None
    return cast("tuple[object, ...]", getattr(kind, "__args__", ()))[1]


def _meant(path: KeyPath) -> str:
    first, last = path[0], path[-1]
    known = [leaf.path for leaf in leaves()]
    if first in {"models", "providers"} and len(path) > 3:
        tables = {each[2] for each in known if each[0] == first and len(each) > 3}
        if path[2] not in tables:
            name = ".".join(path[1:-1])
            return f"a name with dots goes in quotes: {format_key((first, name, last))}"
    own = path[1] if len(path) > 1 else "NAME"
    keys = [format_key(tuple(own if name == "NAME" else name for name in each)) for each in known]
    near = nearest(format_key(path), keys)
    near = near or next((key for key in keys if key.endswith(f".{last}")), "")
    return f"did you mean {near!r}?" if near else "`ouro config list` shows every key"


def _is_bare(name: str) -> bool:
    return bool(name) and name.isascii() and name.replace("_", "").replace("-", "").isalnum()
