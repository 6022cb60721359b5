"""Trust given and taken back in the page: for exactly what was seen, of a folder and of single hooks."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.web.conftest import Shown
from tests.web.panel_stage import panels

SETTINGS = """mode = 'plan'

[[hooks.UserPromptSubmit]]
hooks = [{type = "command", command = "touch ran"}]
"""


def brought(root: Path, text: str = SETTINGS) -> Path:
    """A folder that brings settings and a hook."""
    own = root / "work" / ".ouroboros"
    own.mkdir(parents=True, exist_ok=True)
    (own / "config.toml").write_text(text)
    return own / "config.toml"


@pytest.mark.deep
@pytest.mark.proves("interfaces-trust-in-the-page")
async def test_a_folder_is_trusted_as_it_was_seen_and_no_longer(tmp_path: Path) -> None:
    file = brought(tmp_path)
    async with panels(tmp_path, mode=None) as p:
        found = await p.get("/trust")
        assert found["verdict"] == "untrusted"
        assert any("touch ran" in line for line in found["summary"])
        file.write_text(SETTINGS.replace("plan", "full-auto"))
        said = await p.refused(409, "PUT", "/trust", {"trusted": True, "seen": found["seen"]})
        assert "is not what you saw" in said
        assert (await p.refused(409, "PUT", "/trust", {"trusted": True})) == said
        assert (await p.get("/settings"))["project"]["verdict"] == "untrusted"
        found = await p.get("/trust")
        done = await p.put("/trust", {"trusted": True, "seen": found["seen"]})
        assert done["verdict"] == "trusted"
        session = await p.open()
        assert (await p.get(f"/sessions/{session}"))["mode"] == "full-auto"
        file.write_text(SETTINGS)
        changed = await p.get("/trust")
        assert (changed["verdict"], changed["changed"]) == ("changed", [".ouroboros/config.toml"])
        gone = await p.put("/trust", {"trusted": False})
        assert gone["verdict"] == "untrusted"


@pytest.mark.deep
@pytest.mark.proves("interfaces-trust-in-the-page")
async def test_a_hook_runs_once_it_and_its_folder_are_trusted_and_no_more_when_switched_off(
    tmp_path: Path,
) -> None:
    file = brought(tmp_path)
    ran = tmp_path / "work" / "ran"
    async with panels(tmp_path, [Turn(text="Well")] * 3, mode=None) as p:

        async def decide(decision: str, **more: Any) -> dict[str, Any]:
            (hook,) = (await p.get("/hooks"))["hooks"]
            wish = {"key": hook["key"], "hash": hook["hash"], "decision": decision, **more}
            (hook,) = (await p.put("/hooks", wish))["hooks"]
            return hook

        assert (await p.get("/hooks"))["hooks"][0]["verdict"] == "folder not trusted"
        seen = (await p.get("/trust"))["seen"]
        await p.put("/trust", {"trusted": True, "seen": seen})
        await p.run(await p.open())
        assert not ran.exists()
        (hook,) = (await p.get("/hooks"))["hooks"]
        wish = {"key": hook["key"], "hash": "sha256:other", "decision": "trust"}
        assert "not the one that you saw" in await p.refused(409, "PUT", "/hooks", wish)
        assert (await decide("trust"))["verdict"] == "active"
        await p.run(await p.open())
        assert ran.exists()
        ran.unlink()
        assert (await decide("disable"))["verdict"] == "disabled"
        await p.run(await p.open())
        assert not ran.exists()
        assert (await decide("enable"))["verdict"] == "active"
        assert (await decide("untrust"))["verdict"] == "not trusted"
        await p.refused(404, "PUT", "/hooks", {**wish, "key": "1"})
        file.unlink()
        assert (await p.get("/hooks"))["hooks"] == []


@pytest.mark.proves("interfaces-trust-in-the-page")
async def test_an_own_server_is_changed_and_its_wire_formats_are_named(tmp_path: Path) -> None:
    async with panels(tmp_path) as p:
        new = {"name": "mine", "base_url": "http://127.0.0.1:9/v1", "is_keyless": True}
        assert (await p.ask("POST", "/providers", new)).status_code == 201
        formats = (await p.get("/providers"))["protocols"]
        assert {"openai-chat", "anthropic-messages", "ollama-chat"} <= set(formats)
        for name, value in {
            "base_url": "http://127.0.0.1:10",
            "protocol": "anthropic-messages",
        }.items():
            await p.put("/settings", {"key": f"providers.mine.{name}", "value": value})
        rows = (await p.get("/providers"))["providers"]
        (row,) = [each for each in rows if each["name"] == "mine"]
        assert (row["protocol"], "127.0.0.1:10" in row["base_url"]) == ("anthropic-messages", True)


@pytest.mark.proves("interfaces-trust-in-the-page")
@pytest.mark.deep
async def test_trust_is_given_and_taken_back_by_hand(page: Shown) -> None:
    async with page() as window:
        brought(window.served.root)
        await window.run("ouro.page.show('settings', { tab: 'project' })")
        await window.shows("touch ran")
        await window.click("button", "Trust this folder")
        await window.click("[role=dialog] button", "Trust it")
        await window.shows("You trusted what this folder brings")
        await window.click("button", "Trust this hook")
        await window.shows("may run")
        await window.click("button", "Trust it no longer")
        await window.shows("you have not trusted")
        assert window.troubles == []


@pytest.mark.deep
@pytest.mark.proves("E29")
async def test_rules_of_a_permission_file_are_shown_and_trusted_as_they_were_seen(
    tmp_path: Path,
) -> None:
    file = tmp_path / "work/.claude/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"permissions": {"allow": ["Bash(make)"], "deny": ["Bash(rm:*)"]}}')
    async with panels(tmp_path, mode=None) as p:
        assert [each["rule"] for each in (await p.get("/rules"))["lines"]] == ["shell(rm:*)"]
        found = await p.get("/trust")
        assert "  allow Bash(make)" in found["summary"]
        await p.put("/trust", {"trusted": True, "seen": found["seen"]})
        lines = (await p.get("/rules"))["lines"]
        assert {each["rule"] for each in lines} == {"shell(rm:*)", "shell(make)"}
        assert {each["source"] for each in lines} == {str(file)}
        assert not any(each["editable"] for each in lines)
