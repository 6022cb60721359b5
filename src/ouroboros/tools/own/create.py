"""A model makes itself a tool; the person sees the whole code first."""

from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, field

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.sandbox.kept import changed_by_us
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.own import approvals
from ouroboros.tools.own.manifest import CODE, MANIFEST, Manifest, Parameter, parse, written
from ouroboros.tools.own.shelf import Shelf
from ouroboros.tools.own.tool import check, hash_of
from ouroboros.tools.registry import Registry
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.files import write_atomic


class CreateToolArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole tool."""

    name: str
    description: str
    code: str
    parameters: dict[str, Parameter] = field(default_factory=dict[str, Parameter])
    read_only: bool = False


class CreateToolTool:
    """Writes a tool's folder and puts the tool on the shelf."""

    name = "create_tool"
    description = (
        "Make a tool of your own for work that comes again. code is Python with `def call(...)` "
        "taking the parameters; it returns text or JSON, prints progress, runs caged without network. "
        "read_only: it writes nothing. The user sees the code first; use it with call_tool."
    )
    arguments = CreateToolArguments
    parallel_safe = False
    exposure: Exposure = "deferred"

    def __init__(self, shelf: Shelf, registry: Registry) -> None:
        """Puts tools on ``shelf``, which registers them."""
        self._shelf, self._registry = shelf, registry

    def effect(self, arguments: CreateToolArguments, cwd: Path) -> Effect:
        """Writing into a protected folder: asked about in every mode."""
        del cwd
        self._checked(arguments)
        folder = self._shelf.folder_of(arguments.name)
        return Effect(
            kind="write",
            paths=(folder / MANIFEST, folder / CODE),
            action=f"Make the tool {arguments.name}, which runs this code",
        )

    async def run(
        self, arguments: CreateToolArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Both files, the approval, and the tool ready to be called."""
        del context
        await to_thread.run_sync(self._make, arguments)
        yield Result.of(
            f"{arguments.name} is there; call it with call_tool "
            f'{{"name": "{arguments.name}", "arguments": {{...}}}}.'
        )

    def _checked(self, arguments: CreateToolArguments) -> str:
        manifest = Manifest(
            name=arguments.name,
            description=arguments.description,
            read_only=arguments.read_only,
            parameters=arguments.parameters,
        )
        text = written(manifest)
        parse(text, "the tool")
        check(arguments.code, CODE)
        found = self._registry.find(arguments.name)
        if found is not None and getattr(found, "written", None) is None:
            raise ToolFailed(f"{arguments.name} is a tool already; choose another name")
        return text

    def _make(self, arguments: CreateToolArguments) -> None:
        text = self._checked(arguments)
        folder = self._shelf.folder_of(arguments.name)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in ((MANIFEST, text), (CODE, arguments.code)):
            write_atomic(folder / name, content.encode())
        changed_by_us(folder)
        approvals.approve(self._shelf.home, hash_of(text, arguments.code))
        self._shelf.forget(folder)
        self._shelf.look(self._registry)
        if folder in self._shelf.problems:
            raise ToolFailed(self._shelf.problems[folder])
