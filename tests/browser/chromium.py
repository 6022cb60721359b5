"""One Chromium for all browser tests of a process; each test has a browser context of its own."""

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from ouroboros.browser.launch import FLAGS, PROGRAMS

START_SECONDS = 60.0
HOW_TO_GET_ONE = (
    "the browser tests need a Chromium: apt-get install chromium "
    "(or have Chrome, Edge or Brave on the PATH)"
)


class Chromium:
    """A running browser, ended with this process whatever happens."""

    def __init__(self) -> None:
        program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
        assert program is not None, HOW_TO_GET_ONE
        self.program = program
        self.profile = Path(tempfile.mkdtemp(prefix="ouro-chromium-"))
        self._words = self.profile / "stderr"
        with self._words.open("wb") as words:
            self._process = subprocess.Popen(
                [
                    program,
                    "--headless=new",
                    "--remote-debugging-port=0",
                    "--remote-allow-origins=*",
                    f"--user-data-dir={self.profile}",
                    "--window-size=1280,720",
                    "--disable-gpu",
                    "--site-per-process",
                    *FLAGS,
                    *(("--no-sandbox",) if os.geteuid() == 0 else ()),
                    "about:blank",
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=words,
                start_new_session=True,
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "HOME": str(self.profile),
                    "LANG": "C.UTF-8",  # as a browser of ours gets it: names of files are bytes
                },
            )
        atexit.register(self.close)
        self.url = self._listening()

    @property
    def pid(self) -> int:
        """Of the browser process, also its group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """False after a crash."""
        return self._process.poll() is None

    def _listening(self) -> str:
        """Its websocket address, once it is there."""
        port_file = self.profile / "DevToolsActivePort"
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.is_running:
            with contextlib.suppress(OSError, ValueError):
                port, path = port_file.read_text().split()
                return f"ws://127.0.0.1:{port}{path}"
            time.sleep(0.02)
        last = self._words.read_text(errors="replace")[-2000:]
        self.close()
        raise AssertionError(f"{self.program} did not start: {last}")

    def close(self) -> None:
        """Ends it and all its processes, and removes the profile."""
        atexit.unregister(self.close)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
