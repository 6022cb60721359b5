"""The cage of macOS: a profile in the language of ``sandbox-exec``; pure text."""

from collections.abc import Sequence
from pathlib import Path

from ouroboros.safety.sandbox.cage import Confined, variables
from ouroboros.safety.sandbox.policy import Policy

_ALWAYS = """(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* (regex #"^/dev/ttys[0-9]+$"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* ipc-posix-shm-write-data ipc-posix-shm-write-create)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "com.apple.PowerManagement.control"))
(allow user-preference-read)
(allow file-read*)"""


_NAMES = "/private/var/run/mDNSResponder"
"""The socket by which programs of a Mac ask for the address of a name."""

_LIMITING = ("/bin/sh", "-c", 'ulimit -c 0; exec "$@"', "sh")


class Seatbelt:
    """``sandbox-exec`` with a profile made for the policy."""

    name = "seatbelt"

    def __init__(self, policy: Policy) -> None:
        """Makes nothing yet."""
        self._policy = policy

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command behind ``sandbox-exec``."""
        del cwd
        return Confined(
            command=(
                "/usr/bin/sandbox-exec",
                "-p",
                profile(self._policy),
                "--",
                *_LIMITING,
                *command,
            ),
            environment=variables(self.name, self._policy),
        )


def profile(policy: Policy) -> str:
    """The profile; a later rule wins over an earlier one."""
    lines = [_ALWAYS]
    if policy.reach == "workspace-write":
        lines += [f"(allow file-write* (subpath {_quoted(path)}))" for path in policy.writable]
    # Also what a place is reached through must stay: who moves the folder moves what is in it.
    lines += [
        f"(deny file-write* (literal {_quoted(path)}) (subpath {_quoted(path)}))"
        for path in policy.protected
    ]
    lines += [
        f"(deny file-read* file-write* (literal {_quoted(path)}) (subpath {_quoted(path)}))"
        for path in policy.hidden
    ]
    lines += [f"(allow file-read* (subpath {_quoted(path)}))" for path in policy.shown]
    lines += [
        f"(deny file-read* (literal {_quoted(path)}) (subpath {_quoted(path)}))"
        for path in policy.hidden
        if any(path.is_relative_to(place) for place in policy.shown)
    ]
    match policy.network:
        case "on":
            lines += ["(allow network*)", "(allow system-socket)"]
            if not policy.local_sockets:
                lines += [
                    "(deny network-outbound (remote unix-socket))",
                    f'(allow network-outbound (literal "{_NAMES}"))',
                ]
        case "proxy":
            lines += [
                f'(allow network-outbound (remote ip "localhost:{port}"))' for port in policy.ports
            ]
        case "off":
            pass
    return "\n".join(lines)


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
