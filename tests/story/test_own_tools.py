"""Tools that a model or a person wrote: made after a yes, called, changed, broken, never in this process."""

import json
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.commands import Approve
from ouroboros.core.events import PermissionRequested, ToolProgress
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from ouroboros.tools.own import approvals
from ouroboros.tools.own.tool import read
from tests.passing import passes, until
from tests.story.stage import call, stage
from tests.story.test_approval_policies import answered
from tests.story.test_browser_tools import says, words_of

DONE = Turn(text="Done.")
CODE = """
def call(text, times=1):
    print("counting")
    yield "nearly"
    return {"words": len(text.split()) * times}
"""
MADE = {
    "name": "count_words",
    "description": "Counts words",
    "code": CODE,
    "parameters": {
        "text": {"type": "string", "required": True, "description": "what to count in"},
        "times": {"type": "integer"},
    },
}


def using(name: str, /, **arguments: object) -> Turn:
    return says(call("call_tool", name=name, arguments=arguments))


def place(tmp_path: Path, name: str = "mine") -> Path:
    return tmp_path / "work" / ".ouroboros" / "tools" / name


def _lay(
    tmp_path: Path,
    code: str,
    *,
    read_only: bool = False,
    approved: bool = True,
    name: str = "mine",
) -> Path:
    folder = place(tmp_path, name)
    folder.mkdir(parents=True, exist_ok=True)
    words = f'name = "{name}"\ndescription = "Does it"\nread_only = {str(read_only).lower()}\n'
    (folder / "tool.toml").write_text(words + "[parameters.what]\n")
    (folder / "tool.py").write_text(code)
    if approved:
        approvals.approve(tmp_path / "home", read(folder).hash)
    return folder


async def lay(tmp_path: Path, code: str, *, read_only: bool = False, approved: bool = True) -> Path:
    return await to_thread.run_sync(
        partial(_lay, tmp_path, code, read_only=read_only, approved=approved)
    )


async def approve(tmp_path: Path, folder: Path) -> None:
    await to_thread.run_sync(lambda: approvals.approve(tmp_path / "home", read(folder).hash))


@pytest.mark.deep
@pytest.mark.proves("D27")
async def test_a_tool_is_made_after_a_yes_and_called_in_the_next_turn(tmp_path: Path) -> None:
    turns = [
        using("create_tool", **MADE),
        using("count_words", text="one two three", times=2),
        says(call("tool_search", query="count words", limit=1)),
        DONE,
    ]
    async with stage(tmp_path, turns, interactive=True) as s:
        await answered(s)
        made, counted, found = words_of(s)
        (asked,) = s.events(PermissionRequested)
        progress = "".join(event.text for event in s.events(ToolProgress))
    assert "def call(text, times=1)" in asked.input
    assert "call_tool" in made
    assert json.loads(counted) == {"words": 6}
    assert "counting" in progress
    assert "nearly" in progress
    (space,) = json.loads(found)["tools"]
    assert space["tools"][0]["parameters"]["required"] == ["text"]
    async with stage(tmp_path, [using("count_words", text="a b"), DONE]) as s:
        await s.run()
        assert json.loads(words_of(s)[0]) == {"words": 2}


@pytest.mark.proves("N06")
@pytest.mark.deep
async def test_a_tool_that_is_made_in_a_work_tree_stays_there(tmp_path: Path) -> None:
    """The project's are at hand, and another version of one leaves the project's as it is."""
    theirs = await lay(tmp_path, "def call(what):\n    return what * 2\n")
    before = (theirs / "tool.py").read_text()
    tree = tmp_path / "work/.paws/sessions/0b8f6c1e-5a6f-4a51-9a51-3f0d3e6a7c11/worktree"
    tree.mkdir(parents=True)
    other = {**MADE, "name": "mine", "code": "def call(text):\n    return 'of the tree'\n"}
    async with stage(tmp_path, [using("mine", what="x"), DONE], cwd=tree) as s:
        await s.run()
        assert words_of(s) == ["xx"]
    turns = [using("create_tool", **MADE), using("count_words", text="one two"), DONE]
    async with stage(tmp_path, turns, interactive=True, cwd=tree) as s:
        await answered(s)
        assert json.loads(words_of(s)[1]) == {"words": 2}
    turns = [using("create_tool", **other), using("mine", text="x"), DONE]
    async with stage(tmp_path, turns, interactive=True, cwd=tree) as s:
        await answered(s)
        assert words_of(s)[1] == "of the tree"
    made = sorted(each.name for each in (tree / ".ouroboros/tools").iterdir())
    assert made == ["count_words", "mine"]
    assert [each.name for each in theirs.parent.iterdir()] == ["mine"]
    assert (theirs / "tool.py").read_text() == before


