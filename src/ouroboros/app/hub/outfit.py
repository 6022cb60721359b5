"""What sessions of a hub are opened with: each by the settings of its own folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.layers import Loaded, home_folder, load
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.providers.listing import equipped

if TYPE_CHECKING:
    from ouroboros.llm.cassettes.tap import Tap


class Outfit(Struct, frozen=True, kw_only=True):
    """The environment, and what the command line said for every session.

    Attributes:
        environment: Variables, as from ``environment()``; also keys of providers.
        cwd: The folder of a new session that names none.
        flags: Settings by dotted key; None means not given.
        tap: A recording that every session is part of.
    """

    environment: dict[str, str]
    cwd: Path
    profile: str = ""
    flags: Mapping[str, object] = {}
    tap: "Tap | None" = None

    @property
    def home(self) -> Path:
        """Where sessions are kept."""
        return home_folder(self.environment)

    def loaded(self, cwd: Path, flags: Mapping[str, object] | None = None) -> Loaded:
        """The settings that count in a folder; blocking.

        Raises:
            ConfigBroken: A file or a value cannot be understood.
        """
        given = {name: value for name, value in (flags or {}).items() if value is not None}
        return load(cwd, self.environment, {**self.flags, **given}, self.profile)

    def fitted(self, cwd: Path, flags: Mapping[str, object]) -> "Fitted":
        """The engine for a folder, with these settings besides; blocking.

        Raises:
            ConfigBroken: Settings or keys of the folder cannot be read.
        """
        loaded = self.loaded(cwd, flags)
        # Who asks the same again in a conversation wants another answer.
        settings = replace(loaded.settings, cache_replies=False)
        engine = Ouroboros(
            settings,
            home=loaded.home,
            environment=equipped(loaded, self.environment),
            tap=self.tap,
            rules=loaded.rules,
            hooks=loaded,
        )
        given = {**self.flags, **flags}
        chosen = frozenset(name for name, value in given.items() if value is not None)
        return Fitted(engine=engine, chosen=chosen, close_after=settings.server.close_after)


class Fitted(Struct, frozen=True, kw_only=True):
    """An engine for one folder.

    Attributes:
        chosen: The settings that were named, so that they count for a session that goes on.
        close_after: Seconds after which a session that nobody looks at is closed.
    """

    engine: Ouroboros
    chosen: frozenset[str]
    close_after: float
