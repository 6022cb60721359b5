"""A session is joined without libraries that its first request does not need."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.real

NEEDLESS = (
    *("hashlib", "random", "sqlite3", "tomllib", "difflib", "httpx2", "rich", "tomlkit", "ctypes"),
    *(
        "jsonschema",
        "shutil",
        "tree_sitter",
        "ouroboros.agent.compacting",
        "ouroboros.safety.commands.classify",
        "ouroboros.safety.pipeline.injection",
    ),
)


@pytest.mark.proves("providers-speed")
def test_joining_the_rooms_loads_nothing_needless() -> None:
    code = f"import sys, ouroboros.app.wiring.session; print([n for n in {NEEDLESS} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
