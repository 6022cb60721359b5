"""What sessions of a command are started with: settings, keys, and a recording to make or to play."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ouroboros.app.providers.listing import equipped
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen

if TYPE_CHECKING:
    from ouroboros.app.cassettes import Play, Record
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.ouroboros import Ouroboros
    from ouroboros.app.settings import Settings


class Equipment(Struct, frozen=True, kw_only=True):
    """Settings and where keys are; ``played`` and ``tap`` are None without a recording.

    ``chosen`` names the settings that this call of the program gives.
    """

    loaded: "Loaded"
    environment: dict[str, str]
    chosen: frozenset[str]
    played: "Play | None" = None
    tap: "Record | Play | None" = None

    def engine(self, settings: "Settings | None" = None) -> "Ouroboros":
        """The engine with all of this, by other ``settings`` where some are given.

        Rules and hooks go with their layers: what the person has not trusted counts for none.
        """
        from ouroboros.app.ouroboros import Ouroboros

        return Ouroboros(
            settings or self.loaded.settings,
            home=self.loaded.home,
            environment=self.environment,
            tap=self.tap,
            rules=self.loaded.rules,
            hooks=self.loaded,
        )

    def remark(self) -> None:
        """Tells the person how well a played recording fitted."""
        if self.played is not None and (said := self.played.remark):
            note(f"warning: {said}")


def equip(
    invocation: Invocation,
    chosen: Chosen,
    cwd: Path,
    more: Mapping[str, object] | None = None,
) -> Equipment:
    """Reads settings and keys, and opens the recording that was named.

    ``more`` are settings by dotted key that options of the command's own became.

    Raises:
        Misuse: Options contradict each other, or the recording cannot be used.
    """
    flags = chosen.settings() | dict(more or {})
    if chosen.strict_replay and not chosen.replay:
        raise Misuse("--strict-replay goes with --replay FILE", hint="name the recording")
    if not (chosen.record or chosen.replay):
        loaded = invocation.load(flags, cwd)
        environment = equipped(loaded, invocation.environment)
        return Equipment(loaded=loaded, environment=environment, chosen=_given(flags))
    if chosen.record and chosen.replay:
        raise Misuse("--record and --replay contradict each other", hint="give one of them")
    from ouroboros.app.cassettes import Play, Record

    if chosen.record:
        loaded = invocation.load(flags, cwd)
        environment = equipped(loaded, invocation.environment)
        tap = Record(Path(chosen.record), environment)
        return Equipment(loaded=loaded, environment=environment, chosen=_given(flags), tap=tap)
    played = Play(Path(chosen.replay), invocation.environment, strict=chosen.strict_replay)
    setup = played.setup
    known = {
        "model": setup.model,
        "base_url": setup.base_url,
        "fallback": list(setup.fallback),
    }
    flags |= {name: value for name, value in known.items() if value and flags[name] is None}
    return Equipment(
        loaded=invocation.load(flags, cwd),
        environment=invocation.environment,
        chosen=_given(flags),
        played=played,
        tap=played,
    )


def _given(flags: Mapping[str, object]) -> frozenset[str]:
    return frozenset(name for name, value in flags.items() if value is not None)
