"""The panels of settings, providers and rules: what counts, where it comes from, and changes of it."""

import stat
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.app.providers import keys
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving
from tests.web.panel_stage import Panels, panels

KEY = "sk-test-0123456789abcdefghijklmnopqrstuv"


async def value(p: Panels, key: str, **query: Any) -> tuple[Any, str]:
    found = (await p.get("/settings", **query))["values"]
    (one,) = [each for each in found if each["key"] == key]
    return one["value"], one["origin"]


@pytest.mark.deep
async def test_each_setting_tells_its_value_its_layer_and_what_it_may_be(tmp_path: Path):
    async with panels(tmp_path) as p:
        (p.home / "config.toml").write_text("# mine\n[limits]\nmax_turns = 9\n")
        assert await value(p, "limits.max_turns") == (9, "user")
        assert await value(p, "mode") == ("full-auto", "command line")
        found = await p.get("/settings")
        by_key = {each["key"]: each for each in found["values"]}
        assert by_key["mode"]["choices"] == ["ask", "auto-edit", "full-auto", "plan"]
        assert by_key["context.threshold"]["expects"].startswith("a number")
        assert by_key["tools.parallel" if "tools.parallel" in by_key else "cache_replies"][
            "choices"
        ] == [False, True]
        assert [layer["name"] for layer in found["layers"]][-1] == "user"
        assert found["project"]["verdict"] == "nothing"


@pytest.mark.deep
async def test_a_value_is_saved_to_the_layer_that_is_named(tmp_path: Path):
    async with panels(tmp_path) as p:
        file = p.home / "config.toml"
        file.write_text("# mine\n[limits]\nmax_turns = 9  # enough\n")
        done = await p.put("/settings", {"key": "limits.max_cost", "value": "2.5"})
        assert (done["file"], done["wins"]) == (str(file), "")
        assert done["values"][0]["value"] == 2.5
        text = file.read_text()
        assert "# mine" in text
        assert "max_turns = 9  # enough" in text
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        done = await p.put("/settings", {"key": "limits.max_cost", "value": "1", "layer": "local"})
        assert (
            p.cwd / ".ouroboros" / "config.local.toml"
        ).read_text() == "[limits]\nmax_cost = 1.0\n"
        assert await value(p, "limits.max_cost") == (1.0, "local")
        beaten = await p.put("/settings", {"key": "limits.max_cost", "value": "3"})
        assert beaten["wins"] == "local"
        await p.put("/settings", {"key": "limits.max_cost", "value": None, "layer": "local"})
        assert await value(p, "limits.max_cost") == (3.0, "user")
        await p.put("/settings", {"key": "context.off", "value": '["git", "memory"]'})
        assert await value(p, "context.off") == (["git", "memory"], "user")
        assert (await p.get("/settings"))["project"]["verdict"] == "trusted"


WRONG_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"key": "mode", "value": "yolo"}, "expected one of"),
    ({"key": "limits.max_turns", "value": "-1"}, "expected a whole number"),
    ({"key": "limits.max_turns", "value": "many"}, "expected a whole number"),
    ({"key": "limits.max_turnz", "value": "1"}, "there is no setting"),
    ({"key": "limits", "value": "1"}, "a table"),
    ({"key": "", "value": "1"}, "not the name of a setting"),
    ({"key": "a = 1\nb", "value": "1"}, "not the name of a setting"),
    ({"key": "keys.OPENAI_API_KEY", "value": "x"}, "not changed here"),
    ({"key": "permissions.allow", "value": "Bash"}, "not changed here"),
    ({"key": "hooks.PreToolUse", "value": "[]"}, "not changed here"),
    ({"key": "providers.mine.key_env", "value": "X"}, "'base_url' is missing"),
    ({"key": "mode", "value": None}, "does not set it"),
    ({"key": "mode", "value": 3}, "does not fit"),
    ({"key": "mode", "value": "ask", "layer": "managed"}, "does not fit"),
    ({"value": "ask"}, "does not fit"),
]


@pytest.mark.deep
async def test_wrong_values_are_refused_with_words_and_change_nothing(tmp_path: Path):
    async with panels(tmp_path) as p:
        for body, words in WRONG_VALUES:
            said = await p.refused(400, "PUT", "/settings", body)
            assert words in said, body
            assert not (p.home / "config.toml").exists(), body
            assert not (p.cwd / ".ouroboros").exists(), body


