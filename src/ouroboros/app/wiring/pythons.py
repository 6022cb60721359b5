"""The Python of a session: made when a model looks for it, ended with the session."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ouroboros.app.kit import Kit
from ouroboros.tools.registry import AnyTool

if TYPE_CHECKING:
    from ouroboros.browser.differ import TabChange
    from ouroboros.browser.tab import TabFacts
    from ouroboros.tools.builtin.python import PythonTool

_LINES = 20


class Sight(Protocol):
    """Whoever sees the tabs of a browser."""

    def facts(self) -> "tuple[TabFacts, ...]":
        """All tabs; none where no browser runs."""
        ...

    async def looked(self, tab: str) -> None:
        """The model is about to be told of them."""
        ...


class Pythons:
    """Hands out the one tool."""

    def __init__(self, kit: Kit) -> None:
        """Loads nothing and starts nothing."""
        self._kit = kit
        self._tool: PythonTool | None = None
        self._before: tuple[TabFacts, ...] = ()
        self.sight: Sight | None = None

    def tool(self) -> AnyTool:
        """The tool, with the folder of this session for what its blocks hand over."""
        from ouroboros.tools.builtin.python import PythonTool

        settings, state = self._kit.settings, self._kit.state
        self._tool = self._tool or PythonTool(
            artifacts=self._kit.home / "artifacts" / state.session / "python",
            interpreter=settings.tools.python,
            timeout_cap_seconds=settings.tools.shell_timeout_cap,
            meanwhile=self,
        )
        return self._tool

    async def close(self) -> None:
        """Ends the worker, if one was started."""
        if self._tool is not None:
            await self._tool.aclose()

    def begin(self) -> None:
        """What the tabs do from now on is told with the block that runs."""
        self._before = self.sight.facts() if self.sight is not None else ()

    async def lines(self) -> Sequence[str]:
        """What they did since, by place and never by words of a page."""
        if self.sight is None:
            return ()
        from ouroboros.browser.differ import changes

        found = changes(self._before, self.sight.facts())
        if not found:
            return ()
        await self.sight.looked("")
        return [f"{one.tab} {_told(one)}" for one in found[:_LINES]]


def _told(change: "TabChange") -> str:
    from ouroboros.safety.origins import origin_of

    match change.field:
        case "opened":
            return f"opened {origin_of(change.new) or 'a blank page'}"
        case "closed":
            return f"was closed, it was at {origin_of(change.old) or 'a blank page'}"
        case "url":
            return f"went to {origin_of(change.new) or 'a blank page'}"
        case "status":
            return f"is {change.new}"
        case "dialog":
            return "waits with a dialog" if change.new else "has no dialog any more"
        case _:
            return f"has another {change.field}"
