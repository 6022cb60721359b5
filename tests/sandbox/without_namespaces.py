"""Works in a repository where the kernel lets nobody make namespaces, as in most containers; prints JSON.

    python -m tests.sandbox.without_namespaces FOLDER root|plain

The filter stands for Docker's default profile: no ``unshare``, no ``clone`` with namespaces, no mounts.
"""

import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.permission.cages import Grounds, SessionCages
from ouroboros.app.settings import Sandbox as Wanted
from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox import noted
from ouroboros.safety.sandbox.begin import ended
from tests.sandbox.plain_user import SYSTEM_PYTHON, become_nobody

WORK = (
    "touch x && mkdir build && echo built > build/y && git add -A && git commit -qm work",
    "git log --format=%s && git status --porcelain",
    'f=$(mktemp) && echo "in $f" && rm "$f" && python3 -c "import tempfile; tempfile.mkdtemp()"',
    "printf '#!/bin/sh\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
    "git config core.fsmonitor /bin/false; mkdir -p .ouroboros && echo x > .ouroboros/config.toml",
    "git tag v1 && git branch side && git stash list && rm x && git mv build/y y",
    "echo x > ../outside/new",
    "unshare -U true",
)


def _environment(folder: Path) -> dict[str, str]:
    who = {
        f"GIT_{kind}_{what}": "a@example.org"
        for kind in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    folders = {"HOME": str(folder / "person"), "TMPDIR": str(folder / "tmp")}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", **folders, **who}


async def _worked(folder: Path) -> dict[str, object]:
    said: list[str] = []
    work, environment = folder / "work", _environment(folder)
    grounds = Grounds(cwd=work, home=folder / "home", environment=environment)
    cages = SessionCages(Wanted(exclude_tmp=True), grounds, warn=said.append)
    sandbox = await cages.within("full-auto")
    results: list[tuple[int, str, str]] = []
    for text in WORK:
        confined = sandbox.confine(("/bin/bash", "-c", text), cwd=work)
        confined = replace(confined, environment={**environment, **confined.environment})
        code, words = await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=120))
        results.append((code, words, noted(confined, words)))
    cages.close()
    return {"sandbox": sandbox.name, "said": said, "results": results}


def main(folder: Path, who: str) -> None:
    """As the superuser, or as somebody without rights."""
    anyio.run(to_thread.run_sync, int)  # loads what a plain user may not be able to read
    for name in ("choice", "features"):
        importlib.import_module(f"ouroboros.safety.sandbox.{name}")
    importlib.import_module("concurrent.futures.thread")
    if who == "plain":
        become_nobody(folder)
        if not os.access(sys.executable, os.X_OK):
            sys.executable = SYSTEM_PYTHON
    for name in ("work", "outside", "home", "person", "tmp"):
        (folder / name).mkdir()
    subprocess.run(
        [shutil.which("git") or "git", "init", "-q"],
        cwd=folder / "work",
        env=_environment(folder),
        check=True,
    )
    kernel.no_new_privileges()
    kernel.seccomp(seccomp.refusing(platform.machine(), "on"), every_thread=True)
    told = anyio.run(_worked, folder)
    sys.stdout.write(json.dumps({"user": os.geteuid(), "told": told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
