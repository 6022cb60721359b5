"""`paws agent`: agents by name, each a program of its own that works in a session and hands its changes over."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
import msgspec

from ouroboros.core.errors import Misuse, unwrapped
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json
from ouroboros.faces.cli.options.flags import Chosen, asking

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from ouroboros.app.paws.agents.agents import Agents, Instance
    from ouroboros.app.paws.agents.working import Working
    from ouroboros.core.ipc.messages import Initialize

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="agent")
def command() -> None:
    """Agents by name: defined in a file, run as programs of their own in a work session.

    A definition is a file NAME.agent.md: a head with name, engine and tools, and the words of the
    agent below it.
    """


@command.command("create")
@click.argument("name", required=False, default="")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The definition, a file *.agent.md.",
)
@click.pass_obj
def create(invocation: Invocation, name: str, source: Path) -> None:
    """Make an agent from a definition; nothing is installed and nothing runs."""
    from anyio import to_thread

    async def job(agents: "Agents") -> None:
        made = await to_thread.run_sync(agents.create, source, name)
        say(str(made.folder))
        if made.config.packages:
            wanted = " ".join(made.config.packages)
            note(f"it wants Python packages that are not installed for it: {wanted}")
        for line in await to_thread.run_sync(_unknown, invocation, made):
            note(f"warning: {line}")

    with_agents(invocation, job)


@command.command("list")
@_JSON
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """List the agents of this repository, what they do now, and definitions without an agent."""
    from ouroboros.faces.wording import agents as wording
    from ouroboros.faces.wording import table

    async def job(agents: "Agents") -> None:
        shown = await wording.rows(agents)
        for line in agents.instances.warnings:
            note(f"warning: {line}")
        if as_json:
            say_json(await _facts(agents))
            return
        for line in table.block(shown, table.columns()):
            say(line)
        if not shown:
            note(wording.NONE)

    with_agents(invocation, job)


@command.command("stop")
@click.argument("name")
@click.pass_obj
def stop(invocation: Invocation, name: str) -> None:
    """Have an agent end its work; after a while it is killed."""

    async def job(agents: "Agents") -> None:
        note(f"{name} has ended" if await agents.stop(name) else f"{name} was at rest")

    with_agents(invocation, job)


@command.command("serve", hidden=True)
@asking
@click.pass_obj
def serve(invocation: Invocation, /, **options: object) -> int:
    """Be an agent's program: one task from standard input, messages on standard output."""
    import uuid

    import anyio

    from ouroboros.core.clock import SystemClock
    from ouroboros.core.ipc.codec import Writer
    from ouroboros.faces.cli.interrupts import INTERRUPTED, watch
    from ouroboros.faces.ipc.child import Child, alone_with_stdout

    chosen = msgspec.convert(options, Chosen)

    flags = {name: value for name, value in chosen.settings().items() if value is not None}

    def opening(task: "Initialize") -> "AbstractAsyncContextManager[Working]":
        from ouroboros.app.paws.agents.working import begun

        cwd = invocation.cwd(chosen.cwd)
        environment = invocation.environment
        return begun(task, cwd, lambda own: invocation.load(_joined(own, flags), cwd), environment)

    async def main() -> int:
        async with alone_with_stdout() as (ears, mouth):
            writer = Writer(SystemClock(), lambda: str(uuid.uuid4()))
            child = Child(ears, mouth, writer, opening)
            codes: list[int] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch, child.stop, tasks.cancel_scope.cancel)
                codes.append(await child.serve())
                tasks.cancel_scope.cancel()
            return codes[0] if codes else INTERRUPTED

    try:
        return anyio.run(main)
    except ExceptionGroup as group:
        raise unwrapped(group) from group