@pytest.mark.deep
async def test_a_file_that_nobody_understands_is_left_alone(tmp_path: Path):
    async with panels(tmp_path) as p:
        file = p.home / "config.toml"
        file.write_text("mode = \n")
        said = await p.refused(400, "GET", "/settings")
        assert "config.toml, line 1" in said
        await p.refused(400, "PUT", "/settings", {"key": "mode", "value": "ask"})
        assert file.read_text() == "mode = \n"


@pytest.mark.deep
async def test_an_untrusted_project_is_shown_with_what_trust_would_do(tmp_path: Path):
    own = tmp_path / "work" / ".ouroboros"
    own.mkdir(parents=True)
    (own / "config.toml").write_text("mode = 'full-auto'\n")
    async with panels(tmp_path) as p:
        found = await p.get("/settings")
        assert found["project"]["verdict"] == "untrusted"
        assert any("mode = 'full-auto'" in line for line in found["project"]["summary"])
        done = await p.put(
            "/settings", {"key": "limits.max_turns", "value": "3", "layer": "project"}
        )
        assert done["values"][0]["value"] is None
        assert (await p.get("/settings"))["project"]["verdict"] == "untrusted"


async def test_a_key_is_kept_and_never_shown(tmp_path: Path):
    async with panels(tmp_path) as p:
        kept = await p.put("/providers/anthropic/key", {"key": f" {KEY}\n"})
        assert (kept["variable"], kept["still"]) == ("ANTHROPIC_API_KEY", "")
        assert KEY not in str(kept)
        assert KEY.encode() not in (p.home / "keys.sealed").read_bytes()
        assert stat.S_IMODE((p.home / "keys.sealed").stat().st_mode) == 0o600
        answer = await p.ask("GET", "/providers")
        (row,) = [each for each in answer.json()["providers"] if each["name"] == "anthropic"]
        assert (row["keys"]["ANTHROPIC_API_KEY"], row["is_ready"]) == ("keys.sealed", True)
        for path in ("/providers", "/settings", "/models", "/rules", "/state"):
            assert KEY not in (await p.ask("GET", path)).text
        gone = await p.ask("DELETE", "/providers/anthropic/key")
        assert gone.status_code == 200
        assert await to_thread.run_sync(keys.sealed, p.home) == {}
        await p.refused(404, "DELETE", "/providers/anthropic/key")


NO_KEYS: list[tuple[str, dict[str, str], int]] = [
    ("anthropic", {"key": ""}, 400),
    ("anthropic", {"key": "two words"}, 400),
    ("anthropic", {"key": "a\nb"}, 400),
    ("anthropic", {"key": KEY, "variable": "PATH"}, 400),
    ("anthropic", {}, 400),
    ("nobody", {"key": KEY}, 404),
    ("ollama", {"key": "x", "variable": "../x"}, 400),
]


@pytest.mark.deep
async def test_what_is_no_key_is_not_kept(tmp_path: Path):
    async with panels(tmp_path) as p:
        for provider, body, status in NO_KEYS:
            said = await p.refused(status, "PUT", f"/providers/{provider}/key", body)
            assert KEY not in said, body
            assert not (p.home / "keys.sealed").exists(), body


@pytest.mark.deep
async def test_a_key_of_the_environment_counts_all_the_same_and_that_is_said(tmp_path: Path):
    async with panels(tmp_path, environment={"ANTHROPIC_API_KEY": KEY[::-1]}) as p:
        kept = await p.put("/providers/anthropic/key", {"key": KEY})
        assert kept["still"] == "environment"


async def test_a_provider_is_added_tested_and_removed(tmp_path: Path):
    own: dict[str, Any] = {"model": None, "base_url": None}
    async with serving([Turn(text="ready")]) as vendor, panels(tmp_path, **own) as p:
        new = {"name": "mine", "base_url": vendor.url, "key_env": "MINE_KEY"}
        assert (await p.ask("POST", "/providers", new)).status_code == 201
        assert "mine" in await p.refused(400, "POST", "/providers", new)
        await p.refused(400, "POST", "/providers", {"name": "x y", "base_url": "nonsense"})
        await p.put("/providers/mine/key", {"key": KEY})
        tested = await p.ask("POST", "/providers/mine/test", {}, model="scripted")
        assert tested.json()["error"] == "", tested.text
        assert tested.json()["answer"]["text"] == "ready"
        assert KEY in str(vendor.exchanges[-1].headers)
        assert (await p.ask("DELETE", "/providers/mine")).status_code == 200
        await p.refused(404, "POST", "/providers/mine/test", {})


