"""What a session is opened with, what is opened before it, and what comes of it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from ouroboros.agent.context.cut import Flush, keep_nothing
from ouroboros.agent.journal import Log
from ouroboros.agent.prompts import Prompts
from ouroboros.agent.session import Session
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app.permission.visited import Visited
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.events import Envelope
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.repl.seeds import Seeds
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.rules import Rule

if TYPE_CHECKING:
    from ouroboros.app.apart import Opener
    from ouroboros.app.config.layers import Loaded
    from ouroboros.browser.live.live import Live
    from ouroboros.llm.cassettes.tap import Tap
    from ouroboros.tools.builtin.texts import Editor
    from ouroboros.tools.registry import AnyTool


type Show = Callable[[list[Envelope]], None]
type Warn = Callable[[str], None]
type LogOf = Callable[[int, Show, Warn], Log]
"""Makes the log of a session: it goes on after a number, shows what is kept, and warns."""


class Opening(Struct, frozen=True, kw_only=True):
    """What a session is opened with.

    Attributes:
        rules: What may happen; None leaves it to the settings' own lists.
        mind: Who drives it; empty means as before, and tools in a new one.
        browser: There is one, started by its first use.
        logins: Sealed states that it begins with.
        seeds: Variables that the REPL begins with.
        way: How ``rlm`` gets at small data: read it plainly, or work on it in the REPL.
        flush: Keeps what is worth keeping of messages that a summary replaces.
        hooks: The layers whose programs of the person run; None leaves it to the settings' own.
        only: Names of its tools; None means all that the settings leave.
        apart: It serves another session, which asks its hooks itself, and is on no list.
        rooms: Opens sessions of the same home for work apart, with other settings.
        ephemeral: Nothing of it is kept.
        output_schema: JSON Schema that its answers have to fit; empty for none.
        editor: Has files open for the person.
        dress: Gives another tool in the place of each that is called; None leaves them.
        chosen: Names of settings that count now; in the others a session that goes on keeps its own.
    """

    settings: Settings
    home: Path
    environment: dict[str, str]
    cwd: Path
    interactive: bool
    tap: "Tap | None" = None
    rules: tuple[Rule, ...] | None = None
    mind: Literal["", "tools", "rlm"] = ""
    browser: bool = False
    logins: tuple[str, ...] = ()
    seeds: Seeds = Seeds()
    way: Literal["auto", "plain", "repl"] = "auto"
    flush: Flush = keep_nothing
    only: frozenset[str] | None = None
    apart: bool = False
    rooms: "Opener | None" = None
    chosen: frozenset[str] = frozenset()
    hooks: "Loaded | None" = None
    ephemeral: bool = False
    output_schema: bytes = b""
    editor: "Editor | None" = None
    dress: "Callable[[AnyTool], AnyTool] | None" = None


class Built(Struct, kw_only=True):
    """An open session and what the person should know of how it was opened.

    ``warm`` connects to the model ahead of the first words, and finds out what nobody knows of it;
    ``visited`` are the workspaces that came in besides its own; ``live`` are the tabs for people.
    """

    engine: Session
    warm: Callable[[], Awaitable[None]]
    visited: Visited
    resumed: bool
    warnings: list[str] = field(default_factory=list[str])
    live: "Live | None" = None


class Parts(Struct, frozen=True, kw_only=True):
    """What is opened before a session can be built."""

    log: LogOf
    leader: Speaker
    speakers: Speakers
    prompts: Prompts
    ids: TimeOrderedIds
    clock: SystemClock
    leaks: Leaks
