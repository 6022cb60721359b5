"""A child on a terminal of its own, started with the same guarantees as by ``safety.spawn``.

Source: https://man7.org/linux/man-pages/man7/pty.7.html
"""

import errno
import os
import termios
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import anyio

from ouroboros.safety.environment import cleaned
from ouroboros.safety.guard import Guard
from ouroboros.safety.launching import Ends, launch
from ouroboros.safety.marks import marked
from ouroboros.safety.sandbox import Confined, Sandbox, Unconfined
from ouroboros.safety.spawn import Process

COLUMNS, ROWS = 80, 24

_SHELL = 'true 2>/dev/null <>"$0"; exec "$@"'


class Terminal:
    """Our end of a child's terminal; made by ``start_terminal`` only."""

    def __init__(self, process: Process, ours: int, confined: Confined) -> None:
        """``ours`` is closed by ``process``; ``confined`` is what a cage made of the command."""
        self.process, self.confined = process, confined
        self._ours = ours

    def resize(self, columns: int, rows: int) -> None:
        """Gives it another size, of which the kernel tells what runs there; not once it is closed."""
        with suppress(OSError, termios.error):
            termios.tcsetwinsize(self._ours, (rows, columns))

    async def type(self, data: bytes) -> None:
        """Types all of ``data``; waits while the child reads nothing, so give it a deadline.

        Raises:
            BrokenPipeError: Nobody has the terminal open any more.
        """
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._ours, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._ours)
            except OSError as gone:
                if gone.errno in {errno.EIO, errno.EBADF}:
                    raise BrokenPipeError(gone.errno, "the terminal is closed") from gone
                raise


async def start_terminal(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    reveal: Collection[str] = (),
    guard: Guard | None = None,
    sandbox: Sandbox | None = None,
    columns: int = COLUMNS,
    rows: int = ROWS,
) -> Terminal:
    """Starts ``command`` on a new terminal; whoever calls this must ``close`` its process.

    What the child says is one stream, with echo and line ends as terminals have them.

    Args:
        command: Program and arguments.
        cwd: Where it runs.
        environment: What it may see; credentials are taken out.
        reveal: Names of variables that pass although they look like credentials.
        guard: Ends it when we are killed, however early.
        sandbox: The cage that it runs in.
        columns: Width that programs are told.
        rows: Height that programs are told.

    Raises:
        OSError: There is no terminal left, or as ``spawn.start``.
    """
    mark, guard, sandbox = os.urandom(8).hex(), guard or Guard(), sandbox or Unconfined()
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, (rows, columns))
        caged = sandbox.confine(_owning(command, theirs, sandbox), cwd=cwd)
        popen = await launch(
            caged,
            cwd=cwd,
            environment=cleaned(environment, reveal=reveal) | marked(environment, mark),
            ends=lambda: nullcontext(Ends(stdin=theirs, stdout=theirs, stderr=theirs)),
            watched=(mark, guard),
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    popen.stdout = os.fdopen(ours, "rb", buffering=0)
    return Terminal(Process(popen, mark, guard, caged.finish), ours, caged)


def _owning(command: Sequence[str], theirs: int, sandbox: Sandbox) -> tuple[str, ...]:
    """The command behind a program that makes the terminal its own, so that Ctrl-C reaches it.

    Who opens a terminal as the first of a session has it. A sandbox lets nobody open it, or begins another
    session: there it is taken by what is open already.
    """
    match sandbox.name:
        case "bubblewrap":
            return ("setsid", "-c", *command)
        case "namespaces" | "landlock":
            return tuple(command)  # the launcher does
        case _:
            return ("/bin/sh", "-c", _SHELL, os.ttyname(theirs), *command)
