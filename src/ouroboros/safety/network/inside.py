"""What a command needs so that it goes out through the managed proxy: variables, and a way out of its namespace."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.network import outlet
from ouroboros.safety.sandbox.cage import Confined, Sandbox

INSIDE_PORT = 3128
"""On the loopback of a namespace of its own, where every port is free."""

_LET_OUT = (
    '"$0" -I -S "$1" "$2" "$3" || { echo "the way to the proxy could not be made" >&2; exit 126; }\n'
    'shift 3; exec "$@"'
)
_DESCRIPTOR_AT = 5
_HTTP_NAMES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
_ALL_NAMES = ("all_proxy", "ALL_PROXY")
_NONE_NAMES = ("no_proxy", "NO_PROXY")


def environment(port: int) -> dict[str, str]:
    """Variables that lead programs, git, pip, npm and others to the proxy at this port of loopback."""
    http, socks = f"http://127.0.0.1:{port}", f"socks5h://127.0.0.1:{port}"
    return {
        **dict.fromkeys(_HTTP_NAMES, http),
        **dict.fromkeys(_ALL_NAMES, socks),
        **dict.fromkeys(_NONE_NAMES, "localhost,127.0.0.1,::1"),
        "PIP_PROXY": http,
        "npm_config_proxy": http,
        "npm_config_https_proxy": http,
        "npm_config_noproxy": "localhost,127.0.0.1,::1",
        "YARN_HTTP_PROXY": http,
        "YARN_HTTPS_PROXY": http,
        "CARGO_HTTP_PROXY": http,
        "BUNDLE_HTTP_PROXY": http,
        "NODE_USE_ENV_PROXY": "1",
        "GIT_SSH_COMMAND": f"ssh -o ProxyCommand='nc -X 5 -x 127.0.0.1:{port} %h %p'",
    }


class Afterlife(Struct, frozen=True, kw_only=True):
    """What becomes of a command that outlives its call.

    Attributes:
        held: Is given what ends it.
        gone: Is called when it has ended; from any thread.
    """

    held: Callable[[Callable[[], None]], None]
    gone: Callable[[], None]


class Gated:
    """A cage with a network of its own that leads nowhere, until it is given a way to the proxy."""

    def __init__(self, cage: Sandbox) -> None:
        """``cage`` shares no network with this machine."""
        self.cage = cage
        self.name, self.hides = cage.name, cage.hides

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command without a network."""
        return self.cage.confine(command, cwd=cwd)

    def routed(
        self, opening: Callable[[], Callable[[], int]], after: Afterlife | None = None
    ) -> "Routed":
        """The same cage with its way out."""
        return Routed(self.cage, opening, after)


class Routed:
    """A cage with a network of its own, in which one port leads to the proxy."""

    def __init__(
        self,
        cage: Sandbox,
        opening: Callable[[], Callable[[], int]],
        after: Afterlife | None = None,
    ) -> None:
        """``opening`` makes what the listener inside is handed out through, see ``Managed.outlet``."""
        self.cage = cage
        self._opening, self._after = opening, after
        self.name, self.hides = cage.name, cage.hides

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command in its cage, behind what makes the way out."""
        let_out = (sys.executable, str(outlet.__file__), "", str(INSIDE_PORT))
        words = ("/bin/sh", "-c", _LET_OUT, *let_out, *command)
        confined = self.cage.confine(words, cwd=cwd)
        place = len(confined.command) - len(words) + _DESCRIPTOR_AT
        routed = replace(
            confined,
            environment={**confined.environment, **environment(INSIDE_PORT)},
            descriptors={**confined.descriptors, place: self._opening()},
        )
        return routed if self._after is None else _outliving(routed, self._after)


def _outliving(confined: Confined, after: Afterlife) -> Confined:
    def finish() -> None:
        if confined.finish is not None:
            confined.finish()
        after.gone()

    return replace(confined, finish=finish, held=after.held)
