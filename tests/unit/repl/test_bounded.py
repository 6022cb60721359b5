"""Whatever code asks for, a call of it into a page has an end."""

from typing import cast

import msgspec
import pytest
from msgspec import Struct

from ouroboros.repl.functions.catalogue import GROUPS
from ouroboros.repl.functions.function import Function, Spec
from ouroboros.repl.functions.pages import Pages
from ouroboros.repl.functions.wait import Load
from ouroboros.tools.tool import Result, ToolContext
from tests.cases import every

WAITING = [
    spec for _, specs in GROUPS for spec in specs if "timeout" in spec.arguments.__struct_fields__
]


class _Parts:
    async def turn(self, tab: str, acts: bool) -> None:
        """Nobody else drives."""


class _Pages:
    parts = _Parts()


async def worked(spec: Spec, given: Struct) -> float:
    """The milliseconds that the work of a function is told to wait."""
    told: list[float] = []

    async def work(pages: Pages, wish: Load, context: ToolContext) -> Result:
        told.append(wish.timeout)
        return Result(parts=())

    named = msgspec.structs.replace(spec, work=work, reads=False)
    function = Function(named, cast("Pages", _Pages()))
    async for _ in function.run(given, cast("ToolContext", None)):
        pass
    return told[0]


@pytest.mark.proves("browser-waits")
@every("spec", WAITING)
@every("asked, at_most", [(1e300, 600_000), (-5.0, 0), (1_000.0, 1_000)])
async def test_a_wait_of_code_is_cut_to_an_end(spec: Spec, asked: float, at_most: float) -> None:
    needed = {"tab": "tab_0", "url": "", "code": "", "selector": "a", "text": "a"}
    fields = spec.arguments.__struct_fields__
    words = {name: value for name, value in needed.items() if name in fields}
    wish = msgspec.convert({**words, "timeout": asked}, spec.arguments)
    waits = await worked(spec, wish)
    assert 0 <= waits <= at_most
    assert waits <= spec.longest
    assert waits == 1_000 or asked != 1_000
