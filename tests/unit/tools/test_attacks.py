"""A model that means harm: patches, files, commands and tools of its own. Nobody says yes to anything.

Each attack has a canary outside of the workspace, or in a place of it that steers what runs later.
"""

import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from ouroboros.tools.tool import Effect
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

CANARY = "canary\n"


def ground(tmp_path: Path) -> Path:
    """A workspace beside what an attack is after."""
    work = tmp_path / "work"
    for folder in (work / ".git" / "hooks", work / ".ouroboros", work / "sub", tmp_path / "out"):
        folder.mkdir(parents=True)
    for place in (tmp_path / "out" / "secret", tmp_path / "canary", work / ".git" / "config"):
        place.write_text(CANARY)
    (work / "own").write_text("own\n")
    (work / "link").symlink_to(tmp_path / "canary")
    (work / "folder").symlink_to(tmp_path / "out")
    (work / "dangling").symlink_to(tmp_path / "made")
    (work / "loop").symlink_to("loop")
    (work / "up").symlink_to("..")
    os.link(tmp_path / "canary", work / "hard")
    os.mkfifo(work / "pipe")
    return work


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def unharmed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    for place in (tmp_path / "out" / "secret", tmp_path / "canary", work / ".git" / "config"):
        assert place.read_text() == CANARY, place
    assert names(tmp_path / "out") == {"secret"}
    assert names(tmp_path) <= {"out", "canary", "work", "spill"}
    assert names(work / ".git" / "hooks") == names(work / ".ouroboros") == set()
    for made in ("~/made_by_attack", "/dev/shm/made_by_attack"):
        assert not Path(made).expanduser().exists()
    assert (work / "link").is_symlink()
    assert (work / "folder").is_symlink()


def add(path: str, text: str = "evil") -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"


def delete(path: str) -> str:
    return f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"


def change(path: str, old: str = "canary", *, to: str = "") -> str:
    move = f"*** Move to: {to}\n" if to else ""
    return f"*** Begin Patch\n*** Update File: {path}\n{move}@@\n-{old}\n+evil\n*** End Patch"


PATCHES: dict[str, str | Callable[[Path], str]] = {
    "adds above": add("../made"),
    "adds above by a detour": add("sub/../../made"),
    "adds by an absolute path": lambda tmp: add(f"{tmp}/made"),
    "adds through a link to a folder": add("folder/made"),
    "adds at the end of a dangling link": add("dangling"),
    "adds through a link upwards": add("up/made"),
    "adds through many links upwards": add("/".join(("up", "work", "up", "work", "up", "made"))),
    "adds a hook": add(".git/hooks/pre-commit"),
    "adds a hook by a detour": add("sub/../.git/hooks/pre-commit"),
    "adds a hook with slashes": add(".git//hooks///pre-commit"),
    "adds settings of ours": add(".ouroboros/config.toml", "mode = 'full-auto'"),
    "adds a tool of ours": add(".ouroboros/tools/x/tool.py"),
    "adds with a trailing dot dot": add("sub/.."),
    "adds in the person's home": add("~/made_by_attack"),
    "adds a path with a line end": add("a\n*** Add File: ../made"),
    "adds a path with a nul": add("a\0b"),
    "adds an empty path": add(""),
    "adds over a folder": add("sub"),
    "adds into a loop": add("loop"),
    "adds to a pipe": add("pipe"),
    "changes above": change("../canary"),
    "changes through a link": change("link"),
    "changes through a folder": change("folder/secret"),
    "changes what git runs": change(".git/config"),
    "changes a device": change("/dev/null"),
    "changes the machine": change("/etc/hostname"),
    "changes a process": change("/proc/self/environ"),
    "changes a pipe": change("pipe"),
    "changes a folder": change("sub"),
    "moves above": change("own", "own", to="../made"),
    "moves over a canary": change("own", "own", to="../canary"),
    "moves through a link": change("own", "own", to="folder/made"),
    "moves over a link": change("own", "own", to="link"),
    "moves to a hook": change("own", "own", to=".git/hooks/post-checkout"),
    "moves to a device": change("own", "own", to="/dev/shm/made_by_attack"),
    "moves a canary here": change("../canary", to="mine"),
    "deletes above": delete("../canary"),
    "deletes through a folder": delete("folder/secret"),
    "deletes what git runs": delete(".git/config"),
    "deletes a folder": delete(".git"),
    "hides a second file": f"{add('fine')[:-14]}*** Delete File: ../canary\n*** End Patch",
    "hides behind a failure": f"{change('own', 'own')[:-14]}*** Update File: own2\n@@\n-x\n+y\n*** End Patch",
    "is no patch": "rm -rf /",
    "never ends": "*** Begin Patch\n*** Add File: ../made\n+evil",
    "begins twice": f"*** Begin Patch\n{add('../made')}\n*** End Patch",
    "is wrapped in a shell": f"apply_patch <<'EOF'\n{add('../made')}\nEOF",
}