@pytest.mark.proves("D27")
@pytest.mark.parametrize("mode", ["ask", "auto-edit", "full-auto"])
async def test_without_a_yes_no_tool_is_made(tmp_path: Path, mode: str) -> None:
    turns = [using("create_tool", **MADE), using("count_words", text="x"), DONE]
    async with stage(tmp_path, turns, mode=mode) as s:
        await s.run()
        refused, unknown = words_of(s)
    assert "count_words" in refused
    assert "unsupported call: count_words" in unknown
    assert not place(tmp_path, "count_words").exists()


@pytest.mark.deep
@pytest.mark.proves("D27", "divergences-tools-that-a-model-makes")
async def test_what_a_project_brings_is_inert_until_it_is_approved(tmp_path: Path) -> None:
    folder = await lay(tmp_path, "def call(what):\n    return what * 2\n", approved=False)
    async with stage(tmp_path, [using("mine", what="x"), DONE]) as s:
        await s.run()
        assert "unsupported call: mine" in words_of(s)[0]
        assert any("ouro tools approve mine" in event.text for event in s.events(Logged))
    await approve(tmp_path, folder)
    async with stage(tmp_path, [using("mine", what="x"), DONE]) as s:
        await s.run()
        assert words_of(s) == ["xx"]
    (folder / "tool.py").write_text("def call(what):\n    return 'changed'\n")
    async with stage(tmp_path, [using("mine", what="x"), DONE]) as s:
        await s.run()
        assert "unsupported call: mine" in words_of(s)[0]


@pytest.mark.deep
@pytest.mark.proves("D20")
async def test_a_tool_that_changes_while_a_session_runs_is_taken_out(tmp_path: Path) -> None:
    folder = await lay(tmp_path, "def call(what):\n    return 'first'\n")
    turns = [
        using("mine", what="x"),
        DONE,
        says(call("tool_search", query="does it")),
        using("mine", what="x"),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        (folder / "tool.py").write_text("def call(what):\n    return 'second, longer'\n")
        await s.run()
        first, found, gone = words_of(s)
    assert first == "first"
    assert '"mine"' not in found
    assert "unsupported call: mine" in gone


FAILS = (
    (
        "def call(what):\n    x = 1\n    return 1 / 0\n",
        "ZeroDivisionError: division by zero (line 3)",
    ),
    ("import nothing_of_this_name\ndef call(what): pass\n", "(line 1)"),
    ("def call(what):\n    raise SystemExit(3)\n", "SystemExit: 3"),
    ("import os\ndef call(what):\n    os._exit(3)\n", "ended by itself with exit code 3"),
    ("import os\ndef call(what):\n    os.kill(os.getpid(), 9)\n", "ended by itself"),
    ("def call(what):\n    return {'success': False, 'error': 'no luck'}\n", "failed: no luck"),
    ("def call(other):\n    return 1\n", "unexpected keyword argument 'what'"),
    (
        "def call(what):\n    import socket\n    socket.create_connection(('127.0.0.1', 9), 1)\n",
        "failed",
    ),
    ("def call(what):\n    open('/etc/made', 'w')\n", "failed"),
)


@pytest.mark.deep
@pytest.mark.proves("D27")
async def test_a_tool_that_fails_says_why_and_the_run_goes_on(tmp_path: Path) -> None:
    for number, (code, _) in enumerate(FAILS):
        await to_thread.run_sync(partial(_lay, tmp_path, code, name=f"mine{number}"))
    turns = [using(f"mine{number}", what="x") for number in range(len(FAILS))]
    async with stage(tmp_path, [*turns, DONE], interactive=True) as s:

        async def agree() -> None:
            # What a tool says is data, so that the ones after the first are asked about.
            for number in range(1, len(FAILS)):
                await s.until(PermissionRequested, number)
                asked = s.events(PermissionRequested)[-1]
                await s.session.send(Approve(request_id=asked.request_id))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agree)
            await s.run()
        said = words_of(s)
        final = s.session.state.final
    wrong = [
        (code, text) for (code, words), text in zip(FAILS, said, strict=True) if words not in text
    ]
    assert wrong == []
    assert final == "Done."
    assert not await anyio.Path("/etc/made").exists()


