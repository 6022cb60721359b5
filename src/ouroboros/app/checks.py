"""What a look at this machine found."""

from typing import Literal

from msgspec import Struct

type Verdict = Literal["ok", "warning", "failed"]


class Check(Struct, frozen=True, kw_only=True):
    """One thing looked at; ``fix`` is what to do unless all is well."""

    name: str
    verdict: Verdict
    said: str
    fix: str = ""
