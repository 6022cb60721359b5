"""Attacks through what a session keeps: answers given twice or again, scripts over files, names with keys."""

import re
from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionAnswered, PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.story.rlm_stage import block, rlm_stage
from tests.story.stage import call, stage

DONE = Turn(text="Done.")
KEY = "sk-ant-api03-" + "Qx7Lm2Vn9Rt4Yw8Kp3Jd6Hs5Gf1Zc0Bv" * 2


@pytest.mark.proves("tools-attacks")
async def test_an_answer_counts_once_and_only_for_its_question(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="echo x >> log"),)),
        Turn(tool_calls=(call("shell", command="echo y >> log"),)),
        DONE,
    ]
    first = second = ""
    async with stage(tmp_path, turns, mode="ask", interactive=True) as s:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                await s.until(PermissionRequested)
                first = s.events(PermissionRequested)[0].request_id
                with pytest.raises(Misuse):
                    await s.session.send(Approve(request_id=first + "x"))
                with pytest.raises(Misuse):
                    await s.session.send(Approve(request_id=""))
                await s.session.send(Approve(request_id=first, scope="policy"))
                with pytest.raises(Misuse):
                    await s.session.send(Approve(request_id=first))
                with pytest.raises(Misuse):
                    await s.session.send(Deny(request_id=first))
                await s.until(PermissionRequested, 2)
                second = s.events(PermissionRequested)[1].request_id
                with pytest.raises(Misuse):
                    await s.session.send(Approve(request_id=first))
                await s.session.send(Deny(request_id=second))
        answers = [(a.request_id, a.allowed) for a in s.events(PermissionAnswered)]
        assert answers == [(first, True), (second, False)]
        session = s.session.id
    assert (tmp_path / "work" / "log").read_text() == "x\n"
    # A yes of before is none to the same call after a restart, and nothing runs again.
    async with stage(tmp_path, [turns[0], DONE], mode="ask", interactive=True, resume=session) as s:
        with pytest.raises(Misuse):
            await s.session.send(Approve(request_id=first))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                await s.until(PermissionRequested)
                (asked,) = s.events(PermissionRequested)
                assert asked.request_id not in {first, second}
                await s.session.send(Deny(request_id=asked.request_id))
        assert s.events(ToolAttempted) == []
    assert (tmp_path / "work" / "log").read_text() == "x\n"


SCRIPTS = {
    "writes above": "await write('../made', 'evil')",
    "writes by an absolute path": "await write('{tmp}/made', 'evil')",
    "writes through a folder": "await write('folder/made', 'evil')",
    "writes at the end of a dangling link": "await write('dangling', 'evil')",
    "writes a hook": "await write('.git/hooks/pre-commit', 'evil')",
    "writes settings of ours": "await write('.ouroboros/config.toml', 'mode = \"full-auto\"')",
    "writes to a device": "await write('/dev/shm/made_by_attack', 'evil')",
    "writes by an object": "await write({{toString: () => '../made'}}, 'evil')",
    "writes by an array": "await write(['../made'], 'evil')",
    "writes by a getter": "await write({{get path() {{ return '../made' }}, content: 'evil'}})",
    "writes by options": "await write({{path: '../made', content: 'evil'}})",
    "writes a nul": "await write('../made\\0.txt', 'evil')",
    "writes over a prototype": "Object.prototype.path = '../made'; await write('fine', 'x')",
    "changes what it is called by": "globalThis.read = () => 'mine'; await write('../made', 'evil')",
    "reads a secret": "throw new Error('seen ' + await read('../secret'))",
    "reads through a folder": "throw new Error('seen ' + await read('folder/secret'))",
    "reads the machine": "throw new Error('seen ' + await read('/etc/shadow'))",
    "reads our keys": "throw new Error('seen ' + await read('{tmp}/home/keys.toml'))",
    "searches above": "throw new Error('seen ' + JSON.stringify(await grep('swordf', '..')))",
    "lists above": "throw new Error('seen ' + JSON.stringify(await find('*', '..')))",
    "asks a thousand times": "await Promise.all([...Array(1000)].map(() => write('../made', 'evil')))",
    "looks for a process": "throw new Error('seen ' + typeof process + typeof require + typeof fetch)",
    "makes a function": "throw new Error('seen ' + (async () => {{}}).constructor('return this')())",
}


@pytest.mark.deep
@pytest.mark.proves("tools-attacks")
async def test_no_script_of_the_model_does_harm(tmp_path: Path) -> None:
    """One after the other in one session, as one that does not give up would."""
    work, out = tmp_path / "work", tmp_path / "out"
    for folder in (work / ".git" / "hooks", out):
        folder.mkdir(parents=True)
    (tmp_path / "home").mkdir()
    for place in (out / "secret", tmp_path / "secret", tmp_path / "home" / "keys.toml"):
        place.write_text("# swordfish42\n")
    (work / "folder").symlink_to(out)
    (work / "dangling").symlink_to(tmp_path / "made")
    turns = [block(code.format(tmp=tmp_path)) for code in SCRIPTS.values()]
    rlm = {"max_iterations": len(turns) + 2}
    async with rlm_stage(
        tmp_path, [*turns, block("setFinal('over')")], mode="auto-edit", rlm=rlm
    ) as s:
        with anyio.fail_after(60):
            assert (await s.run()).final == "over"
        told = [exchange.body for exchange in s.server.exchanges]
    assert not any("swordfish42" in body for body in told)
    shown = re.findall(r"Error: seen (\[object \w+\]|.{27})", "".join(told))
    assert set(shown) == {"undefined" * 3, "[object Promise]"}
    for made in (tmp_path / "made", out / "made", Path("/dev/shm/made_by_attack")):
        assert not made.exists(), made
    assert list((work / ".git" / "hooks").iterdir()) == []
    assert not (work / ".ouroboros").exists()
    assert (out / "secret").read_text() == (tmp_path / "secret").read_text() == "# swordfish42\n"


@pytest.mark.deep
@pytest.mark.proves("tools-attacks")
async def test_a_key_in_a_name_is_on_no_record(tmp_path: Path) -> None:
    """Of a file, of an argument, of an artifact, and of what a command says."""
    turns = [
        Turn(tool_calls=(call("write", path=f"{KEY}.txt", content="x"),)),
        Turn(tool_calls=(call("shell", command=f"echo {KEY}; ls"),)),
        Turn(tool_calls=(call("read", path=f"{KEY}.txt"),)),
        Turn(tool_calls=(call("no_such_tool", path=KEY),)),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        assert KEY not in str(s.shown)
    # Where files are kept to go back to, they have the names that the person's folder has.
    kept = [path for path in (tmp_path / "home").rglob("*") if "checkpoints" not in path.parts]
    told = [path.name for path in kept if path.is_file() and KEY.encode() in path.read_bytes()]
    assert told == []
