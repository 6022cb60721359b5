"""What the shapes of all wire formats are made of."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

type Maybe[T] = T | UnsetType
type Words = Annotated[str, Meta(min_length=1)]
type Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
type Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
type Size = Annotated[int, Meta(ge=1)]
type Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
type Tier = Literal["auto", "default", "flex", "scale", "priority"]


class Strict(Struct, kw_only=True, forbid_unknown_fields=True):
    """A member that is not named here is refused."""


class Mark(Strict):
    type: Literal["ephemeral"]
    ttl: Maybe[Literal["5m", "1h"]] = UNSET


class Camel(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A member goes by its name in camel case."""
