"""Commands and pages on the network: who is asked, what is refused, and what is on record."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested, ToolResulted
from ouroboros.core.events.code import Logged
from ouroboros.core.events.network import NetworkContacted
from ouroboros.llm.turns import Turn
from ouroboros.safety.sandbox.features import features
from tests.story.stage import Stage, call, stage
from tests.unit.safety.network.parts import page, serving
from tests.unit.tools.spine import text_of

CURL = "NO_PROXY= no_proxy= curl -sS http://127.0.0.1:{port}/ && touch reached"


HAS_OWN_NETWORK = features().namespaces or features().launcher is not None
"""Without namespaces a caged command that is to go through the proxy has no network at all."""

CAGED: dict[str, Any] = {
    "mode": "auto-edit",
    "sandbox": {"network": "proxy"},
    "permissions": {"allow": ["shell", "exec_command"]},
}
NOWHERE = {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
"""Nobody serves this proxy: what is let through is seen not to be reached."""

with_own_network = pytest.mark.skipif(not HAS_OWN_NETWORK, reason="no namespaces can be made here")


async def _question(s: Stage, count: int) -> PermissionRequested:
    await s.until(PermissionRequested, count)
    return s.events(PermissionRequested)[count - 1]


@pytest.mark.deep
@pytest.mark.proves("F04", "F10", "divergences-managed-proxy")
async def test_a_caged_command_reaches_what_is_listed_and_nothing_else(tmp_path: Path) -> None:
    with serving(lambda said: page(b"hello")) as port:
        direct = f"curl -sS --noproxy '*' http://127.0.0.1:{port}/ || echo shut"
        refused = "curl -sS https://example.org/; sleep 5"
        turns = [
            Turn(tool_calls=(call("shell", command=CURL.format(port=port)),)),
            Turn(tool_calls=(call("shell", command=direct),)),
            Turn(tool_calls=(call("shell", command=refused),)),
            Turn(text="done"),
        ]
        async with stage(
            tmp_path,
            turns,
            sandbox={"network": "proxy"},
            web={"allow": ["127.0.0.1"], "only_allowed": True},
        ) as s:
            await s.run()
            first, second, third = map(text_of, s.events(ToolResulted))
            contacts = s.events(NetworkContacted)
            assert (s.cwd / "reached").exists() is HAS_OWN_NETWORK
            warned = "needs namespaces" in str([one.text for one in s.events(Logged)])
    assert ("hello" in first) is HAS_OWN_NETWORK
    assert "shut" in second
    if not HAS_OWN_NETWORK:
        assert warned
        return
    assert "the command was ended, because the network was refused: example.org" in third
    assert [(one.host, one.decision) for one in contacts] == [
        ("127.0.0.1", "allowed"),
        ("example.org", "denied"),
    ]
    assert contacts[0].received > 0
    assert all(one.call_id for one in contacts)


@pytest.mark.deep
@pytest.mark.proves("E24")
@with_own_network
async def test_the_first_contact_of_a_command_is_asked_of_the_person(tmp_path: Path) -> None:
    command = "for n in 1 2 3; do curl -sS http://api.example/ & done; wait; echo over"
    turns = [Turn(tool_calls=(call("shell", command=command),))] * 2 + [Turn(text="done")]
    async with stage(tmp_path, turns, interactive=True, environment=NOWHERE, **CAGED) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            first = await _question(s, 1)
            await s.session.send(Approve(request_id=first.request_id))
            second = await _question(s, 2)
            await s.session.send(Deny(request_id=second.request_id, message="not that one"))
        questions = s.events(PermissionRequested)
        allowed, denied = map(text_of, s.events(ToolResulted))
    assert [("api.example" in one.action, one.tool) for one in questions] == [(True, "network")] * 2
    assert "over" in allowed
    assert "network was refused" in denied
    assert "not that one" in denied


@pytest.mark.proves("sandbox-answers-about-hosts")
@pytest.mark.deep
@with_own_network
async def test_an_answer_holds_for_every_later_contact_of_the_command_until_it_has_ended(
    tmp_path: Path,
) -> None:
    contact = "curl -sS -o /dev/null http://api.example/"
    lives = f"{contact}; until [ -e go ]; do sleep 0.05; done; {contact}; touch over; sleep 60"
    waits = "touch go; until [ -e over ]; do sleep 0.05; done; echo seen"
    endless = f"while :; do {contact} & sleep 0.01; done"
    turns = [
        Turn(tool_calls=(call("exec_command", cmd=lives, yield_time_ms=500),)),
        Turn(tool_calls=(call("shell", command=waits),)),
        Turn(tool_calls=(call("shell", command=endless),)),
        Turn(text="done"),
    ]
    async with stage(tmp_path, turns, interactive=True, environment=NOWHERE, **CAGED) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            asked = await _question(s, 1)
            await s.session.send(Approve(request_id=asked.request_id))
            asked = await _question(s, 2)
            await s.session.send(Deny(request_id=asked.request_id))
        lived, seen, ended = map(text_of, s.events(ToolResulted))
        contacts = s.events(NetworkContacted)
    assert "session ID" in lived
    assert "seen" in seen
    assert "network was refused" in ended
    assert [one.call_id for one in s.events(PermissionRequested)] == ["call_1_1", "call_3_1"]
    said = [(one.call_id, one.decision) for one in contacts]
    assert said[:2] == [("call_1_1", "allowed")] * 2
    assert set(said[2:]) == {("call_3_1", "denied")}


@pytest.mark.proves("F10")
@pytest.mark.deep
@with_own_network
async def test_a_yes_for_good_writes_the_host_down_and_no_session_asks_again(
    tmp_path: Path,
) -> None:
    command = "curl -sS -o /dev/null http://api.example/; echo over"
    turns = [Turn(tool_calls=(call("shell", command=command),)), Turn(text="done")]
    for is_first in (True, False):
        async with stage(tmp_path, turns, interactive=is_first, environment=NOWHERE, **CAGED) as s:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                if is_first:
                    asked = await _question(s, 1)
                    assert asked.amendment == ("http://api.example",)
                    wish = Approve(request_id=asked.request_id, scope="policy")
                    await s.session.send(wish)
            (result,) = s.events(ToolResulted)
            (contact,) = s.events(NetworkContacted)
        assert text_of(result).rstrip().endswith("over")
        assert (contact.decision, contact.by) == ("allowed", "person" if is_first else "list")
    written = (tmp_path / "home" / "rules" / "default.rules").read_text("utf-8")
    assert written == 'network_rule(host="api.example", protocol="http", decision="allow")\n'


@pytest.mark.proves("E24")
@pytest.mark.deep
@with_own_network
async def test_a_no_ends_a_command_that_waits_in_the_background(tmp_path: Path) -> None:
    kept = (
        "until [ -e go ]; do sleep 0.05; done; curl -sS http://api.example/; sleep 1; touch after"
    )
    waits = (
        "touch go; until [ -e over ]; do sleep 0.05; done; sleep 1.5; test -e after || echo ended"
    )
    turns = [
        Turn(tool_calls=(call("exec_command", cmd=kept, yield_time_ms=250),)),
        Turn(tool_calls=(call("shell", command=waits),)),
        Turn(text="done"),
    ]
    async with stage(tmp_path, turns, interactive=True, **CAGED) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            asked = await _question(s, 1)
            assert asked.call_id == "call_1_1"
            assert len(s.events(ToolResulted)) == 1
            await s.session.send(Deny(request_id=asked.request_id))
            (s.cwd / "over").touch()
        first, second = map(text_of, s.events(ToolResulted))
    assert "session ID" in first
    assert "ended" in second


@pytest.mark.deep
@pytest.mark.proves("E08", "E24")
@with_own_network
async def test_in_full_auto_no_host_is_reached_while_a_policy_file_is_broken(
    tmp_path: Path,
) -> None:
    rules = tmp_path / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text('network_rule("api.example", "http", "deny")', encoding="utf-8")
    (rules / "x.rules").write_text('prefix_rule(["rm"], "forbidden", why=1)', encoding="utf-8")
    command = "curl -fsS http://api.example/ && touch reached"
    turns = [Turn(tool_calls=(call("shell", command=command),)), Turn(text="done")]
    settings: dict[str, Any] = {**CAGED, "mode": "full-auto"}
    asked = None
    async with stage(tmp_path, turns, interactive=True, environment=NOWHERE, **settings) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            asked = await _question(s, 1)
            await s.session.send(Approve(request_id=asked.request_id))
            asked = await _question(s, 2)
            await s.session.send(Deny(request_id=asked.request_id))
        (contact,) = s.events(NetworkContacted)
        assert not (s.cwd / "reached").exists()
    assert asked is not None
    assert (asked.tool, contact.decision) == ("network", "denied")
    assert "x.rules:1:1" in asked.reason


@pytest.mark.proves("E08", "E24")
async def test_in_full_auto_a_page_of_a_forbidden_host_is_refused(tmp_path: Path) -> None:
    rules = tmp_path / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text('network_rule("no.example", "http", "deny")', encoding="utf-8")
    fetch = Turn(tool_calls=(call("fetch", url="http://no.example/"),))
    async with stage(tmp_path, [fetch, Turn(text="done")], mode="full-auto") as s:
        await s.run()
        (result,) = s.events(ToolResulted)
    assert result.status == "denied"


async def test_a_page_is_asked_for_by_its_host_and_read_after_a_yes(tmp_path: Path) -> None:
    with serving(lambda said: page(b"<h1>Hello</h1>", "content-type: text/html")) as port:
        fetch = Turn(tool_calls=(call("fetch", url=f"http://127.0.0.1:{port}/"),))
        async with stage(
            tmp_path,
            [fetch, Turn(text="done")],
            mode="ask",
            interactive=True,
            web={"allow": ["127.0.0.1"]},
        ) as s:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                asked = await _question(s, 1)
                await s.session.send(Approve(request_id=asked.request_id))
            (result,) = s.events(ToolResulted)
            (question,) = s.events(PermissionRequested)
    assert f"http://127.0.0.1:{port}" in question.action
    assert text_of(result).endswith("# Hello")
    assert s.session.state.sources == [f"page http://127.0.0.1:{port}"]
