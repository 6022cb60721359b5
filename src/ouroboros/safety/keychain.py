"""The system's keyring, through the ``keyring`` package where it is installed.

A keyring may be locked, broken or wait for somebody who is not there, so every question to it ends
after a few seconds, and after one that had no answer it is not asked again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, cast

SERVICE = "ouroboros"
PATIENCE_SECONDS = 5.0


class _Keyring(Protocol):
    def get_password(self, service_name: str, username: str) -> str | None: ...

    def set_password(self, service_name: str, username: str, password: str) -> None: ...

    def delete_password(self, service_name: str, username: str) -> None: ...


class Keychain:
    """Keeps keys by the names of their variables."""

    def __init__(self, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Nothing is imported or asked yet."""
        self._patience = patience_seconds
        self._is_silent = False

    def get(self, name: str) -> str:
        """The key, empty where there is none or the keyring does not say."""
        return self.look(name) or ""

    def look(self, name: str) -> str | None:
        """As ``get``, but None where the keyring does not say, so that nothing may be overwritten."""
        return self._asked(lambda keyring: keyring.get_password(SERVICE, name) or "")

    def put(self, name: str, value: str) -> bool:
        """Keeps a key; False if it is not there afterwards."""
        self._asked(lambda keyring: keyring.set_password(SERVICE, name, value))
        return self.get(name) == value

    def remove(self, name: str) -> bool:
        """Forgets a key; False if there was none."""
        if not self.get(name):
            return False
        self._asked(lambda keyring: keyring.delete_password(SERVICE, name))
        return not self.get(name)

    def _asked[T](self, question: Callable[[_Keyring], T]) -> T | None:
        """The answer; None if there is no keyring, it fails, or it does not answer in time."""
        from importlib.util import find_spec

        if self._is_silent or find_spec("keyring") is None:
            return None
        from threading import Thread

        answers: list[T] = []

        def ask() -> None:
            from importlib import import_module

            # Back ends are strangers' code, and each fails in its own way.
            with suppress(Exception):
                answers.append(question(cast("_Keyring", import_module("keyring"))))

        # Not a worker of anyio: the end of the program would wait for it.
        thread = Thread(target=ask, name="keyring", daemon=True)
        thread.start()
        thread.join(self._patience)
        self._is_silent = thread.is_alive()
        return answers[0] if answers else None
