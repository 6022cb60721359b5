"""Looks whether this machine has what a run needs, and says how to get what is missing."""

import sys
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.app.checks import Check, Verdict
from ouroboros.app.config import layers as config
from ouroboros.app.providers import listing as provider_list
from ouroboros.app.providers import logins
from ouroboros.core.errors import OuroborosError
from ouroboros.safety.environment import apart
from ouroboros.store import health

LEAST_BYTES = 100 * 1_048_576
"""Below this much free space sessions may soon not be kept."""

_PATIENCE_SECONDS = 5.0
_OLLAMA_PORT = 11_434
_PRIVATE = (
    *("auth", "config.toml", "keys.sealed", "keys.toml", "seal.key", "trust.toml"),
    "ouroboros.db",
)


BESIDE = Path(sys.executable).parent


class Terminal(Struct, frozen=True, kw_only=True):
    """What the face knows of the terminal it writes to."""

    is_terminal: bool
    columns: int
    encoding: str


async def examine(
    environment: Mapping[str, str],
    cwd: Path,
    home: Path,
    terminal: Terminal,
    *,
    beside: Path = BESIDE,
) -> list[Check]:
    """Every check, in the order they are shown; one that cannot be made counts as failed.

    ``beside`` is where packages put programs; the search tools look there after PATH.
    """
    own = await anyio.to_thread.run_sync(apart, environment, cwd)
    searched = {**own, "PATH": f"{own['PATH']}:{beside}"}
    checks = [_python(), *await anyio.to_thread.run_sync(_storage, home)]
    checks += [
        await _program("git", own, cwd, is_needed=True, fix="install git"),
        await _program(
            "rg", searched, cwd, is_needed=False, fix="install ripgrep for faster search"
        ),
        await anyio.to_thread.run_sync(_database, home),
        _terminal(terminal, environment),
    ]
    ollama = await _ollama(environment)
    settings = await anyio.to_thread.run_sync(_settings, environment, cwd, ollama.verdict)
    cage = await anyio.to_thread.run_sync(_cage, environment, cwd, home)
    return [*checks, *cage, await _browser(own, cwd), *settings, ollama]


def has_failed(checks: list[Check]) -> bool:
    """Whether something a run needs is missing."""
    return any(check.verdict == "failed" for check in checks)


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Check(name="python", verdict="ok", said=f"{version} at {sys.executable}")


def _storage(home: Path) -> list[Check]:
    return [*_home(home), _space(home)]


def _home(home: Path) -> list[Check]:
    import tempfile

    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        fix = "make it a folder you may write, or set OUROBOROS_HOME to another"
        said = f"{home} cannot be written: {error.strerror}"
        return [Check(name="home", verdict="failed", said=said, fix=fix)]
    checks = [Check(name="home", verdict="ok", said=str(home))]
    open_to_others = [
        path
        for path in (home, *(home / name for name in _PRIVATE))
        if path.exists() and path.stat().st_mode & 0o077
    ]
    for path in open_to_others:
        mode = "700" if path.is_dir() else "600"
        said = f"{path} can be read by other users"
        checks.append(
            Check(name="file modes", verdict="warning", said=said, fix=f"chmod {mode} {path}")
        )
    return checks


def _space(home: Path) -> Check:
    import shutil

    place = next(folder for folder in (home, *home.parents) if folder.is_dir())
    free = shutil.disk_usage(place).free
    said = f"{free // 1_048_576} MiB free at {place}"
    if free < LEAST_BYTES:
        return Check(name="disk", verdict="failed", said=said, fix="free some space there")
    return Check(name="disk", verdict="ok", said=said)


async def _program(
    name: str, environment: Mapping[str, str], cwd: Path, *, is_needed: bool, fix: str
) -> Check:
    import shutil

    from ouroboros.safety.spawn import run

    lacking: Verdict = "failed" if is_needed else "warning"
    path = shutil.which(name, path=environment.get("PATH", ""))
    if path is None:
        return Check(name=name, verdict=lacking, said="not found on PATH", fix=fix)
    command = [path, "--version"]
    try:
        ended = await run(
            command, cwd=cwd, environment=environment, timeout_seconds=_PATIENCE_SECONDS
        )
    except OSError as error:
        said = f"{path} does not start: {error.strerror}"
        return Check(name=name, verdict=lacking, said=said, fix=fix)
    if ended.exit_code != 0:
        said = f"{path} --version ended with {ended.exit_code}"
        return Check(name=name, verdict=lacking, said=said, fix=fix)
    version = ended.stdout.decode(errors="replace").partition("\n")[0]
    return Check(name=name, verdict="ok", said=f"{version} at {path}")


async def _browser(environment: Mapping[str, str], cwd: Path) -> Check:
    """Only looks; `ouro browser doctor` also starts one."""
    from ouroboros.app.browsing.doctor import program
    from ouroboros.app.settings import Settings

    try:
        loaded = await anyio.to_thread.run_sync(lambda: config.load(cwd, environment, {}))
        settings = loaded.settings
    except OuroborosError:
        settings = Settings()  # what is wrong with them is another check's matter
    return await program(settings.browser, environment)


def _cage(environment: Mapping[str, str], cwd: Path, home: Path) -> list[Check]:
    from ouroboros.app.permission import sandboxing
    from ouroboros.app.settings import Settings

    try:
        settings = config.load(cwd, environment, {}).settings
    except OuroborosError:
        settings = Settings()  # what is wrong with them is another check's matter
    return sandboxing.examine(settings, cwd, home, environment)


