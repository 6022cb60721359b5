"""Keys never enter an event: which values are secret, and how events are rid of them."""

from collections.abc import Callable, Mapping

from ouroboros.app.settings import Settings
from ouroboros.safety.environment import is_secret_name
from ouroboros.safety.leaks import Leaks


def secrets(environment: Mapping[str, str], settings: Settings | None = None) -> Leaks:
    """The values of variables whose names say that they hold a credential, or settings do."""
    named = _key_names(settings) if settings else frozenset[str]()
    return Leaks({
        name: value for name, value in environment.items() if is_secret_name(name) or name in named
    })


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
        return leaks.redacted_bytes(encoded) if leaks.contains(encoded) else None

    return redact
