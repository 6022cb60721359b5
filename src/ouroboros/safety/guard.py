"""Ends what we started when we are killed ourselves, which nobody gets to clean up after.

A small shell outlives us: it reads from a pipe what is to start and which process groups run, and
when the pipe ends because we did, it ends what was not taken off: TERM, then KILL. A child that was
just being started is found by the mark in its environment, where the kernel shows that.
"""

import contextlib
import os
import weakref

from anyio import Lock, to_thread

_SCRIPT = """
trap '' HUP INT TERM
cd /
(
  groups=' ' marks=' '
  while read -r sign mark group; do
    case $sign in
      '?') marks="$marks$mark " ;;
      +) groups="$groups$group " ;;
      -) case $marks in *" $mark "*) marks="${marks%% "$mark" *} ${marks#* "$mark" }" ;; esac
         case $groups in *" $group "*)
           groups="${groups%% "$group" *} ${groups#* "$group" }" ;; esac ;;
    esac
  done
  sought=
  for mark in $marks; do sought="$sought -e $mark"; done
  strike() {
    for group in $groups; do kill -s "$1" -- "-$group"; done
    [ -n "$sought" ] || return
    for found in $(grep -slF $sought /proc/[0-9]*/environ); do
      found="${found#/proc/}" && kill -s "$1" -- "${found%/environ}"
    done
  }
  [ -n "$sought${groups# }" ] || exit
  strike TERM
  sleep 1
  strike KILL
) <&3 3<&- &
"""


class Guard:
    """Watches over what ``safety.spawn`` starts; its shell is started by ``begin``."""

    def __init__(self, shell: str = "/bin/sh") -> None:
        """Starts nothing yet."""
        self._shell = shell
        self._pipe: int | None = None
        self._beginning = Lock()  # two shells would each know of a part of what runs

    @property
    def is_on_duty(self) -> bool:
        """Whether ``begin`` was called."""
        return self._pipe is not None

    async def on_duty(self) -> None:
        """Returns when the shell is there; starts it once, however many ask at the same time.

        Raises:
            OSError: There is no such shell, or no room for a process.
        """
        async with self._beginning:
            if not self.is_on_duty:
                await to_thread.run_sync(self.begin)

    def begin(self) -> None:
        """Starts the shell; takes a few milliseconds, so call it in a thread.

        Raises:
            OSError: There is no such shell, or no room for a process.
        """
        reading, writing = os.pipe()
        try:
            os.waitpid(self._start(reading), 0)
        except BaseException:
            os.close(writing)
            raise
        finally:
            os.close(reading)
        os.set_blocking(writing, False)
        self._pipe = writing
        weakref.finalize(self, os.close, writing)

    def _start(self, reading: int) -> int:
        """The shell reads from the pipe; its first process ends at once, the rest is nobody's child."""
        return os.posix_spawn(
            self._shell,
            [self._shell, "-c", _SCRIPT],
            {"PATH": os.defpath},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, reading, 3),
                *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)),
            ],
            setsid=True,
        )

    def expect(self, mark: str) -> None:
        """Something is about to start that carries ``mark`` in its environment; it is watched over.

        Between its start and ``hold`` nobody but the kernel knows its number, and we may be killed.
        """
        self._say(f"? {mark}\n")

    def hold(self, mark: str, group: int) -> None:
        """What carries ``mark`` has started as this process group."""
        self._say(f"+ {mark} {group}\n")

    def release(self, mark: str, group: int = 0) -> None:
        """It has ended, or may stay."""
        self._say(f"- {mark} {group}\n")

    def _say(self, line: str) -> None:
        # Without its shell a guard is lost, and the work goes on without one.
        if self._pipe is not None:
            with contextlib.suppress(BrokenPipeError, BlockingIOError):
                os.write(self._pipe, line.encode())