@command.command("run")
@click.argument("name")
@click.option("--session", "words", metavar="ID", default="", help="Work in this work session.")
@click.option("--goal", metavar="TEXT", default="", help="What is to be done.")
@click.option(
    "--context",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A bundle of files to begin with, from `paws cats`.",
)
@click.option("--keep", is_flag=True, help="Leave its changes in the work tree, too.")
@_JSON
@asking
@click.pass_obj
def run_one(
    invocation: Invocation,
    /,
    name: str,
    words: str,
    *,
    goal: str,
    context: Path | None,
    keep: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Have an agent work in a session until it is done.

    Its lines go to standard error, and it asks you what its rules do not allow. On standard output
    is the bundle of all its changes; the work tree is as it was, until `paws dogs` applies what you
    want of it. Ctrl-C stops it.
    """
    from ouroboros.faces.cli.runs.agent_run import Order, carry_out

    if not goal.strip() and context is None:
        raise click.UsageError("say what is to be done: --goal TEXT, or --context FILE")
    order = Order(
        name=name,
        session=words,
        goal=goal,
        context=context,
        keep=keep,
        options=given(options),
    )
    where = str(options.get("cwd") or "")
    return with_agents(invocation, lambda agents: carry_out(agents, order, as_json=as_json), where)


def with_agents[T](
    invocation: Invocation, job: "Callable[[Agents], Awaitable[T]]", where: str = ""
) -> T:
    """Does it with the agents of the repository that the folder lies in."""
    from ouroboros.app.paws.agents.agents import Agents, Equipment
    from ouroboros.app.paws.sessions import Sessions
    from ouroboros.core.clock import SystemClock
    from ouroboros.faces.cli.interrupts import run

    async def main() -> T:
        cwd = invocation.cwd(where)
        sessions = await Sessions.at(cwd, invocation.environment)
        loaded = invocation.load(cwd=cwd)
        equipment = Equipment(
            sessions=sessions,
            settings=loaded.settings,
            home=loaded.home,
            environment=invocation.environment,
            clock=SystemClock(),
        )
        return await job(Agents(equipment))

    try:
        return run(main)
    except ExceptionGroup as group:
        raise unwrapped(group) from group


def given(options: dict[str, object]) -> tuple[str, ...]:
    """The options of ``asking`` as words of a command line again, but for the folder.

    An agent works in the work tree of its session, wherever the person is.
    """
    words: list[str] = []
    for parameter in serve.params:
        if parameter.name == "cwd":
            continue
        value = options.get(parameter.name or "")
        if parameter.name == "system" and isinstance(value, str) and value.startswith("@"):
            value = f"@{Path(value[1:]).expanduser().absolute()}"
        many = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
        words += [f"{parameter.opts[-1]}={each}" for each in many if each not in {None, ""}]
    return tuple(words)


def _joined(own: Mapping[str, object], flags: Mapping[str, object]) -> dict[str, object]:
    """The agent's settings and the person's, which win; words of both are said."""
    from ouroboros.app.paws.planning.files import text_of

    more = str(flags.get("system") or "")
    more = text_of(more[1:]) if more.startswith("@") else more
    both = "\n\n".join(filter(None, (str(own.get("system") or ""), more)))
    return {**own, **flags, **({"system": both} if both else {})}


def _unknown(invocation: Invocation, agent: "Instance") -> list[str]:
    """What is wrong with the names of its tools: one that there is not is missing without a word later."""
    from ouroboros.app.wiring import tool_list

    settings, found = invocation.load().settings, list[str]()
    place = tool_list.Place(home=invocation.home(), cwd=invocation.cwd())
    for tool in agent.config.tools or ():
        try:
            tool_list.one(settings, tool.name, place)
        except Misuse as unknown:
            found.append(f"{unknown.message}; {unknown.hint}")
    return found


async def _facts(agents: "Agents") -> list[dict[str, object]]:
    """For machines: agents, and definitions that none was made from, which have no ``folder``."""
    made: list[dict[str, object]] = [
        {
            "name": each.name,
            "description": each.config.description,
            "folder": str(each.folder),
            "definition": each.config.definition,
            "run": run,
        }
        for each, run in await agents.all()
    ]
    free: list[dict[str, object]] = [
        {
            "name": path.name.removesuffix(".agent.md"),
            "description": "",
            "folder": "",
            "definition": str(path),
            "run": None,
        }
        for path in await agents.only_defined()
    ]
    return [*made, *free]
