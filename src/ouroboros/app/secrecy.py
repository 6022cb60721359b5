"""Keys never enter an event: which values are secret, and how events are rid of them."""

from collections.abc import Callable, Mapping

from ouroboros.safety.environment import is_secret_name
from ouroboros.safety.leaks import Leaks


def secrets(environment: Mapping[str, str]) -> Leaks:
    """The values of variables whose names say that they hold a credential."""
    return Leaks({name: value for name, value in environment.items() if is_secret_name(name)})


def redactor(leaks: Leaks) -> Callable[[bytes], bytes | None]:
    """A function that takes secrets out of an event's JSON; None when it holds none."""

    def redact(encoded: bytes) -> bytes | None:
        return leaks.redacted_bytes(encoded) if leaks.contains(encoded) else None

    return redact