@pytest.mark.deep
async def test_a_test_that_fails_says_why_and_holds_no_key(tmp_path: Path):
    own: dict[str, Any] = {"model": None, "base_url": None}
    refusal = Turn(fault=Fault(kind="auth", message=f"the key {KEY} is not valid"))
    async with (
        serving([refusal]) as vendor,
        panels(tmp_path, environment={"MINE_KEY": KEY}, **own) as p,
    ):
        new = {"name": "mine", "base_url": vendor.url, "key_env": "MINE_KEY"}
        assert (await p.ask("POST", "/providers", new)).status_code == 201
        tested = await p.ask("POST", "/providers/mine/test", {}, model="m")
        assert tested.status_code == 200
        assert tested.json()["answer"] is None
        assert "is not valid" in tested.json()["error"]
        assert KEY not in tested.text


@pytest.mark.deep
async def test_models_are_found_with_limits_and_price(tmp_path: Path):
    async with panels(tmp_path) as p:
        found = (await p.get("/models", query="anthropic sonnet"))["models"]
        assert found
        assert all("sonnet" in model["name"] for model in found)
        assert any(model["known"].get("price") and model["known"].get("window") for model in found)
        few = await p.get("/models", query="o", limit=3)
        assert (len(few["models"]), few["more"] > 0) == (3, True)
        await p.refused(400, "GET", "/models", provider="nobody")


@pytest.mark.deep
async def test_rules_are_added_shown_and_taken_out(tmp_path: Path):
    async with panels(tmp_path) as p:
        (p.home / "config.toml").write_text('[permissions]\nallow = [\n  "Read",  # mine\n]\n')
        added = await p.ask(
            "POST", "/rules", {"outcome": "deny", "rule": "Bash(rm:*)", "layer": "local"}
        )
        assert added.status_code == 201
        lines = (await p.get("/rules"))["lines"]
        assert {(line["outcome"], line["rule"].lower(), line["layer"]) for line in lines} == {
            ("deny", "bash(rm:*)", "local"),
            ("allow", "read", "user"),
        }
        assert all(line["editable"] for line in lines)
        explained = await p.get("/rules/explain", command="rm x")
        assert explained["here"]["decision"] == "deny"
        assert "rm" in explained["here"]["decided_by"]
        gone = await p.ask("DELETE", "/rules", outcome="deny", rule="Bash(rm:*)", layer="local")
        assert gone.status_code == 200, gone.text
        assert (await p.get("/rules/explain", command="ls"))["here"]["decision"] == "allow"
        assert "# mine" in (p.home / "config.toml").read_text()
        await p.refused(400, "DELETE", "/rules", outcome="deny", rule="Bash(rm:*)", layer="local")


NO_RULES: list[dict[str, str]] = [
    ({"outcome": "deny", "rule": ""}),
    {"outcome": "deny", "rule": "Nonsense(x)"},
    ({"outcome": "deny", "rule": "((("}),
    {"outcome": "maybe", "rule": "Bash"},
    ({"outcome": "deny", "rule": "Bash(re:[)"}),
    ({"outcome": "deny", "rule": "Bash", "layer": "managed"}),
]


@pytest.mark.deep
async def test_what_is_no_rule_changes_nothing(tmp_path: Path):
    async with panels(tmp_path) as p:
        for body in NO_RULES:
            await p.refused(400, "POST", "/rules", body)
            assert not (p.home / "config.toml").exists(), body


@pytest.mark.deep
async def test_why_something_would_be_asked_about(tmp_path: Path):
    async with panels(tmp_path, mode="ask") as p:
        command = await p.get("/rules/explain", command="git push --force")
        assert command["here"]["decision"] == "ask"
        path = await p.get("/rules/explain", path="../../etc/passwd", op="write")
        assert path["taken_for"] == "deny"
        assert path["here"]["decision"] != "allow"
        url = await p.get("/rules/explain", url="http://169.254.169.254/latest")
        assert (url["taken_for"], url["here"]["decision"]) == ("deny", "deny")
        await p.refused(400, "GET", "/rules/explain")
        await p.refused(400, "GET", "/rules/explain", command="ls", path="x")
