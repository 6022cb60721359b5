"""The mind that calls tools, with its prompt and the tools of the session."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.mind import ToolMind
from ouroboros.agent.prompts import Prompts
from ouroboros.app.kit import Joined, Kit, Later
from ouroboros.app.wiring import goals, late_scripts, living, outgoing, toolbox
from ouroboros.app.wiring.children import SessionChildren
from ouroboros.app.wiring.minds.prompts import system_prompt
from ouroboros.app.wiring.pythons import Pythons
from ouroboros.core.events.code import Logged
from ouroboros.core.parts import Media, Message
from ouroboros.tools.builtin.session import DoneTool
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import Registry

if TYPE_CHECKING:
    from ouroboros.app.wiring.seat import BrowserSeat


class Wish(Struct, frozen=True, kw_only=True):
    """What a person wants of the mind."""

    browser: bool = False
    logins: tuple[str, ...] = ()


@asynccontextmanager
async def joined(
    kit: Kit, wish: Wish, prompts: Prompts, processes: Processes
) -> AsyncGenerator[Joined]:
    """The mind with the built-in tools and those that were switched on."""
    browser = wish.browser or kit.settings.browser.tools
    late = late_scripts.wanted(kit.settings, browser=browser)
    pythons = Pythons(kit)
    shelf = await to_thread.run_sync(
        partial(toolbox.shelf_of, kit.settings, home=kit.home, cwd=kit.cwd, cages=kit.cages)
    )
    registry = await to_thread.run_sync(
        partial(
            toolbox.registry,
            kit.settings,
            kit.desk.questions,
            only=kit.only,
            late=late,
            shelf=shelf,
            processes=processes,
            fetch=partial(toolbox.fetch_for, kit),
            python=pythons.tool,
            permissions=partial(toolbox.permissions_for, kit),
            view_image=partial(toolbox.view_image_for, kit),
            repo_map=partial(toolbox.repo_map_in, kit.home),
            dogs=partial(toolbox.dogs_in, kit.home, kit.editor),
            beyond=partial(toolbox.beyond_for, kit),
            goals=goals.makers(kit.state, kit.ids),
            editor=kit.editor,
        )
    )
    registry.dress = kit.dress
    children = SessionChildren(kit.state, kit.stop.send)
    kit.journal.listen(children.hear)
    registry.replace(DoneTool(children))
    for problem in shelf.problems.values():
        kit.journal.record(Logged(level="warning", text=problem))
    async with AsyncExitStack() as open_:
        open_.push_async_callback(pythons.close)
        hands = await open_.enter_async_context(outgoing.hands_of(kit, registry))
        if late is not None:
            used: AbstractAsyncContextManager[BrowserSeat | None] = late_scripts.kept(
                late, kit, registry, hands
            )
        else:
            from ouroboros.app.wiring import tool_family  # runs without them never load the browser

            used = tool_family.added(
                kit,
                registry,
                hands,
                browser=browser,
                logins=wish.logins,
                pythons=pythons,
                blind=partial(toolbox.blind, kit),
            )
        seat = await open_.enter_async_context(used)
        yield replace(_mind(kit, prompts, registry, hands, processes, seat=seat), children=children)


def _mind(
    kit: Kit,
    prompts: Prompts,
    registry: Registry,
    hands: Orchestrator,
    processes: Processes,
    *,
    seat: "BrowserSeat | None",
) -> Joined:
    pieces = system_prompt(kit.settings, prompts)
    facts = Later()
    mind = ToolMind(
        lineup=kit.lineup,
        prompts=prompts,
        system=pieces,
        tools=registry.specs,
        ids=kit.ids,
        context=facts.of,
        around=kit.around,
        flush=kit.flush,
    )
    return Joined(
        name="tools",
        mind=mind,
        hands=living.careful(kit, hands, registry.meant),
        closing=living.changes(kit, hands),
        versions={piece.name: piece.version for piece in pieces},
        off=kit.settings.context.off,
        warnings=toolbox.strangers(kit.settings, registry),
        facts=facts,
        resize=processes.resize,
        handed=lambda: {"tabs": seat.counted()} if seat is not None else {},
        mentions=partial(_mentioned, kit, registry, hands),
        live=seat.live if seat is not None else None,
    )


async def _mentioned(
    kit: Kit, registry: Registry, hands: Orchestrator, message: Message
) -> Message | None:
    """What words name, read; most words name nothing."""
    if any(isinstance(part, Media) for part in message.parts) and toolbox.blind(kit):
        text = f"{kit.lineup.speaker.name} takes no pictures, so those are left out"
        kit.journal.record(Logged(level="warning", text=text))
    if "@" not in message.text:
        return None
    from ouroboros.app.wiring.mentions import Mentions

    return await Mentions(kit, registry, hands).read(message)
