"""Which tools there are, by every name a model may call them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from ouroboros.core.errors import Misuse
from ouroboros.core.parts import ToolCall, ToolSpec
from ouroboros.tools import exposure
from ouroboros.tools.aliases import TOOLS, folded
from ouroboros.tools.arguments import schema
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Tool

type AnyTool = Tool[Any]


@runtime_checkable
class Finder(Protocol):
    """A tool by which others are found."""

    def note(self, names: Sequence[str], tools: Callable[[], tuple[AnyTool, ...]]) -> None:
        """Takes in what there is to find: tools of ours, or where others come from; and the tools."""
        ...


class Registry:
    """Tools in the order they were registered."""

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        enabled: Collection[str] | None = None,
        disabled: Collection[str] = (),
    ) -> None:
        """Registers ``tools``; only the enabled ones are listed and found.

        ``look``, where it is set, brings the tools up to date whenever a model looks for some.
        ``dress`` gives another tool in the place of each that is called.

        Args:
            tools: What there is.
            enabled: Names, in any spelling; None means all. ``Bash`` stands for all that runs commands.
            disabled: Names taken out again.
        """
        self._tools: dict[str, AnyTool] = {}
        self._by_fold: dict[str, str] = {}
        self._enabled = None if enabled is None else _meant(enabled)
        self._disabled = _meant(disabled)
        self._specs: tuple[ToolSpec, ...] | None = None
        self._foreign, self._has_finder = 0, False
        self._late: dict[str, Callable[[], AnyTool]] = {}
        self._unnamed: set[str] = set()
        self.look: Callable[[Registry], None] | None = None
        self.dress: Callable[[AnyTool], AnyTool] | None = None
        for tool in tools:
            self.register(tool)

    def register(self, tool: AnyTool, *, quietly: bool = False) -> None:
        """Adds one tool.

        Args:
            tool: Its name decides.
            quietly: What a model was told stays as it is, byte for byte; it has to look for the tool.

        Raises:
            Misuse: The name, or one that reads the same, is taken.
        """
        taken = self._by_fold.get(folded(tool.name))
        if taken is not None:
            raise Misuse(
                f"tool {tool.name!r} is registered twice",
                hint=f"rename it or take out the other one ({taken!r})",
            )
        self._by_fold[folded(tool.name)] = tool.name
        if self._is_enabled(tool.name):
            self._tools[tool.name] = tool
            self._specs = self._specs if quietly else None

    def register_late(
        self, name: str, load: Callable[[], AnyTool], *, quietly: bool = False
    ) -> None:
        """Adds a deferred tool that is made when somebody looks for it, or calls it.

        Args:
            name: As the tool has it.
            load: Makes it.
            quietly: It is found, but no model is told beforehand that it could be.

        Raises:
            Misuse: The name is taken.
        """
        taken = self._by_fold.get(folded(name))
        if taken is not None:
            raise Misuse(f"tool {name!r} is registered twice", hint="rename one of them")
        self._by_fold[folded(name)] = name
        if self._is_enabled(name):
            self._late[name] = load
            self._unnamed |= {name} if quietly else set()
            self._specs = None

    def replace(self, tool: AnyTool) -> None:
        """Puts a tool in the place of the one of its name; the next request and call see it.

        Raises:
            Misuse: There is none of that name.
        """
        own = self._by_fold.get(folded(tool.name))
        if own is None:
            raise Misuse(f"there is no tool {tool.name!r} to replace", hint="register it instead")
        if own in self._tools:
            self._tools = {
                (tool.name if name == own else name): (tool if name == own else kept)
                for name, kept in self._tools.items()
            }
        self._by_fold[folded(tool.name)] = tool.name
        self._specs = None

    def take_out(self, name: str, *, quietly: bool = False) -> None:
        """Forgets the tool of this name; nothing happens when there is none."""
        own = self._by_fold.pop(folded(name), None)
        if own is not None:
            self._tools.pop(own, None)
            self._late.pop(own, None)
            self._specs = self._specs if quietly else None

    def find(self, name: str) -> AnyTool | None:
        """The tool of this name, in any spelling or under an alias; None when there is none."""
        own = self._by_fold.get(folded(name)) or self._by_fold.get(folded(canonical(name)))
        if own in self._late:
            self._tools[own] = self._late.pop(own)()
        tool = self._tools.get(own) if own else None
        return tool if tool is None or self.dress is None else self.dress(tool)

    def knows(self, name: str) -> bool:
        """Whether there is such a tool, in any spelling, enabled or not."""
        return folded(name) in self._by_fold or folded(canonical(name)) in self._by_fold

    def names(self) -> tuple[str, ...]:
        """Canonical names of the enabled tools."""
        return (*self._tools, *self._late)

    def near(self, name: str) -> tuple[str, ...]:
        """Up to three names a model may have meant."""
        from difflib import get_close_matches

        return tuple(get_close_matches(name.lower(), self.names(), n=3, cutoff=0.6))

    def exposure(self, tool: AnyTool) -> Exposure:
        """How a tool is shown now: many from outside are all deferred, none where nothing finds them."""
        own = exposure.written(tool)
        if own == "direct" and exposure.source_of(tool) and self._foreign > exposure.MOST_FOREIGN:
            own = "deferred"
        return "direct" if own == "deferred" and not self._has_finder else own

    def deferred(self) -> tuple[AnyTool, ...]:
        """The tools that a model has to look for, in the order they were registered.

        Looks for new ones and makes late ones first; blocks.
        """
        if self.look is not None:
            self.look(self)
        for name in tuple(self._late):
            self.find(name)
        return tuple(tool for tool in self._tools.values() if self.exposure(tool) == "deferred")

    def specs(self) -> tuple[ToolSpec, ...]:
        """What a model is told of at once; made once for each set of tools."""
        if self._specs is None:
            self._count()
            shown = [
                tool
                for tool in self._tools.values()
                if self.exposure(tool) in {"direct", "model-only"}
            ]
            names = self._to_find()
            if not names:
                shown = [tool for tool in shown if not getattr(tool, "finds_deferred", False)]
            for tool in shown:
                if isinstance(tool, Finder):
                    tool.note(names, self.deferred)
            self._specs = tuple(map(spec_of, shown))
        return self._specs

    def _to_find(self) -> list[str]:
        found = [tool for tool in self._tools.values() if self.exposure(tool) == "deferred"]
        names = {*self._late, *(exposure.source_of(tool) or tool.name for tool in found)}
        return sorted(names - self._unnamed)

    def _count(self) -> None:
        self._foreign = sum(bool(exposure.source_of(tool)) for tool in self._tools.values())
        self._has_finder = any(isinstance(tool, Finder) for tool in self._tools.values())

    def meant(self, call: ToolCall) -> ToolCall:
        """The call that a call of ``call_tool`` stands for, under the same id; else the call itself."""
        tool = self.find(call.name)
        inner = getattr(tool, "inner", None)
        return call if inner is None else inner(call)

    def _is_enabled(self, name: str) -> bool:
        return name not in self._disabled and (self._enabled is None or name in self._enabled)


def spec_of(tool: AnyTool) -> ToolSpec:
    """A tool as a model is told of it."""
    return ToolSpec(
        name=tool.name,
        description=tool.description,
        schema=schema(tool.arguments),
        freeform=getattr(tool, "freeform", None),
    )


def canonical(name: str) -> str:
    """The one name of a tool that has many; an unknown name is only lower-cased."""
    return TOOLS.get(folded(name)) or _CANONICAL.get(folded(name)) or name.lower()


def _meant(names: Iterable[str]) -> set[str]:
    """The one names of tools; a shell is also what it has become, commands that may be typed into."""
    found = {canonical(name) for name in names}
    return found | _COMMANDS if "shell" in found else found


_COMMANDS = frozenset({"exec_command", "write_stdin"})
_CANONICAL = {folded(name): name for name in ("apply_patch", "multi_edit", "update_plan")}
