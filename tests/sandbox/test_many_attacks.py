"""Over a thousand attacks on each sandbox, as the superuser and as a plain user: none comes through."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from tests.sandbox.cages import CAGES as OFFERED_HERE
from tests.sandbox.cages import OFFERED
from tests.sandbox.test_plain_user import CAGES as OFFERED_TO_ANYBODY
from tests.sandbox.test_plain_user import folder, told

__all__ = ["folder"]

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6"),
]
SANDBOXES = ("landlock", "namespaces", "bubblewrap")
USERS = [
    pytest.param(
        "root", marks=pytest.mark.skipif(os.geteuid() != 0, reason="it takes the superuser")
    ),
    "plain",
]
FEWEST = 1_000


async def attacked(folder: Path, who: str, sandbox: str) -> dict[str, Any]:
    """What came of it; ``lines`` is what the program of the attacks said."""
    found = await told("attack_engine", folder, who, sandbox, is_anybody=who == "root")
    assert isinstance(found, dict)
    seen = cast("dict[str, Any]", found)
    assert seen["said"], "it did not end in time"
    return {**seen, "lines": [json.loads(line) for line in seen["said"].splitlines()]}


@pytest.mark.proves("F03", "F06", "F08", "F10", "sandbox-cage")
@pytest.mark.parametrize("who", USERS)
@pytest.mark.parametrize("sandbox", SANDBOXES)
async def test_none_of_a_thousand_attacks_comes_through(
    folder: Path, who: str, sandbox: str
) -> None:
    if sandbox not in (OFFERED_HERE if who == "root" else OFFERED_TO_ANYBODY):
        pytest.skip(f"this machine cannot make {sandbox} for this user")
    seen = await attacked(folder, who, sandbox)
    *others, last = seen["lines"]
    assert last["count"] >= FEWEST, seen["said"][-2000:]
    escapes = [line for line in others if line["kind"] in {"touch", "reach", "kernel"}]
    escapes += [line for line in others if "SECRET" in line["came"]]
    assert escapes == []
    assert (seen["changed"], seen["made"], seen["reached"]) == ([], [], [])
    assert not seen["is_read"]


@pytest.mark.parametrize("who", USERS)
async def test_the_attacks_work_where_there_is_no_sandbox(folder: Path, who: str) -> None:
    """Some need what a machine has not, as a C library that knows the call; most do what they say."""
    seen = await attacked(folder, who, "bare")
    worked: dict[str, bool] = seen["lines"][-1]["worked"]
    tried = Counter(name.split(":")[0] for name in worked)
    came = Counter(name.split(":")[0] for name, is_through in worked.items() if is_through)
    assert set(tried) == {"write", "mark", "read", "reach", "touch"}
    failed = [name for name, is_through in worked.items() if not is_through]
    assert all(came[kind] >= tried[kind] * 0.65 for kind in tried), failed
    assert came.total() >= tried.total() * 0.75, failed
    assert seen["reached"]
