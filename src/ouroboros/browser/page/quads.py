"""Where an element is drawn when it, or a frame around it, is turned: asked of the browser."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.frames import World
from ouroboros.browser.page.door import object_of, staying
from ouroboros.browser.tab import Tab


class Point(Struct, frozen=True):
    """In CSS pixels of a viewport.

    Attributes:
        top: Of the page's own.
        warped: A frame is turned on the way, and the point is still that of the frame in it.
        up: How many frames out from the element's own the viewport is.
    """

    x: float
    y: float
    top: bool = False
    warped: bool = False
    up: int = 0


class _Quads(Struct, frozen=True):
    quads: tuple[tuple[float, ...], ...] = ()


class _Owner(Struct, frozen=True, rename="camel"):
    backend_node_id: int


class _Box(Struct, frozen=True):
    class Model(Struct, frozen=True):
        content: tuple[float, ...]

    model: Model


def through(quad: tuple[float, ...], inner: tuple[float, float], x: float, y: float) -> Point:
    """A point of a box of ``inner`` width and height, where its turned quad has it. Pure."""
    left, top, right, right_top, _, _, below, below_top = quad
    across, down = x / (inner[0] or 1), y / (inner[1] or 1)
    return Point(
        left + across * (right - left) + down * (below - left),
        top + across * (right_top - top) + down * (below_top - top),
        top=True,
    )


async def middle(tab: Tab, world: World, node: int) -> Point:
    """The middle of what is drawn of an element, on the page's own viewport.

    Raises:
        CannotAct: Nothing of it is drawn.
    """
    wanted = {"objectId": await object_of(tab, world, node)}
    with staying(tab, world):
        found = await tab.ask(_Quads, "DOM.getContentQuads", wanted, session=world.session)
    if not found.quads:
        raise CannotAct(f"{tab.id}: nothing of the element is drawn")
    quad = found.quads[0]
    point = Point(sum(quad[0::2]) / 4, sum(quad[1::2]) / 4, top=True)
    frame = tab.frames.find(world.frame)
    while frame.session != tab.session:
        while tab.frames.find(frame.parent).session == frame.session:
            frame = tab.frames.find(frame.parent)
        around = tab.frames.find(frame.parent)
        of = {"frameId": frame.id}
        owner = await tab.ask(_Owner, "DOM.getFrameOwner", of, session=around.session)
        named = {"backendNodeId": owner.backend_node_id}
        box = await tab.ask(_Box, "DOM.getBoxModel", named, session=around.session)
        size = await _size(tab, frame.id)
        point = through(box.model.content, size, point.x, point.y)
        frame = around
    return point


async def _size(tab: Tab, frame: str) -> tuple[float, float]:
    value = await tab.evaluate("[innerWidth, innerHeight]", frame=frame)
    return msgspec.json.decode(value, type=tuple[float, float])
