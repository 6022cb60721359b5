"""The tools of a session, and the hands that carry calls out by the rules."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ouroboros.agent.asking.questions import Questions
from ouroboros.agent.journal import Journal
from ouroboros.app.config.rule_names import is_of_code
from ouroboros.app.config.trust import project_folder, tree_folder
from ouroboros.app.kit import Kit
from ouroboros.app.permission.cages import Grounds, is_caged
from ouroboros.app.permission.keeper import FileKeeper
from ouroboros.app.permission.standing import Here
from ouroboros.app.settings import Settings
from ouroboros.app.wiring.goals import makers as goal_makers
from ouroboros.app.wiring.late_scripts import Late
from ouroboros.app.wiring.rulebook import Bench, is_online, judging, places_of, rules, rules_of
from ouroboros.core.clock import Clock
from ouroboros.core.ids import Ids
from ouroboros.core.state import State
from ouroboros.safety.policy.book import Book
from ouroboros.tools.approval import Asker
from ouroboros.tools.builtin.asking import Inquirer, RequestUserInputTool
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.builtin.permissions import Beyond
from ouroboros.tools.builtin.texts import Editor
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.own.create import CreateToolTool
from ouroboros.tools.own.shelf import Shelf
from ouroboros.tools.own.tool import Reading
from ouroboros.tools.pace import Pace
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.result import Spill
from ouroboros.tools.routing import Routes
from ouroboros.tools.seams import Cages, Checkpoints, Hooks

if TYPE_CHECKING:
    from ouroboros.app.permission.granting import Granting


def hands(
    bench: Bench,
    *,
    registry: Registry,
    journal: Journal,
    asker: Asker,
    book: Book,
    state: State,
    clock: Clock,
    ids: Ids,
    cages: Cages | None = None,
    routes: Routes | None = None,
    checkpoints: Checkpoints | None = None,
    hooks: Hooks | None = None,
    pace: Pace | None = None,
    spill: Spill | None = None,
) -> Orchestrator:
    """The one way from a call to its effect, for this session."""
    rules, validator = judging(bench, state.session, book)
    here = Here(
        state,
        bench.cwd,
        is_online=partial(is_online, bench.settings),
        can_close=partial(is_caged, bench.settings.sandbox),
        temporary=bench.temporary,
    )
    return Orchestrator(
        registry=registry,
        rules=rules,
        journal=journal,
        asker=asker,
        standing=here,
        keeper=FileKeeper(bench.home, bench.cwd, book),
        pace=pace,
        clock=clock,
        ids=ids,
        environment=bench.environment,
        spill=spill,
        cages=cages,
        routes=routes,
        validator=validator,
        checkpoints=checkpoints,
        hooks=hooks,
        limit=bench.settings.tools.output_bytes,
    )


def _bench(kit: Kit) -> Bench:
    return Bench(
        settings=kit.settings,
        home=kit.home,
        cwd=kit.cwd,
        environment=kit.environment,
        leaks=kit.leaks,
        rules=kit.rules,
        regions=kit.visited.regions,
        keeps=kit.keeping.keeps if kit.keeping is not None else None,
        temporary=kit.temporary,
    )


def session_hands(kit: Kit, registry: Registry, routes: Routes | None = None) -> Orchestrator:
    """The hands of a session over these tools."""
    return hands(
        _bench(kit),
        registry=registry,
        journal=kit.journal,
        asker=kit.asker,
        book=kit.book,
        state=kit.state,
        clock=kit.clock,
        ids=kit.ids,
        cages=kit.cages,
        routes=routes,
        checkpoints=kit.keeping,
        hooks=kit.calls,
        pace=kit.pace,
        spill=kit.spill,
    )


def registry(
    settings: Settings,
    inquirer: Inquirer | None = None,
    *,
    late: Late | None = None,
    shelf: Shelf | None = None,
    processes: Processes | None = None,
    fetch: Callable[[], AnyTool] | None = None,
    python: Callable[[], AnyTool] | None = None,
    permissions: Callable[[], AnyTool] | None = None,
    view_image: Callable[[], AnyTool] | None = None,
    repo_map: Callable[[], AnyTool] | None = None,
    dogs: Callable[[], AnyTool] | None = None,
    beyond: Callable[[], Beyond] | None = None,
    goals: dict[str, Callable[[], AnyTool]] | None = None,
    editor: Editor | None = None,
    only: frozenset[str] | None = None,
) -> Registry:
    """The built-in tools, less the ones that are switched off.

    Args:
        settings: What is switched off, and the bounds of the others.
        inquirer: Asks the person; without it nobody is there.
        late: Runs scripts that a model may find.
        shelf: Tools of the person's and the model's own; with it this blocks.
        processes: Holds commands that outlive their call; without it they are only listed.
        fetch: Makes the tool that reads pages; without it that is only listed.
        python: The same of the tool that runs Python.
        permissions: The same of the tool that asks to be allowed more.
        view_image: The same of the tool that shows pictures.
        repo_map: The same of the tool that maps a folder.
        dogs: The same of the tool that applies bundles.
        beyond: What single commands may be given besides, where that is switched on.
        goals: The same of the tools of the goal.
        editor: Has files open for a person.
        only: Names of those that there are; None means all.
    """
    tools = builtin_tools(
        timeout_seconds=settings.tools.shell_timeout,
        timeout_cap_seconds=settings.tools.shell_timeout_cap,
        write_bytes=settings.tools.write_max,
        processes=processes or Processes(),
        login=settings.tools.login_shell,
        beyond=(beyond or _nothing) if settings.tools.additional_permissions else None,
        editor=editor,
    )
    asking = RequestUserInputTool(inquirer or Questions(interactive=False))
    known = Registry((*tools, asking), enabled=only, disabled=settings.tools.disabled)
    known.register_late("fetch", fetch or _fetch)
    known.register_late("python", python or _python)
    known.register_late("request_permissions", permissions or _permissions)
    known.register_late("view_image", view_image or _view_image)
    known.register_late("repo_map", repo_map or partial(repo_map_in, Path("home")))
    known.register_late("dogs", dogs or partial(dogs_in, Path("home")), quietly=True)
    for name, make in (goals or goal_makers()).items():
        known.register_late(name, make, quietly=True)
    if late is not None:
        late.join(known)
    if shelf is not None:
        known.register(CreateToolTool(shelf, known))
        known.look = shelf.look
        shelf.look(known)
    return known


def _fetch() -> AnyTool:
    from ouroboros.tools.web.fetch import FetchTool  # loads much that most runs never need

    return FetchTool()


def _python() -> AnyTool:
    from ouroboros.tools.builtin.python import PythonTool

    return PythonTool(artifacts=Path("artifacts"))


def _view_image() -> AnyTool:
    from ouroboros.tools.builtin.image import ViewFileTool

    return ViewFileTool()


def repo_map_in(home: Path) -> AnyTool:
    """The tool that maps a folder; what it found is kept in this home."""
    from ouroboros.tools.builtin.repo_map import RepoMapTool

    return RepoMapTool(home)


def dogs_in(home: Path, editor: Editor | None = None) -> AnyTool:
    """The tool that applies bundles; what is under way is noted in this home."""
    from ouroboros.tools.builtin.bundle import DogsTool
    from ouroboros.tools.builtin.texts import Texts
    from ouroboros.workspace.artifacts.dogs.journals import journal_of

    return DogsTool(partial(journal_of, home), Texts(editor))


def view_image_for(kit: Kit) -> AnyTool:
    """The tool that shows pictures, where the model of the moment can see."""
    from ouroboros.tools.builtin.image import ViewFileTool

    return ViewFileTool(partial(blind, kit))


def blind(kit: Kit) -> str:
    """Why the model that is asked now sees no pictures; empty where it does, or may."""
    speaker = kit.lineup.speaker
    if speaker.tuning.takes_images is not False:
        return ""
    return (
        f"{speaker.name} takes no pictures, so none was read; work with the file by commands, or "
        f'tell the user: another model can, and images = true in [models."{speaker.name}"] says '
        "that this one does"
    )


def _permissions() -> AnyTool:
    from ouroboros.tools.builtin.permissions import Nothing, RequestPermissionsTool

    return RequestPermissionsTool(Nothing())


def _nothing() -> Beyond:
    from ouroboros.tools.builtin.permissions import Nothing

    return Beyond(allowance=Nothing(), grants=tuple)


def beyond_for(kit: Kit) -> Beyond:
    """What single commands of a session may be given besides."""
    return Beyond(allowance=_granting(kit), grants=lambda: kit.state.grants)


def permissions_for(kit: Kit) -> AnyTool:
    """The tool that asks to be allowed more, which knows what is not to be had here."""
    from ouroboros.tools.builtin.permissions import RequestPermissionsTool

    return RequestPermissionsTool(_granting(kit))


def _granting(kit: Kit) -> "Granting":
    from ouroboros.app.permission.granting import Granting

    bench = _bench(kit)
    return Granting(
        kit.settings,
        Grounds(
            cwd=kit.cwd,
            home=kit.home,
            environment=kit.environment,
            session=kit.state.session,
        ),
        rules=rules_of(bench, places_of(bench, kit.state.session)),
        hosts=kit.book.policy,
    )


def fetch_for(kit: Kit) -> AnyTool:
    """The tool that reads pages, with what this session may reach."""
    from ouroboros.app.wiring.web import fetch_tool

    return fetch_tool(kit.settings, kit.environment, kit.book.policy)


def shelf_of(settings: Settings, *, home: Path, cwd: Path, cages: Cages | None = None) -> Shelf:
    """The folders of own tools for sessions in ``cwd``; blocks."""

    def reading() -> Reading | None:
        from ouroboros.app.permission.cages import is_caged

        if cages is None or not is_caged(settings.sandbox):
            return None
        return partial(cages.within, "plan")

    project, tree = project_folder(cwd, home), tree_folder(cwd, home)
    return Shelf(home=home, project=project, tree=tree, reading=reading)


def strangers(settings: Settings, registry: Registry) -> list[str]:
    """What to tell the person of rules and switches that name no tool, so that they do nothing."""
    named = {str(rule): rule.tool for rule in rules(settings.permissions)}
    named |= {f"tools.disabled = {name}": name for name in settings.tools.disabled}
    warnings: list[str] = []
    for written, tool in named.items():
        # A tool of an MCP server, or a pattern, may fit one that comes later.
        if "*" in tool or tool.startswith("mcp__") or registry.knows(tool) or is_of_code(tool):
            continue
        near = registry.near(tool)
        meant = f"; did you mean {near[0]}?" if near else ""
        warnings.append(f"{written!r} names no tool, so it does nothing{meant}")
    return warnings
