"""Converse, held to the service model that botocore ships."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast


def converse_faults(body: dict[str, Any]) -> Iterator[str]:
    """What in a body is not as the service model of ``Converse`` says."""
    yield from _faults({"modelId": "m", **body}, _shape(), "")


@cache
def _shape() -> Any:
    from botocore.session import Session

    session: Any = Session()
    return session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def _faults(value: Any, shape: Any, place: str) -> Iterator[str]:
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        yield from _structure(value, shape, place)
    elif shape.type_name == "list":
        for inner in value:
            yield from _faults(inner, shape.member, f"{place}[]")
    elif shape.type_name == "string":
        known, pattern = getattr(shape, "enum", None), shape.metadata.get("pattern")
        if (known and value not in known) or (pattern and not re.fullmatch(pattern, value)):
            yield f"{place} is {value!r}"


def _structure(value: Any, shape: Any, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place} is {value!r}"
        return
    members = cast("dict[str, Any]", value)
    for name in shape.required_members:
        if name not in members:
            yield f"{place}.{name} is missing"
    if getattr(shape, "is_tagged_union", False) and len(members) != 1:
        yield f"{place} is {sorted(members)}"
    for name, inner in members.items():
        if name in shape.members:
            yield from _faults(inner, shape.members[name], f"{place}.{name}")
        else:
            yield f"{place}.{name} is unknown"
