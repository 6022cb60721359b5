"""What an open session has before it gets a mind and hands."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anyio import lowlevel
from msgspec import Struct

from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.context.cut import Around, Flush, Nobody, keep_nothing
from ouroboros.agent.context.teller import no_mentions
from ouroboros.agent.journal import Journal
from ouroboros.agent.roles import Partner
from ouroboros.agent.running.caps import Rest
from ouroboros.agent.running.hooked import Childless, Children
from ouroboros.agent.running.overlap import Hands
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.app.permission.reviewing import Stop
from ouroboros.app.permission.visited import Visited
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.rewind.late import LateKeeping
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.ids import Ids
from ouroboros.core.limits import Caps
from ouroboros.core.parts import Message
from ouroboros.core.state import State
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Rule
from ouroboros.tools.approval import Asker
from ouroboros.tools.builtin.session import Children as SessionsChildren
from ouroboros.tools.builtin.session import NoChildren
from ouroboros.tools.builtin.texts import Editor
from ouroboros.tools.pace import Pace
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.result import Spill
from ouroboros.tools.seams import Cages, Hooks, NoSpill

if TYPE_CHECKING:
    from ouroboros.app.hooks.around import Around as HooksAround
    from ouroboros.browser.live.live import Live


class Kit(Struct, frozen=True, kw_only=True):
    """Handed to whoever joins a mind with its hands.

    Attributes:
        environment: Without the keys of providers.
        asker: Who answers questions first: the desk, or a guardian before it.
        stop: Stops the turn, once there is a session.
        book: What policy files say.
        rules: Permission rules with their layers; None leaves it to the settings' lists.
        visited: The workspaces that came in besides the session's own.
        temporary: The folder for temporary files of this session's commands, once there is one.
        cages: What commands run in.
        keeping: Keeps the person's files; None where that is switched off.
        only: Names of the tools that there are; None means all that the settings leave.
        around: Hears of every summary and may stop it.
        flush: Keeps what is worth keeping of messages that a summary replaces.
        hooks: Programs of the person; None where there are none.
        calls: The same around calls.
        children: The same around what the session starts.
        spill: Keeps whole outputs that a model is shown a part of.
        ephemeral: Nothing of the session is kept.
        editor: Has files open for the person; None leaves them to the disk.
        dress: Gives another tool in the place of each that is called; None leaves them.
        rest: Time in which the run waits for a person who is at work.
    """

    settings: Settings
    home: Path
    cwd: Path
    environment: dict[str, str]
    leaks: Leaks
    state: State
    journal: Journal
    desk: Desk
    asker: Asker
    stop: Stop
    book: Book
    rules: tuple[Rule, ...] | None
    visited: Visited
    cages: Cages
    temporary: Callable[[], Path | None]
    keeping: LateKeeping | None
    lineup: Lineup
    speakers: Speakers
    caps: Caps
    rest: Rest
    pace: Pace
    clock: Clock
    ids: Ids
    around: Around = Nobody()
    flush: Flush = keep_nothing
    only: frozenset[str] | None = None
    hooks: "HooksAround | None" = None
    calls: Hooks | None = None
    children: Children = Childless()
    spill: Spill = NoSpill()
    ephemeral: bool = False
    editor: Editor | None = None
    dress: Callable[[AnyTool], AnyTool] | None = None


class Later:
    """What a mind asks of the session that it becomes a part of."""

    def __init__(self) -> None:
        """There is no session yet."""
        self.source: Callable[[State], tuple[Message, dict[str, str]] | None] = lambda _: None

    def of(self, state: State) -> tuple[Message, dict[str, str]] | None:
        """What a model must be told anew after a summary."""
        return self.source(state)


class Joined(Struct, frozen=True, kw_only=True):
    """A mind with its hands.

    Attributes:
        versions: Of the pieces of its prompt.
        off: Blocks that its model is not told of the surroundings.
        closing: Is awaited before a run ends.
        stop_child: Stops one child of the run; false where none of that name is at work.
        resize: Gives the terminals of commands so many columns and rows.
        handed: What goes on that no event says: ``goal``, ``tabs``.
        children: Those that no run ends over the heads of.
        mentions: Reads what words name, the way every call goes.
        live: Its tabs for people; None without a browser.
    """

    name: Literal["tools", "rlm"]
    mind: Partner
    hands: Hands
    versions: dict[str, str]
    off: tuple[str, ...]
    warnings: list[str]
    facts: Later
    stop_child: Callable[[str], bool] = lambda _: False
    resize: Callable[[int, int], None] = lambda _columns, _rows: None
    closing: Callable[[], Awaitable[None]] = lowlevel.checkpoint
    handed: Callable[[], dict[str, str]] = dict
    children: SessionsChildren = NoChildren()
    mentions: Callable[[Message], Awaitable[Message | None]] = no_mentions
    live: "Live | None" = None
