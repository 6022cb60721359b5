"""Ends what we started when we are killed ourselves, which nobody gets to clean up after.

A small shell outlives us: it reads from a pipe which process groups run, and when the pipe ends
because we did, it ends those that were not taken off: TERM, then KILL.
"""

import contextlib
import os
import weakref

_SCRIPT = """
trap '' HUP INT TERM
(
  groups=' '
  while read -r sign group; do
    case $sign in
      +) groups="$groups$group " ;;
      -) case $groups in *" $group "*)
           groups="${groups%% "$group" *} ${groups#* "$group" }" ;; esac ;;
    esac
  done
  for group in $groups; do kill -s TERM -- "-$group" && left=1; done
  [ -n "$left" ] && sleep 1
  for group in $groups; do kill -s KILL -- "-$group"; done
) <&3 3<&- &
"""


class Guard:
    """Watches over process groups; starts its shell at the first one."""

    def __init__(self, shell: str = "/bin/sh") -> None:
        """Starts nothing yet."""
        self._shell = shell
        self._pipe: int | None = None

    @property
    def is_on_duty(self) -> bool:
        """Whether ``begin`` was called."""
        return self._pipe is not None

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

    def hold(self, group: int) -> None:
        """Watches over a process group from now on."""
        self._say(f"+ {group}\n")

    def release(self, group: int) -> None:
        """The group has ended, or may stay."""
        self._say(f"- {group}\n")

    def _say(self, line: str) -> None:
        # Without its shell a guard is lost, and the work goes on without one.
        if self._pipe is not None:
            with contextlib.suppress(BrokenPipeError, BlockingIOError):
                os.write(self._pipe, line.encode())
