"""Signals as a terminal gives them, also where a script started the tests with ``&`` or ``nohup``."""

import signal


def heard() -> None:
    """Takes back what such a script left ignored, for this process and those it starts."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            own = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, own)
