"""The types of settings in words, for messages and for the reference page."""

from msgspec import UNSET, inspect

_PLAIN = {"str": "text in quotes", "bool": "true or false", "dict": "a table"}


def describe(kind: object) -> str:
    """What may be written for a setting of this type."""
    return _words(inspect.type_info(kind))


def choices_of(kind: object) -> tuple[object, ...]:
    """The only values there are for a setting of this type; empty where there are others."""
    found = inspect.type_info(kind)
    match found:
        case inspect.LiteralType(values=values):
            return tuple(values)
        case inspect.BoolType():
            return (False, True)
        case inspect.UnionType(types=types):
            parts = [part for part in types if not isinstance(part, inspect.NoneType)]
            if all(isinstance(part, inspect.LiteralType) for part in parts):
                return tuple(value for part in parts for value in _values(part))
            return ()
        case _:
            return ()


def _values(kind: inspect.Type) -> tuple[object, ...]:
    return tuple(kind.values) if isinstance(kind, inspect.LiteralType) else ()


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.LiteralType(values=values):
            return "one of " + ", ".join(f'"{value}"' for value in values)
        case inspect.UnionType(types=types):
            return " or ".join(_words(part) for part in types if not _is_unset(part))
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return f"a list of {_plural(item)}"
        case inspect.IntType():
            return "a whole number" + _bounds(kind)
        case inspect.FloatType():
            return "a number" + _bounds(kind)
        case inspect.StructType(fields=fields):
            return "a table with " + " and ".join(field.encode_name for field in fields)
        case inspect.Metadata(extra={"words": str(own)}):
            return own
        case inspect.Metadata(type=inner):
            return _words(inner)
        case _:
            name = type(kind).__name__.removesuffix("Type").lower()
            return _PLAIN.get(name, name)


def _is_unset(kind: inspect.Type) -> bool:
    """Whether it only stands for a setting that is left out."""
    match kind:
        case inspect.NoneType() | inspect.LiteralType(values=("",)):
            return True
        case _:
            return False


def _plural(kind: inspect.Type) -> str:
    match kind:
        case inspect.StrType():
            return "texts"
        case inspect.UnionType(types=types):
            return " or ".join(_plural(part) for part in types)
        case inspect.StructType(fields=fields):
            return "tables with " + " and ".join(field.encode_name for field in fields)
        case _:
            return _words(kind)


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    pairs = (("above", kind.gt), ("of at least", kind.ge), ("below", kind.lt), ("up to", kind.le))
    said = [
        f"{word} {bound:g}" for word, bound in pairs if bound is not None and bound is not UNSET
    ]
    return " " + " and ".join(said) if said else ""
