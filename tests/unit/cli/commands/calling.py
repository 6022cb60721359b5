"""What a call of `ouro` in a test gives back."""

from collections.abc import Callable
from typing import NamedTuple


class Ended(NamedTuple):
    """Its exit code and what it wrote."""

    code: int
    out: str
    err: str


type Ouro = Callable[..., Ended]
