"""The ``ouro`` command: the outermost border, where every ending becomes an exit code."""

import gc
import os
import sys
import threading

INTERRUPTED = 130
PIPE_CLOSED = 141


def paws() -> int:
    """Runs the program ``paws``: bundles, changes and work sessions."""
    return main("paws")


def main(program: str = "ouro") -> int:
    """Runs the command line and returns its exit code."""
    # Start-up makes many objects and no garbage: collecting meanwhile costs a tenth of it.
    gc.set_threshold(100_000, 20, 20)
    try:
        code = _run(sys.argv[1:], program)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _leave_quietly()
        return PIPE_CLOSED
    except OSError as error:
        _leave_quietly()
        return _unwritten(error.strerror or str(error))
    finally:
        _end_by_signal()
        # The process ends here: looking through all modules for garbage once more helps nobody.
        gc.freeze()
    return code


def _run(arguments: list[str], program: str) -> int:
    if arguments == ["--version"]:
        from ouroboros import __version__

        if sys.stdout is None:
            return _unwritten("it is closed")
        sys.stdout.write(f"{program} {__version__}\n")
        return 0
    from ouroboros.faces.cli.entry import main as enter

    return enter(arguments, program)


def _end_by_signal() -> None:
    """From now on Ctrl-C ends the process without a word: Python is only waiting for its threads."""
    if "signal" in sys.modules and threading.current_thread() is threading.main_thread():
        import signal

        signal.signal(signal.SIGINT, _leave_at_once)


def _leave_at_once(_number: int, _frame: object) -> None:
    os._exit(INTERRUPTED)


def _leave_quietly() -> None:
    # What is still buffered must not be flushed at exit into what takes no more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritten(reason: str) -> int:
    if sys.stderr is not None:
        sys.stderr.write(f"error: the output cannot be written: {reason}\n")
        sys.stderr.write("hint: free some space, or write elsewhere\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
