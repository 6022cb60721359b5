"""The request as the model reads it: its words, its size, and that it only ever grows."""

import re
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from dirty_equals import IsStr
from inline_snapshot import snapshot

from ouroboros.app.settings import Settings
from ouroboros.app.wiring.toolbox import registry
from ouroboros.core.commands import SetMode
from ouroboros.core.errors import Misuse
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.llm.turns import Turn
from tests.story.stage import FORMATS, PROMPTS, call, stage

pytestmark = pytest.mark.real

DONE = Turn(text="Done.")


def masked(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER")
    for name in ("os", "current_date", "timezone"):
        text = re.sub(f"<{name}>.*</{name}>", f"<{name}>...</{name}>", text)
    return text


@pytest.mark.proves("spine-agent")
def test_prompt_and_tools_are_lean() -> None:
    said = PROMPTS["core"].text + PROMPTS["mode_full-auto"].text
    tools = sum(len(t.name + t.description + t.schema) for t in registry(Settings()).specs())
    assert (len(said) + tools) / CHARS_PER_TOKEN < 2_500


@pytest.mark.proves("spine-agent")
@pytest.mark.parametrize("format", FORMATS)
async def test_the_first_request_is_small(tmp_path: Path, format: str) -> None:
    async with stage(tmp_path, [DONE], format=format) as s:
        await s.run("Fix the bug.")
        assert len(s.server.exchanges[0].body.encode()) <= 12_000


@pytest.mark.proves("A18", "divergences-context-for-the-model")
async def test_the_first_words_a_model_reads(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs.")
    async with stage(tmp_path, [DONE], mode="ask") as s:
        await s.run("Fix the bug.")
        system, context, task = s.body()["messages"]
        assert system == {"role": "developer", "content": PROMPTS["core"].text}
        assert masked(context["content"], folder) == snapshot(
            """\
# AGENTS.md instructions for FOLDER

<INSTRUCTIONS>
Use tabs.
</INSTRUCTIONS>

<environment_context>
  <cwd>FOLDER</cwd>
  <shell>sh</shell>
  <os>...</os>
  <current_date>...</current_date>
  <timezone>...</timezone>
  <git>not a git repository</git>
</environment_context>

<permissions>
Mode: ask. Reading inside the workspace is free, also by plain commands such as ls, cat and git log. Every write and every other command, tests and builds too, is shown to the person first, who may refuse it.
Commands run in a sandbox: they write in the workspace (not the configuration and hooks of git, .ouroboros, .agents; git commit works) and in $TMPDIR, where file tools write too, and in the temporary folder, and have no network, not even to this machine.
Nobody is here to be asked: what needs approval is refused.
</permissions>\
"""
        )
        assert task == {"role": "user", "content": "Fix the bug."}


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ({"mode": "read-only"}, "they write nothing, and have no network"),
        ({"network": "on", "exclude_tmp": True}, "file tools write too, and have the network."),
        ({"mode": "danger-full-access"}, ""),
    ],
)
async def test_a_model_knows_what_its_commands_may_reach(
    tmp_path: Path, sandbox: dict[str, object], said: str
) -> None:
    async with stage(tmp_path, [DONE], sandbox=sandbox, interactive=True) as s:
        await s.run("Hello")
        told = s.body()["messages"][1]["content"]
        assert said in told
        assert ("require_escalated" in told) == (said != "")


@pytest.mark.proves("A21")
async def test_words_of_the_persons_own_follow_ours(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], system="Answer in Latin.") as s:
        await s.run("Hello")
        assert "Answer in Latin." in str(s.body()["messages"][:2])
        assert s.body()["messages"][0]["content"].startswith(PROMPTS["core"].text[:40])


@pytest.mark.proves("A21")
async def test_an_agent_definition_adds_its_body(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    definition = "---\nname: reviewer\n---\nReview, do not edit.\n"
    (tmp_path / "work" / "reviewer.md").write_text(definition)
    async with stage(tmp_path, [DONE], system="@reviewer.md", context={"off": ["core"]}) as s:
        await s.run("Hello")
        assert s.body()["messages"][0]["content"] == "Review, do not edit."


async def test_a_definition_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"nowhere\.md' cannot be read"):
        async with stage(tmp_path, [DONE], system="@nowhere.md"):
            pass


@pytest.mark.proves("A21")
async def test_our_words_can_be_switched_off(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], system="Only this.", context={"off": ["core"]}) as s:
        await s.run("Hello")
        assert s.body()["messages"][0]["content"] == "Only this."


@pytest.mark.proves("A20")
async def test_a_tool_that_is_switched_off_is_not_offered(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], tools={"disabled": ["Bash"]}) as s:
        await s.run("Hello")
        names = [tool["function"]["name"] for tool in s.body()["tools"]]
        assert "shell" not in names
        assert "read" in names


@pytest.mark.proves("spine-agent", "providers-caching")
@pytest.mark.parametrize("format", FORMATS)
async def test_each_request_begins_with_the_bytes_of_the_last(tmp_path: Path, format: str) -> None:
    turns = [
        Turn(reasoning="hm", text="a", tool_calls=(call("ls", path="."), call("ls", path="nope"))),
        Turn(tool_calls=(call("shell", command="echo ü"),)),
        DONE,
        Turn(text="b", tool_calls=(call("ls", path="."),)),
        DONE,
    ]
    async with stage(tmp_path, turns, format=format) as s:
        await s.run("First")
        await s.session.send(SetMode(mode="ask"))
        await s.run("Second")
        histories = [history(exchange.body) for exchange in s.server.exchanges]
        assert len(histories) == 5
        for earlier, later in pairwise(histories):
            assert later.startswith(earlier)
        assert "Mode: ask." in histories[-1]


def history(body: str) -> str:
    """The list of messages as it was sent, without its end and without marks that may move."""
    found = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    raw = bytes(found["input"] if "input" in found else found["messages"]).decode()
    raw = re.sub(r',"cache_control":\{[^}]*\}', "", raw)
    # An open list of results takes in the words that follow it, in Anthropic's format.
    return raw.removesuffix("]").removesuffix("}").removesuffix("]")


@pytest.mark.proves("A33")
async def test_the_versions_of_all_words_are_on_record(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], system="Mine.") as s:
        await s.run("Hello")
        ready = s.shown[0].data
        assert msgspec.to_builtins(ready)["prompts"] == {
            "core": PROMPTS["core"].version,
            "own": IsStr(regex="[0-9a-f]{8}"),
        }