def _database(home: Path) -> Check:
    try:
        found = health.examine(home)
    except OuroborosError as error:
        return Check(name="database", verdict="failed", said=error.message, fix=error.hint)
    if found.wrong:
        fix = f"move {home / 'ouroboros.db'} away; exports and blobs are not touched"
        return Check(name="database", verdict="failed", said=found.wrong, fix=fix)
    if not found.is_whole:
        said = f"nothing wrong in what could be looked at in {health.LOOKING_SECONDS:.0f} seconds"
        return Check(name="database", verdict="ok", said=said)
    if found.missing:
        return _incomplete(found.missing, home)
    exists = (home / "ouroboros.db").exists()
    return Check(name="database", verdict="ok", said="sound" if exists else "none yet")


def _incomplete(missing: Mapping[str, int], home: Path) -> Check:
    some = ", ".join(f"{count} of {name}" for name, count in list(missing.items())[:3])
    more = f" and of {len(missing) - 3} more sessions" if len(missing) > 3 else ""
    return Check(
        name="database",
        verdict="warning",
        said=f"events are gone that were kept: {some}{more}",
        fix="bring ouroboros.db and ouroboros.db-wal back from your own backup, or resume the session "
        f"to go on with what is left; a session's file in {home / 'locks'} can be removed",
    )


def _terminal(terminal: Terminal, environment: Mapping[str, str]) -> Check:
    kind = environment.get("TERM", "")
    if not terminal.is_terminal:
        return Check(name="terminal", verdict="ok", said="output is not a terminal: plain text")
    said = f"{kind or 'unnamed'}, {terminal.columns} columns, {terminal.encoding}"
    if terminal.encoding.lower().replace("-", "") != "utf8":
        fix = "set LANG to a UTF-8 locale, such as C.UTF-8"
        return Check(name="terminal", verdict="warning", said=said, fix=fix)
    if kind in {"", "dumb"}:
        fix = "set TERM to what the terminal is, for colour and live output"
        return Check(name="terminal", verdict="warning", said=said, fix=fix)
    return Check(name="terminal", verdict="ok", said=said)


def _settings(environment: Mapping[str, str], cwd: Path, ollama: Verdict) -> list[Check]:
    try:
        loaded = config.load(cwd, environment, {})
        checks = [
            Check(name="settings", verdict="warning", said=line, fix="correct or trust it")
            for line in loaded.warnings
        ] or [Check(name="settings", verdict="ok", said="all layers can be read")]
        found = provider_list.key_states(loaded, environment)
        own = [row for row in provider_list.listed(loaded, environment) if row.is_own]
        checks += _plain(loaded)
    except OuroborosError as error:
        fix = error.hint or "correct the line"
        return [Check(name="settings", verdict="failed", said=error.message, fix=fix)]
    ready = [f"{name} ({source})" for name, source in found.items() if source]
    if ready:
        return [*checks, Check(name="keys", verdict="ok", said=", ".join(ready))]
    if ollama == "ok" or loaded.settings.base_url:
        return [
            *checks,
            Check(name="keys", verdict="ok", said="none, and a local model needs none"),
        ]
    if keyless := [row.name for row in own if row.is_ready]:
        said = f"none, and none is needed for {', '.join(keyless)}"
        return [*checks, Check(name="keys", verdict="ok", said=said)]
    some = ", ".join(list(found)[:6])
    fix = (
        f"set one of {some}, or keep one with `ouro providers login NAME`, or start Ollama; "
        "`./ouro demo` needs neither"
    )
    return [*checks, Check(name="keys", verdict="failed", said="no key of any provider", fix=fix)]


def _plain(loaded: config.Loaded) -> list[Check]:
    """Files of plain text, unless the person wants them so."""
    if loaded.settings.secrets.store == "plain":
        return []
    return [
        Check(
            name="secrets",
            verdict="warning",
            said=f"{path} holds secrets as plain text",
            fix="log in again to seal them: ouro providers login NAME",
        )
        for path in logins.plain_files(loaded.home)
    ]


async def _ollama(environment: Mapping[str, str]) -> Check:
    """Asks the port Ollama listens on; that nobody is there is no failure."""
    host, number = _ollama_address(environment.get("OLLAMA_HOST", ""))
    try:
        with anyio.fail_after(_PATIENCE_SECONDS):
            async with await anyio.connect_tcp(host, number) as stream:
                request = f"GET /api/version HTTP/1.0\r\nHost: {host}\r\n\r\n"
                await stream.send(request.encode())
                answer = await stream.receive(256)
    except (OSError, UnicodeError, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError):
        fix = "start it with `ollama serve`, if you want local models"
        said = f"nobody answers at {host}:{number}"
        return Check(name="ollama", verdict="warning", said=said, fix=fix)
    if b" 200" in answer.partition(b"\r\n")[0]:
        return Check(name="ollama", verdict="ok", said=f"answers at {host}:{number}")
    said = f"what answers at {host}:{number} is not Ollama"
    return Check(name="ollama", verdict="warning", said=said, fix="set OLLAMA_HOST")


def _ollama_address(given: str) -> tuple[str, int]:
    """Where Ollama listens; its own spelling for every interface means this machine."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    return ("127.0.0.1" if set(host) <= set("0.") else host), port or _OLLAMA_PORT
