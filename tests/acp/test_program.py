"""The program itself, with the official Python client at the other end of real pipes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import acp
import anyio
import pytest
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    FileSystemCapabilities,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from tests import forked

ASKED = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'


def words(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """The program's words and environment, with a model that writes a file."""
    change = {"path": "a", "old_text": "unsaved", "new_text": "changed"}
    lines = [
        {"text": "I write.", "tool_calls": [{"name": "edit", "arguments": change}]},
        {"text": "Done."},
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(each) + "\n" for each in lines))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a").write_text("old\n")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "OUROBOROS_HOME": str(tmp_path / "home"),
    }
    return [sys.executable, "-m", "ouroboros", "acp", "--model", f"script:{script}"], environment


class Watcher:
    """Says yes once, and keeps what it is told."""

    def __init__(self) -> None:
        self.said = ""
        self.asked = 0
        self.read: list[str] = []

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        del session_id, kwargs
        if update.session_update == "agent_message_chunk":
            self.said += update.content.text

    async def read_text_file(
        self, path: str, session_id: str, **kwargs: Any
    ) -> ReadTextFileResponse:
        del session_id, kwargs
        self.read.append(path)
        return ReadTextFileResponse(content="unsaved\n")

    async def write_text_file(
        self, content: str, path: str, session_id: str, **kwargs: Any
    ) -> WriteTextFileResponse:
        del session_id, kwargs
        await anyio.Path(path).write_text(f"{content}saved\n")
        return WriteTextFileResponse()

    async def request_permission(
        self,
        options: list[PermissionOption],
        session_id: str,
        tool_call: ToolCallUpdate,
        **kwargs: Any,
    ) -> RequestPermissionResponse:
        del session_id, tool_call, kwargs
        self.asked += 1
        chosen = next(each for each in options if each.kind == "allow_once")
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        )


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-peers")
async def test_the_official_python_client_works_with_the_program(tmp_path: Path) -> None:
    command, environment = words(tmp_path)
    watcher = Watcher()
    client = cast("Any", watcher)
    async with acp.spawn_agent_process(client, *command, env=environment) as (agent, process):
        files = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        begun = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=files),
        )
        assert begun.protocol_version == 1
        session = await agent.new_session(cwd=str(tmp_path / "work"), mcp_servers=[])
        ended = await agent.prompt(
            session_id=session.session_id, prompt=[acp.text_block("Write it.")]
        )
        assert ended.stop_reason == "end_turn"
        assert (watcher.said, watcher.asked) == ("I write.Done.", 1)
        assert (tmp_path / "work" / "a").read_text() == "changed\nsaved\n"
        assert set(watcher.read) == {str(tmp_path / "work" / "a")}
        found = await agent.list_sessions()
        assert [each.session_id for each in found.sessions] == [session.session_id]
    assert process.returncode == 0


@pytest.mark.proves("interfaces-acp-peers")
@pytest.mark.parametrize(
    "way",
    [
        "hangs up",
        pytest.param("reads no more", marks=pytest.mark.deep),
        pytest.param("SIGTERM", marks=pytest.mark.deep),
    ],
)
def test_the_program_ends_when_its_editor_is_gone(tmp_path: Path, way: str) -> None:
    command, environment = words(tmp_path)
    with forked.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(ASKED)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        match way:
            case "hangs up":
                process.stdin.close()
            case "reads no more":
                process.stdout.close()
                process.stdin.write(ASKED)
                process.stdin.flush()
            case _:
                process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
        if way == "hangs up":
            assert process.stdout.read() == b""