@pytest.mark.deep
@pytest.mark.proves("D27")
async def test_a_tool_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    folder = await lay(
        tmp_path, "import time\ndef call(what):\n    print('on it', flush=True); time.sleep(60)\n"
    )
    manifest = (folder / "tool.toml").read_text()
    (folder / "tool.toml").write_text("timeout = 50\n" + manifest)
    await approve(tmp_path, folder)
    async with stage(tmp_path, [using("mine", what="x"), DONE]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await until(lambda: s.events(ToolProgress))
            passes(50)
        (said,) = words_of(s)
    assert "took more than 50 s" in said
    assert "on it" in said


@pytest.mark.proves("D27", "divergences-tools-that-a-model-makes")
@pytest.mark.parametrize("mode", ["plan", "ask"])
async def test_a_tool_that_only_reads_runs_unasked_and_can_write_nothing(
    tmp_path: Path, mode: str
) -> None:
    code = "def call(what):\n    open(what, 'w').write('x')\n"
    await lay(tmp_path, code, read_only=True)
    turns = [using("mine", what="here.txt"), DONE]
    async with stage(tmp_path, turns, mode=mode) as s:
        await s.run()
        (said,) = words_of(s)
        assert s.events(PermissionRequested) == []
    assert "failed" in said
    assert not (tmp_path / "work" / "here.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("D27")
async def test_other_tools_of_ones_own_are_asked_about(tmp_path: Path) -> None:
    await lay(
        tmp_path, "def call(what):\n    open('here.txt', 'w').write(what)\n    return 'wrote'\n"
    )
    turns = [using("mine", what="words"), DONE]
    async with stage(tmp_path, turns, mode="ask") as s:
        await s.run()
        assert not (tmp_path / "work" / "here.txt").exists()
    async with stage(tmp_path, turns, mode="ask", interactive=True) as s:
        await answered(s)
        assert words_of(s) == ["wrote"]
    assert (tmp_path / "work" / "here.txt").read_text() == "words"


NO_TOOLS: list[tuple[dict[str, object], str]] = [
    ({"code": "def call(:\n"}, "tool.py:1: invalid syntax"),
    ({"code": "x = 1\n"}, "defines no function"),
    ({"name": "read"}, "read is a tool already"),
    ({"name": "Bash"}, "is no name"),
    ({"name": "../out"}, "is no name"),
    ({"parameters": {"class": {}}}, "cannot name a parameter"),
    ({"parameters": {"x": {"type": "blob"}}}, "Invalid enum value"),
    ({"description": ""}, "description"),
]


@pytest.mark.proves("D27")
async def test_what_is_no_tool_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    turns = [using("create_tool", **(MADE | changed)) for changed, _ in NO_TOOLS]
    async with stage(tmp_path, [*turns, DONE], interactive=True) as s:
        await s.run()
        said = words_of(s)
        assert s.events(PermissionRequested) == []
    for (_, words), refused in zip(NO_TOOLS, said, strict=True):
        assert words in refused


BROKEN = [
    ("name = ", "Invalid value"),
    ('name = "mine1"\n', "`description`"),
    ('name = "other"\ndescription = "x"\n', "not that of its folder"),
    ('name = "mine3"\ndescription = "x"\nnetwork = true\n', "`network`"),
]


@pytest.mark.proves("D20")
async def test_a_broken_manifest_is_named_and_passed_over(tmp_path: Path) -> None:
    for number, (manifest, _) in enumerate(BROKEN):
        folder = place(tmp_path, f"mine{number}")
        folder.mkdir(parents=True)
        (folder / "tool.toml").write_text(manifest)
        (folder / "tool.py").write_text("def call():\n    pass\n")
    async with stage(tmp_path, [DONE]) as s:
        outcome = await s.run()
        said = [event.text for event in s.events(Logged)]
    assert outcome.final == "Done."
    for number, (_, words) in enumerate(BROKEN):
        assert any(f"mine{number}/tool.toml" in text and words in text for text in said), words
