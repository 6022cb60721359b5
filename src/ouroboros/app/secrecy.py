"""Keys never enter an event: which values are secret, and how events are rid of them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ouroboros.app.settings import Safety, Settings
from ouroboros.core.errors import Misuse
from ouroboros.safety.environment import is_secret_name
from ouroboros.safety.leaks import Leaks

if TYPE_CHECKING:
    from ouroboros.safety.pipeline.screen import Screen
    from ouroboros.safety.secrets.detector import Detector


def secrets(environment: Mapping[str, str], settings: Settings | None = None) -> Leaks:
    """The values of variables whose names say that they hold a credential, or settings do."""
    named = _key_names(settings) if settings else frozenset[str]()
    return Leaks(
        {
            name: value
            for name, value in environment.items()
            if is_secret_name(name) or name in named
        },
        unknown=detector(settings.safety) if settings else None,
    )


def detector(safety: Safety) -> "Detector | None":
    """What finds secrets that nobody told us of; None when the person has switched it off.

    Raises:
        Misuse: It is off, and nobody confirmed that.
    """
    if not is_on(safety):
        return None
    from ouroboros.safety.secrets.detector import Detector

    return Detector(safety.actions)


def is_on(safety: Safety) -> bool:
    """Whether what comes in and goes out is looked at.

    Raises:
        Misuse: It is off, and nobody confirmed that.
    """
    if not safety.enabled and not safety.confirm_disable:
        raise Misuse(
            "safety.enabled = false needs safety.confirm_disable = true beside it",
            hint="without the safety pipeline, secrets in outputs are kept, shown and sent as they are",
        )
    return safety.enabled


def screen(safety: Safety) -> "Screen | None":
    """What takes such secrets out of events; None when the person has switched it off."""
    found = detector(safety)
    if found is None:
        return None
    from ouroboros.safety.pipeline.screen import Screen

    return Screen(found)


def without_keys(environment: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """The variables but for those that hold keys of the person's own providers.

    Their names need not look like it, and what runs for a model must not see them.
    """
    named = _key_names(settings)
    return {name: value for name, value in environment.items() if name not in named}


def _key_names(settings: Settings) -> frozenset[str]:
    return frozenset(mine.key_env for mine in settings.providers.values() if mine.key_env)


def redactor(leaks: Leaks) -> Callable[[bytes], bytes | None]:
    """A function that takes secrets out of an event's JSON; None when it holds none."""

    def redact(encoded: bytes) -> bytes | None:
        return leaks.known_bytes(encoded) if leaks.contains(encoded) else None

    return redact
