"""Keyrings for the real ``keyring`` package, which loads them by name in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

BACKENDS = """
import json
import os
import time
from pathlib import Path
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

FILE = Path(os.environ.get("KEYRING_FILE", "/nowhere"))

class InFile(KeyringBackend):
    priority = 1
    def _all(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}
    def get_password(self, service, name):
        return self._all().get(f"{service}/{name}")
    def set_password(self, service, name, value):
        FILE.write_text(json.dumps(self._all() | {f"{service}/{name}": value}))
    def delete_password(self, service, name):
        known = self._all()
        if known.pop(f"{service}/{name}", None) is None:
            raise PasswordDeleteError("not there")
        FILE.write_text(json.dumps(known))

class Locked(InFile):
    def get_password(self, service, name):
        raise KeyringLocked("locked")
    set_password = delete_password = get_password

class Broken(InFile):
    def get_password(self, *_):
        raise RuntimeError("the bus is gone")
    set_password = delete_password = get_password

class Exiting(InFile):
    def get_password(self, *_):
        raise SystemExit(7)
    set_password = delete_password = get_password

class Silent(InFile):
    def get_password(self, *_):
        with FILE.open("a") as file:
            file.write("asked")
        time.sleep(600)
    set_password = delete_password = get_password

class ReadOnly(InFile):
    def set_password(self, *_):
        pass
"""


class Keyrings:
    """A folder with the keyrings, and what is kept in the one that works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "kept.json"
        (folder / "keyrings_of_tests.py").write_text(BACKENDS, encoding="utf-8")

    def environment(self, name: str, home: Path, **more: str) -> dict[str, str]:
        """For a process that is to use the keyring of this name."""
        known = name if "." in name else f"keyrings_of_tests.{name}"
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "OUROBOROS_HOME": str(home / ".ouroboros"),
            "PYTHONPATH": str(self.folder),
            "PYTHON_KEYRING_BACKEND": known,
            "KEYRING_FILE": str(self.file),
            **more,
        }

    def run(self, name: str, home: Path, *words: str, typed: str = "", **more: str) -> str:
        """Runs Python with this keyring; gives its output, standard error included."""
        ended = subprocess.run(
            [sys.executable, *words],
            env=self.environment(name, home, **more),
            cwd=home,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return f"{ended.stdout}{ended.returncode}"
