"""The demo: a small git repository with a failing test, and a script that plays the model.

Everything but the model's words is real: the tools, the shell, the files, the event log.
"""

import shlex
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, json

from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.safety.environment import apart
from ouroboros.safety.spawn import Finished, run

NOTICE = (
    "Demo: the model's words come from a script that is built in; the tools, the shell, the files "
    "and the event log are real."
)
PROMPT = "The tests fail. Find the cause, mend it, and show that they pass."
_SOURCE = Path(__file__).parent / "repo"
_FILES = {
    "gitignore.txt": ".gitignore",
    "README.md": "README.md",
    "AGENTS.md": "AGENTS.md",
    "parcel.py.txt": "parcel.py",
    "test_parcel.py.txt": "test_parcel.py",
}


class Demo(Struct, frozen=True, kw_only=True):
    """An unpacked demo: where it is, what to ask, and which model plays."""

    cwd: Path
    model: str
    prompt: str = PROMPT
    notice: str = NOTICE


async def tests_pass(demo: Demo, environment: Mapping[str, str]) -> bool:
    """Runs the repository's own tests, apart from the agent."""
    words = [sys.executable, "-m", "unittest", "-q"]
    ended = await run(words, cwd=demo.cwd, environment=environment, timeout_seconds=60)
    return ended.exit_code == 0


def _copied(folder: Path) -> tuple[Path, Path]:
    """The repository's files and the script, for this machine."""
    repository = folder / "parcel"
    repository.mkdir()
    for source, name in _FILES.items():
        shutil.copyfile(_SOURCE / source, repository / name)
    script = (_SOURCE / "script.jsonl").read_text(encoding="utf-8")
    played = folder / "script.jsonl"
    python = json.encode(shlex.quote(sys.executable)).decode()[1:-1]
    played.write_text(script.replace("{python}", python), encoding="utf-8")
    return repository, played


async def unpack(folder: Path, environment: Mapping[str, str]) -> Demo:
    """Makes the repository with one commit in ``folder``, which must be empty.

    Raises:
        Misuse: git is missing.
        OuroborosError: git refused.
    """
    git = await to_thread.run_sync(
        partial(shutil.which, "git", path=apart(environment, Path.cwd())["PATH"])
    )
    if git is None:
        raise Misuse(
            "the demo needs git, and there is none on PATH", hint="install git, then again"
        )
    repository, played = await to_thread.run_sync(_copied, folder)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Demo"),
        ("config", "user.email", "demo@localhost"),
        ("config", "commit.gpgSign", "false"),
        ("add", "."),
        ("commit", "-q", "--no-verify", "-m", "Ship parcels"),
    ):
        ended: Finished = await run(
            [git, *words], cwd=repository, environment=environment, timeout_seconds=30
        )
        if ended.exit_code:
            said = ended.stderr.decode("utf-8", "replace").strip()
            raise OuroborosError(f"git {words[0]} failed in {str(repository)!r}: {said}")
    return Demo(cwd=repository, model=f"script:{played}")