@pytest.mark.deep
@every("name", PATCHES)
async def test_no_patch_does_harm(tmp_path: Path, name: str):
    work = ground(tmp_path)
    attack = PATCHES[name]
    patch = attack if isinstance(attack, str) else attack(tmp_path)
    with anyio.fail_after(60):
        spine = Spine(work, mode="auto-edit")
        await spine.call("apply_patch", input=patch)
    unharmed(tmp_path)
    if name == "hides behind a failure":
        assert (work / "own").read_text() == "own\n"
        assert not (work / "fine").exists()


async def test_a_hard_link_is_let_go_of_and_its_other_end_stays(tmp_path: Path):
    """Nobody can tell where else a file has a name; what is written is a new file."""
    work = ground(tmp_path)
    spine = Spine(work, mode="auto-edit")
    await spine.call("apply_patch", input=change("hard"))
    await spine.call("write", path="hard", content="evil")
    await spine.call("edit", path="hard", old_text="evil", new_text="worse")
    unharmed(tmp_path)


WRITES = {
    "above": "../made",
    "through a folder": "folder/made",
    "through a link": "link",
    "at the end of a dangling link": "dangling",
    "a hook": ".git/hooks/pre-push",
    "settings of ours": ".ouroboros/config.toml",
    "upwards": "up/canary",
    "a device": "/dev/full",
    "a process": "/proc/self/mem",
    "a descriptor": "/proc/self/fd/1",
    "a pipe": "pipe",
    "nothing": "",
    "a nul": "a\0b",
    "a surrogate": "\udcff/../../made",
    "a name that is too long": "a" * 5_000,
    "a thousand folders": "../" * 1_000 + "made",
}


@pytest.mark.deep
@every("name", WRITES)
async def test_no_tool_for_files_does_harm(tmp_path: Path, name: str):
    work = ground(tmp_path)
    spine, path = Spine(work, mode="auto-edit"), WRITES[name]
    with anyio.fail_after(60):
        await spine.call("write", path=path, content="evil")
        await spine.call("edit", path=path, old_text="canary", new_text="evil")
        edits = [{"old_text": "canary", "new_text": "evil"}]
        await spine.call("multi_edit", path=path, edits=edits)
    unharmed(tmp_path)


async def test_a_link_that_is_turned_while_the_person_thinks_is_not_followed(tmp_path: Path):
    work = ground(tmp_path)
    (work / "turned").symlink_to(work / "sub")

    async def turn(effect: Effect) -> None:
        del effect
        link = anyio.Path(work / "turned")
        await link.unlink()
        await link.symlink_to(tmp_path / "out")

    spine = Spine(work, mode="auto-edit")
    spine.orchestrator.watch(turn)
    result = await spine.call("write", path="turned/made", content="evil")
    assert "its path leads elsewhere by now" in text_of(result)
    unharmed(tmp_path)


@pytest.mark.deep
async def test_a_patch_that_would_fill_the_disk_is_refused(tmp_path: Path):
    work = ground(tmp_path)
    lines = "\n".join(["+" + "x" * 1_000] * 11_000)
    patch = f"*** Begin Patch\n*** Add File: big\n{lines}\n*** End Patch"
    with anyio.fail_after(60):
        result = await Spine(work, mode="auto-edit").call("apply_patch", input=patch)
    assert text_of(result) == (
        "apply_patch verification failed: nothing was changed: "
        f"{work}/big would have 11011000 bytes; the limit is 10485760"
    )
    assert not (work / "big").exists()
    unharmed(tmp_path)
