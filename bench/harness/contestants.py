"""Who is measured: Ouroboros in each wire format, and the peers."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from bench.harness.process import Launch, Output
from ouroboros.llm.turns import ScriptedCall

TASK = "do it"
FORMATS = {
    "chat": "compatible/scripted",
    "responses": "openai/gpt-5",
    "messages": "anthropic/claude-sonnet-4-5",
}
_BARE = Path(__file__).parents[1] / "bare_loop.py"

# No key is real, and whatever is not on loopback leads to a port where nobody listens.
_NOWHERE = "http://127.0.0.1:9"
_FENCE = {
    "HTTP_PROXY": _NOWHERE,
    "HTTPS_PROXY": _NOWHERE,
    "NO_PROXY": "127.0.0.1",
    "LANG": "C.UTF-8",
    "TERM": "xterm-256color",
}

_CODEX_SETTINGS = """\
model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[feedback]
enabled = false
[history]
persistence = "none"
[otel]
exporter = "none"
metrics_exporter = "none"
trace_exporter = "none"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = false
"""


class Contestant(Struct, frozen=True, kw_only=True):
    """A program that is driven through the same scripts as the others.

    Attributes:
        call: Its own way to run a command that does nothing.
        launch: How it is started, from an empty folder, the server's address and its output.
        outputs: What it can be asked to write; empty when it does not stream.
    """

    name: str
    call: ScriptedCall
    launch: Callable[[Path, str, Output], Launch]
    outputs: tuple[Output, ...] = ()
    is_ours: bool = False


_UNKEPT = {"OUROBOROS_CHECKPOINTS_ENABLED": "false"}
_BARE_COMMANDS = {"OUROBOROS_SANDBOX_MODE": "danger-full-access"}
CAGES = {
    "none": _UNKEPT | _BARE_COMMANDS,
    "landlock": _UNKEPT | {"OUROBOROS_SANDBOX_BUBBLEWRAP": "off"},
    "bubblewrap": _UNKEPT | {"OUROBOROS_SANDBOX_BUBBLEWRAP": "auto"},
    "checkpoints": _BARE_COMMANDS,
}
"""What makes commands of a run bare, puts them into one cage, or keeps the files before each.

Peers run theirs bare and keep no files.
"""


def ouroboros(program: tuple[str, ...], wire: str, cage: str = "none") -> Contestant:
    """``ouro run`` speaking one wire format, its commands in one of ``CAGES``."""

    def launch(folder: Path, url: str, output: Output) -> Launch:
        options = ("--output", "stream-json") if output == "stream-json" else ()
        key = {"OPENAI_API_KEY": "scripted", "ANTHROPIC_API_KEY": "scripted"}
        return Launch(
            command=(
                *(*program, "run", "--mode", "full-auto", "--model", FORMATS[wire]),
                *("--base-url", f"{url}/v1", *options, TASK),
            ),
            environment=_FENCE
            | key
            | CAGES[cage]
            | {"HOME": str(folder), "OUROBOROS_HOME": str(folder / ".ouroboros")},
        )

    return Contestant(
        name=f"ouro, {wire}" if cage == "none" else f"ouro, {wire}, {cage}",
        call=ScriptedCall(name="shell", arguments={"command": "true"}),
        launch=launch,
        outputs=("text", "stream-json", "pty"),
        is_ours=True,
    )


def codex(path: Path) -> Contestant:
    """``codex exec``; of an npm installation the program itself, not its Node launcher."""
    program = next(_native(path.resolve()), path)

    def launch(folder: Path, url: str, output: Output) -> Launch:
        home = folder / ".codex"
        home.mkdir()
        (home / "config.toml").write_text(_CODEX_SETTINGS.format(url=url), encoding="utf-8")
        return Launch(
            command=(
                *(str(program), "exec", "--skip-git-repo-check"),
                *("--dangerously-bypass-approvals-and-sandbox", TASK),
            ),
            environment=_FENCE
            | {"HOME": str(folder), "CODEX_HOME": str(home), "SCRIPTED_KEY": "scripted"},
        )

    return Contestant(
        name="codex",
        call=ScriptedCall(name="exec_command", arguments={"cmd": "true", "login": False}),
        launch=launch,
        outputs=("text",),
    )


def bare_loop() -> Contestant:
    """A loop without any features, which waits for whole replies."""

    def launch(folder: Path, url: str, output: Output) -> Launch:
        return Launch(
            command=(sys.executable, "-I", str(_BARE), urlsplit(url).netloc, TASK),
            environment=_FENCE | {"HOME": str(folder)},
        )

    return Contestant(
        name="bare loop",
        call=ScriptedCall(name="shell", arguments={"command": "true"}),
        launch=launch,
    )


def _native(launcher: Path) -> Iterator[Path]:
    package = launcher.parent.parent
    for root in (package.parent, package / "node_modules" / "@openai"):
        yield from root.glob("codex-*/vendor/*/bin/codex")
        yield from root.glob("codex-*/vendor/*/codex/codex")
