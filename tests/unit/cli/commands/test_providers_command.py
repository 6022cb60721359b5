"""`ouro providers`, `tools`, `doctor`, `apply-patch`, `completion`, `debug`."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from ouroboros.app.providers import keys
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.unit.cli.commands.calling import Ouro

pytestmark = pytest.mark.real


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with start_blocking_portal() as portal:
        turns = [Turn(text="ready")]
        with portal.wrap_async_context_manager(serving(turns, repeat=True)) as running:
            yield running


def rows(ouro: Ouro) -> dict[str, dict[str, object]]:
    found = json.loads(ouro("providers", "list", "--json").out)
    return {each["name"]: each for each in found}


@pytest.mark.proves("H02")
def test_the_list_says_where_each_key_is_and_never_what(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    keys.store(home, "GROQ_API_KEY", "sk-secret")
    ouro("config", "set", "providers.mine.base_url", "http://me:sk-secret@host/v1")
    ouro("config", "set", "providers.mine.key_env", "MY_KEY")

    plain = ouro("providers", "list")
    found = rows(ouro)

    assert found["anthropic"]["keys"] == {"ANTHROPIC_API_KEY": "environment"}
    assert found["groq"]["keys"] == {"GROQ_API_KEY": "keys.toml"}
    assert found["mine"]["keys"] == {"MY_KEY": ""}
    ready = {name for name, each in found.items() if each["is_ready"]}
    local = {"ollama", "lmstudio", "vllm", "llamacpp", "litellm", "echo", "script"}
    assert ready == {"anthropic", "groq", *local}
    assert found["mine"]["is_own"]
    assert found["vertex"]["proof"] == "command gcloud"
    assert found["bedrock"]["proof"] == "AWS credentials"
    assert "sk-secret" not in plain.out + ouro("providers", "list", "--json").out
    assert "@host/v1" in str(found["mine"]["base_url"])
    assert "anthropic\tanthropic-messages\tANTHROPIC_API_KEY environment\t" in plain.out


def test_what_lacks_a_login_or_a_package_is_not_ready(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = '[providers.cloud]\nbase_url = "https://models.example.org/v1"\nauth = "oauth"\n'
    login = '[providers.cloud.oauth]\nclient_id = "me"\nissuer = "https://login.example.org"\n'
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(cloud + login, "utf-8")
    monkeypatch.setitem(sys.modules, "litellm", None)  # as where it is not installed

    found = rows(ouro)
    ready = ouro("providers", "list", "--ready").out

    assert (found["cloud"]["proof"], found["cloud"]["is_ready"]) == ("not logged in", False)
    assert "pip install 'ouroboros[litellm]'" in str(found["litellm"]["proof"])
    assert "cloud" not in ready
    assert "litellm" not in ready
    assert "ollama\tollama-chat\tno key needed\thttp://localhost:11434\n" in ready


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_a_provider_that_answers_is_said_to(
    ouro: Ouro, home: Path, server: ScriptedServer, protocol: str
) -> None:
    keys.store(home, "MY_KEY", "sk-mine")
    ouro("config", "set", "providers.mine.base_url", server.url)
    ouro("config", "set", "providers.mine.protocol", protocol)
    ouro("config", "set", "providers.mine.key_env", "MY_KEY")

    ended = ouro("providers", "test", "mine/small")

    assert ended.code == 0
    assert ended.out.startswith("ok: mine/small answered 'ready' in ")
    sent = {name.lower(): value for name, value in server.exchanges[0].headers.items()}
    assert "sk-mine" in sent.get("authorization", "") + sent.get("x-api-key", "")


def test_a_provider_that_refuses_says_why_and_is_asked_once(
    ouro: Ouro, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")

    ended = ouro("providers", "test", "openai")

    assert (ended.code, ended.out) == (1, "")
    assert "127.0.0.1:1" in ended.err
    assert "\nhint: " in ended.err
    assert "sk-secret" not in ended.err


@pytest.mark.proves("spine-cli")
def test_without_a_key_the_ways_out_are_listed(ouro: Ouro) -> None:
    ended = ouro("providers", "test", "anthropic")

    assert ended.code == 2
    for way in ("ANTHROPIC_API_KEY", "ouro providers login", "ollama", "./ouro demo"):
        assert way in ended.err


def test_an_unknown_provider_is_named_with_the_near_one(ouro: Ouro) -> None:
    ended = ouro("providers", "test", "antropic")

    assert ended.code == 2
    assert "anthropic" in ended.err


@pytest.mark.proves("D20", "D21")
def test_tools_are_listed_as_a_model_is_told_of_them(ouro: Ouro) -> None:
    found = {each["name"]: each for each in json.loads(ouro("tools", "list", "--json").out)}

    assert {"read", "write", "edit", "exec_command"} <= set(found)
    assert found["read"]["schema"]["type"] == "object"
    ouro("config", "set", "tools.disabled", "exec_command")
    names = [line.partition("\t")[0] for line in ouro("tools", "list").out.splitlines()]
    assert "exec_command" not in names
    assert "read" in names


def test_tools_that_are_switched_on_are_listed_too(ouro: Ouro) -> None:
    def direct() -> list[str]:
        listed = json.loads(ouro("tools", "list", "--json").out)
        return [each["name"] for each in listed if each["exposure"] == "direct"]

    before = direct()
    ouro("config", "set", "tools.scripts", "true")
    scripts = set(direct()) - set(before)
    assert scripts == {"js", "call_tools"}
    assert not any(name.startswith("browser_") for name in direct())
    ouro("config", "set", "browser.tools", "true")
    assert direct()[: len(before)] == before
    assert {"browser_execute", "browser_observe", *scripts} <= set(direct())
    ouro("config", "set", "tools.disabled", "browser_observe")
    assert "browser_observe" not in direct()


@pytest.mark.deep
def test_the_doctor_ends_with_one_when_something_needed_is_missing(
    ouro: Ouro, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")
    whole = ouro("doctor")
    monkeypatch.setenv("PATH", str(tmp_path))
    broken = ouro("doctor")
    machine = json.loads(ouro("doctor", "--json").out)

    assert whole.code == 0
    assert "ok: git: " in whole.out
    assert broken.code == 1
    assert "failed: git: not found on PATH\n  fix: install git\n" in broken.out
    assert {
        "name": "git",
        "verdict": "failed",
        "said": "not found on PATH",
        "fix": "install git",
    } in (machine)


PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n"


@pytest.mark.proves("spine-tools")
def test_a_patch_is_applied_from_the_argument_and_from_input(
    ouro: Ouro, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ouro("apply-patch", PATCH).code == 0
    assert (project / "new.txt").read_text(encoding="utf-8") == "hello\n"

    piped = PATCH.replace("new.txt", "piped.txt").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), encoding="utf-8"))
    assert ouro("apply-patch").code == 0
    assert (project / "piped.txt").exists()


@pytest.mark.proves("spine-tools")
def test_a_broken_patch_ends_with_one_and_wrong_use_with_two(ouro: Ouro) -> None:
    broken = ouro("apply-patch", "nonsense")

    assert (broken.code, broken.out) == (1, "")
    assert broken.err.startswith("Invalid patch")
    assert ouro("apply-patch", "one", "two").code == 2


@pytest.mark.proves("spine-cli")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_names_the_program(ouro: Ouro, shell: str) -> None:
    ended = ouro("completion", shell)

    assert ended.code == 0
    assert f"_OURO_COMPLETE={shell}_complete" in ended.out


@pytest.mark.proves("spine-cli")
def test_the_bash_script_is_valid_and_completes_commands(
    ouro: Ouro, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ouro("completion", "bash").out
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0

    monkeypatch.setenv("_OURO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "ouro ses")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert ouro().out == "plain,sessions\n"
    monkeypatch.setenv("COMP_WORDS", "ouro sessions re")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert ouro().out == "plain,rename\n"


def test_a_recorded_stream_that_cannot_be_used_is_one_line_and_ends_with_one(
    ouro: Ouro, tmp_path: Path
) -> None:
    (tmp_path / "broken.json").write_text("][", encoding="utf-8")

    ended = ouro("debug", "stream", str(tmp_path / "broken.json"), str(tmp_path / "absent.json"))

    assert ended.code == 1
    assert [json.loads(line)["id"] for line in ended.out.splitlines()] == [
        "broken.json",
        "absent.json",
    ]
