"""The frames of a page: where each lives, what it shows, and a world of ours in it."""

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from ouroboros.browser.connection import Connection, read
from ouroboros.browser.errors import CallRefused, PageChanged
from ouroboros.browser.wire import Incoming

WORLD = "ouroboros"
"""Name of our isolated world: the page's DOM, none of its scripts."""


class Frame(Struct, kw_only=True):
    """One frame; the same object as long as the frame lives, its fields change as it navigates.

    Attributes:
        session: By which its scripts are reached; a cross-origin frame has one of its own.
        loader: Another one for each document; what was seen under an older one is stale.
    """

    id: str
    session: str
    url: str = ""
    name: str = ""
    loader: str = ""
    parent: str = ""


class World(Struct, kw_only=True):
    """Our isolated world in one document; ``installed`` names the libraries that are in it."""

    session: str
    context: int
    frame: str
    loader: str
    installed: set[str] = msgspec.field(default_factory=set[str])


class _Told(Struct, frozen=True, rename="camel"):
    id: str
    loader_id: str = ""
    url: str = ""
    url_fragment: str = ""
    name: str = ""
    parent_id: str = ""


class _Tree(Struct, frozen=True, rename="camel"):
    frame: _Told
    child_frames: tuple["_Tree", ...] = ()


class _TreeTold(Struct, frozen=True, rename="camel"):
    frame_tree: _Tree


class _Navigated(Struct, frozen=True, rename="camel"):
    frame: _Told


class _Within(Struct, frozen=True, rename="camel"):
    frame_id: str
    url: str
    navigation_type: str = ""


class _AttachedFrame(Struct, frozen=True, rename="camel"):
    frame_id: str
    parent_frame_id: str = ""


class _DetachedFrame(Struct, frozen=True, rename="camel"):
    frame_id: str
    reason: str = "remove"


class _Made(Struct, frozen=True, rename="camel"):
    execution_context_id: int


class FrameMap:
    """Frame id to frame, over all sessions of one page.

    Attributes:
        moves: How often the page's own frame came to another document or place in its history; what
            a script writes into the history is no move.
    """

    def __init__(self, connection: Connection, top: str) -> None:
        """``top`` is the id of the page's own frame, which is also that of its target."""
        self._connection = connection
        self.top, self.moves = top, 0
        self.frames: dict[str, Frame] = {}
        self._worlds: dict[str, World] = {}

    def __iter__(self) -> Iterator[Frame]:
        """All frames, parents before their children."""
        return iter(tuple(self.frames.values()))

    def find(self, frame: str) -> Frame:
        """The frame of this id, or the first whose name or address it is; empty for the page's own.

        Raises:
            PageChanged: There is none.
        """
        found = self.frames.get(frame or self.top)
        if found is None:
            named = (known for known in self if frame and frame in {known.name, known.url})
            found = next(named, None)
        if found is None:
            raise PageChanged(f"there is no frame {frame!r} in this page")
        return found

    def named(self, name: str | int) -> Frame | None:
        """The frame of this number, the page's own being 0, of this id, name or address, or of a part of it."""
        every = tuple(self)
        if isinstance(name, int):
            return every[name] if 0 <= name < len(every) else None
        fits = (known for known in every if name and name in {known.id, known.name, known.url})
        # The page's own address may hold that of a frame in it.
        within = (known for known in (*every[1:], *every[:1]) if name and name in known.url)
        return next(fits, None) or next(within, None)

    def around(self, frame: str, steps: int) -> str:
        """The frame so many steps out of this one."""
        for _ in range(steps):
            frame = self.find(frame).parent
        return frame

    def seed(self, tree: Raw, session: str) -> None:
        """Takes the answer of ``Page.getFrameTree`` of one session."""
        self._plant(read(_TreeTold, tree, "Page.getFrameTree").frame_tree, session)

    def take(self, happening: Incoming) -> None:
        """Takes one of the happenings about frames."""
        session = happening.session
        match happening.method:
            case "Page.frameNavigated":
                navigated = happening.read(_Navigated).frame
                self._note(navigated, session)
                self.moves += navigated.id == self.top
            case "Page.navigatedWithinDocument":
                within = happening.read(_Within)
                if within.frame_id in self.frames:
                    self.frames[within.frame_id].url = within.url
                if within.frame_id == self.top and within.navigation_type != "historyApi":
                    self.moves += 1
            case "Page.frameAttached":
                attached = happening.read(_AttachedFrame)
                self._note(_Told(id=attached.frame_id, parent_id=attached.parent_frame_id), session)
            case "Page.frameDetached":
                detached = happening.read(_DetachedFrame)
                if detached.reason != "swap":
                    self.drop(detached.frame_id)
            case _:
                return

    def move(self, frame: str, session: str) -> None:
        """A frame's document lives in another process from now on."""
        known = self.frames.get(frame)
        if known is None:
            self.frames[frame] = Frame(id=frame, session=session)
        else:
            known.session = session

    def drop(self, frame: str) -> None:
        """A frame is gone, with all in it."""
        self.frames.pop(frame, None)
        self._worlds.pop(frame, None)
        for child in [known.id for known in self if known.parent == frame]:
            self.drop(child)

    async def world(self, frame: str = "") -> World:
        """Our isolated world in a frame's present document, made when it is not there yet.

        Raises:
            PageChanged: The frame is gone, or was left while the world was made.
        """
        found = self.find(frame)
        known = self._worlds.get(found.id)
        if known is not None and (known.loader, known.session) == (found.loader, found.session):
            return known
        loader, session = found.loader, found.session
        params = {"frameId": found.id, "worldName": WORLD, "grantUniveralAccess": False}
        try:
            made = await self._connection.ask(
                _Made, "Page.createIsolatedWorld", params, session=session
            )
        except CallRefused as refused:
            raise PageChanged(f"the frame was left: {refused.message}") from refused
        world = World(
            session=session, context=made.execution_context_id, frame=found.id, loader=loader
        )
        if (found.loader, found.session) != (loader, session):
            return world
        # Another may have asked meanwhile; both were given the one world of this name.
        known = self._worlds.get(found.id)
        if known is None or (known.loader, known.context) != (loader, world.context):
            self._worlds[found.id] = known = world
        return known

    def forget_world(self, world: World) -> None:
        """The browser says that this world is gone."""
        if self._worlds.get(world.frame) is world:
            del self._worlds[world.frame]

    def _plant(self, tree: _Tree, session: str) -> None:
        self._note(tree.frame, session)
        for child in tree.child_frames:
            self._plant(child, session)

    def _note(self, told: _Told, session: str) -> None:
        frame = self.frames.get(told.id)
        if frame is None:
            frame = self.frames[told.id] = Frame(id=told.id, session=session)
        frame.session = session
        frame.parent = told.parent_id or frame.parent
        if told.loader_id:
            # A frame in another process may have been met before the page around it was told of.
            if frame.loader and told.loader_id != frame.loader:
                for child in [known.id for known in self if known.parent == told.id]:
                    self.drop(child)
            frame.loader = told.loader_id
            frame.url = told.url + told.url_fragment
            frame.name = told.name
