"""Closed shadow roots: the page keeps them from scripts, the protocol does not."""

import contextlib
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CallRefused
from ouroboros.browser.frames import World
from ouroboros.browser.tab import Tab

AGAIN_SECONDS = 1.0
"""How soon a document is searched for closed roots again."""

MOST_ROOTS = 200
MOST_ELEMENTS = 100_000


class _Look:
    """The last one at a tab; those who come meanwhile wait for what it finds."""

    def __init__(self) -> None:
        self.turn = anyio.Lock()
        self.loader, self.ended, self.found = "", float("-inf"), False


_looks: WeakKeyDictionary[Tab, _Look] = WeakKeyDictionary()


class _Node(Struct, frozen=True, rename="camel"):
    backend_node_id: int
    children: tuple["_Node", ...] = ()
    shadow_roots: tuple["_Node", ...] = ()
    shadow_root_type: str = ""


class _Document(Struct, frozen=True):
    node: _Node


class _Remote(Struct, frozen=True, rename="camel"):
    object_id: str = ""


class _Resolved(Struct, frozen=True):
    object: _Remote


class _Evaluated(Struct, frozen=True):
    result: _Remote = _Remote()


def closed_in(node: _Node) -> Iterator[tuple[int, int]]:
    """Host and root of every closed shadow tree, outer ones first."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        for root in at.shadow_roots:
            if root.shadow_root_type == "closed":
                yield at.backend_node_id, root.backend_node_id
        waiting.extend(reversed((*at.shadow_roots, *at.children)))


async def adopt_closed(tab: Tab, world: World, door: str) -> bool:
    """Makes the closed roots of a document known to our library; whether there are any new to the caller."""
    came = anyio.current_time()
    look = _looks.setdefault(tab, _Look())
    async with look.turn:
        if look.loader == world.loader:
            if look.ended >= came:  # another looked while we waited
                return look.found
            if anyio.current_time() - look.ended < AGAIN_SECONDS:
                return False
        look.found = await _look(tab, world, door)
        look.loader, look.ended = world.loader, anyio.current_time()
        return look.found


async def adopt_of(tab: Tab, world: World, door: str, host: str) -> bool:
    """Makes the closed root of one element, given as the protocol's object, known; whether it has one."""
    try:
        told = await tab.call("DOM.describeNode", {"objectId": host}, session=world.session)
        node = msgspec.json.decode(told, type=_Document).node
        closed = [root for root in node.shadow_roots if root.shadow_root_type == "closed"]
        for root in closed:
            await _adopt(tab, world, door, node.backend_node_id, root.backend_node_id)
    except CallRefused:  # it, or the whole page, went meanwhile
        return False
    return bool(closed)


async def _look(tab: Tab, world: World, door: str) -> bool:
    # A page too large to be told whole keeps its closed roots to itself.
    small = f"globalThis[{door}]?.size() <= {MOST_ELEMENTS} ? document : null"
    params = {"expression": small, "contextId": world.context}
    try:
        page = await tab.ask(_Evaluated, "Runtime.evaluate", params, session=world.session)
        if not page.result.object_id:
            return False
        wanted = {"objectId": page.result.object_id, "depth": -1, "pierce": True}
        told = await tab.call("DOM.describeNode", wanted, session=world.session)
        root = msgspec.json.decode(told, type=_Document).node
    except (CallRefused, msgspec.MsgspecError, RecursionError):
        return False
    pairs = list(closed_in(root))[:MOST_ROOTS]
    for host, inner in pairs:
        with contextlib.suppress(CallRefused):  # it, or the whole page, went meanwhile
            await _adopt(tab, world, door, host, inner)
    return bool(pairs)


async def _adopt(tab: Tab, world: World, door: str, host: int, inner: int) -> None:
    objects: list[str] = []
    for node in (host, inner):
        params = {"backendNodeId": node, "executionContextId": world.context}
        resolved = await tab.ask(_Resolved, "DOM.resolveNode", params, session=world.session)
        objects.append(resolved.object.object_id)
    call = {
        "objectId": objects[0],
        "functionDeclaration": f"function(root) {{ globalThis[{door}].adopt(this, root) }}",
        "arguments": [{"objectId": objects[1]}],
    }
    await tab.call("Runtime.callFunctionOn", call, session=world.session)
