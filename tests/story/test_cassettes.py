"""A run is recorded, its server goes away, and the recording plays the same run again."""

import json
import signal
import stat
import sys
from functools import partial
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.cassettes import Play, Record
from ouroboros.app.ouroboros import Ouroboros, Outcome
from ouroboros.app.settings import Provider, Settings
from ouroboros.core.commands import Interrupt
from ouroboros.core.errors import Misuse, StoreFailed
from ouroboros.core.events import (
    Envelope,
    ErrorRaised,
    ModelDelta,
    ModelRetried,
    ModelSwitched,
    ToolResulted,
)
from ouroboros.llm.cassettes.cassette import Cassette, parse
from ouroboros.llm.cassettes.tap import Setup
from ouroboros.llm.protocols.registry import NAMES
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving
from tests.cases import every
from tests.story.stage import call
from tests.story.test_cli_run import ouro
from tests.unit.llm.proxy_parts import proxying

SECRET = "correct-horse-battery-staple"
SHAPED = "sk-live-" + "a1B2" * 8
TURNS = [
    Turn(
        reasoning="I look first.", text="Let me see.", chunk=3, tool_calls=(call("ls", path="."),)
    ),
    Turn(text="There is one file.", chunk=4),
]
GONE = "http://127.0.0.1:1"
"""Nothing listens there, so whoever asked the network would notice."""

FORMATS = [
    name if name == "openai-responses" else pytest.param(name, marks=pytest.mark.deep)
    for name in NAMES
]
OURS = {"id", "session", "ts"}


def settings(url: str, protocol: str = "openai-chat", **more: Any) -> Settings:
    own = {"vendor": {"base_url": url, "protocol": protocol, "key_env": "VENDOR_API_KEY"}}
    network = {"request_retries": 1, "stream_retries": 0}
    words = {"mode": "full-auto", "model": "vendor/m", "providers": own, "network": network}
    return msgspec.convert({**words, **more}, Settings)


class Run:
    """One session on a tap, and what it showed."""

    def __init__(self, tmp_path: Path, tap: Record | Play, *, keys: bool = True) -> None:
        self.tap, self.home, self.cwd = tap, tmp_path / "home", tmp_path / "work"
        self.cwd.mkdir(exist_ok=True)
        (self.cwd / "file.txt").touch()
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        if keys:
            self.environment |= {"VENDOR_API_KEY": SECRET}
        self.shown: list[Envelope] = []

    async def __call__(self, chosen: Settings, *tasks: str) -> Outcome:
        engine = Ouroboros(chosen, home=self.home, environment=self.environment, tap=self.tap)
        async with engine.open(cwd=self.cwd) as session:
            session.listen(self.shown.append)
            outcome = [await session.run(task) for task in tasks]
        return outcome[-1]

    def all[E](self, kind: type[E]) -> list[E]:
        return [envelope.data for envelope in self.shown if isinstance(envelope.data, kind)]

    @property
    def story(self) -> list[Any]:
        """Everything shown, but for names and times."""
        lines = [msgspec.json.encode(envelope) for envelope in self.shown]
        return [json.loads(line, object_hook=strip) for line in lines]


async def recorder(tmp_path: Path, file: Path) -> Run:
    tap = await to_thread.run_sync(Record, file, {"VENDOR_API_KEY": SECRET})
    return Run(tmp_path, tap)


async def player(tmp_path: Path, file: Path, *, strict: bool = False) -> Run:
    tap = await to_thread.run_sync(partial(Play, file, {}, strict=strict))
    return Run(tmp_path, tap, keys=False)


async def recorded(tmp_path: Path, turns: list[Turn], protocol: str = "openai-chat") -> Path:
    file = tmp_path / "tape.json"
    run = await recorder(tmp_path, file)
    async with serving(turns) as server:
        await run(settings(server.url, protocol), "Look around")
    return file


async def load(file: Path) -> Cassette:
    return parse(await anyio.Path(file).read_bytes(), "tape")


async def text_of(file: Path) -> str:
    return await anyio.Path(file).read_text()


@pytest.mark.proves("X04")
@pytest.mark.parametrize("protocol", FORMATS)
async def test_a_recording_plays_without_server_and_key(tmp_path: Path, protocol: str) -> None:
    file = await recorded(tmp_path, TURNS, protocol)
    stories: list[list[Any]] = []
    for _ in range(2):
        run = await player(tmp_path, file)
        outcome = await run(settings(GONE, protocol), "Look around")
        assert (outcome.reason, outcome.final) == ("completed", "There is one file.")
        [result] = run.all(ToolResulted)
        assert "file.txt" in str(result.parts)
        assert len([e for e in run.all(ModelDelta) if e.kind == "text" and e.text]) > 5
        stories.append(run.story)
    assert stories[0] == stories[1]


@pytest.mark.proves("X04")
async def test_a_recording_is_one_private_file_in_the_promised_form(tmp_path: Path) -> None:
    file = await recorded(tmp_path, TURNS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told = json.loads(await text_of(file))
    assert list(told) == ["version", "setup", "exchanges"]
    assert told["version"] == 1
    assert told["setup"] == {"model": "vendor/m"}
    first, second = told["exchanges"]
    assert (first["method"], first["status"]) == ("POST", 200)
    assert first["url"].endswith("/v1/chat/completions")
    assert json.loads(second["request"])["messages"][-1]["role"] == "tool"
    assert first["answer"].startswith("data: ")
    assert "Let" in first["answer"]


@pytest.mark.proves("X04")
async def test_no_header_of_ours_or_theirs_that_could_hold_a_key_is_kept(tmp_path: Path) -> None:
    file = await recorded(tmp_path, TURNS)
    text = await text_of(file)
    assert SECRET not in text
    assert "authorization" not in text.lower()
    kept = {
        name
        for each in (await load(file)).exchanges
        for name in (*each.headers, *each.answer_headers)
    }
    assert kept <= {"accept", "content-type"}


@pytest.mark.deep
@pytest.mark.proves("X04")
@pytest.mark.parametrize("protocol", FORMATS)
async def test_a_secret_that_a_tool_prints_is_not_in_the_recording(
    tmp_path: Path, protocol: str
) -> None:
    leak = f"printf 'A=%s\\nB={SHAPED}\\n' {SECRET}; cat keys.env"
    turns = [Turn(tool_calls=(call("shell", command=leak),)), Turn(text=f"It is {SHAPED}.")]
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "keys.env").write_text(f"AWS=AKIAQ3EGRNJ5VZ7TUVKW\nKEY={SHAPED}\n")
    file = await recorded(tmp_path, turns, protocol)
    text = await text_of(file)
    assert len((await load(file)).exchanges) == 2
    for hidden in (SECRET, SHAPED, "AKIAQ3EGRNJ5VZ7TUVKW"):
        assert hidden not in text
        assert msgspec.json.encode(hidden).decode()[1:-1] not in text


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_a_secret_in_an_answer_of_bytes_withholds_the_answer(tmp_path: Path) -> None:
    file = await recorded(tmp_path, [Turn(text=f"It is {SHAPED}.")], "bedrock-converse")
    [exchange] = (await load(file)).exchanges
    assert (exchange.withheld, exchange.answer) == (True, "")
    run = await player(tmp_path, file)
    assert (await run(settings(GONE, "bedrock-converse"), "Hi")).reason == "failed"
    assert "because a secret was in it" in run.all(ErrorRaised)[0].message


@pytest.mark.proves("X04")
@pytest.mark.parametrize("protocol", FORMATS)
async def test_a_secret_cut_over_many_pieces_withholds_the_answer(
    tmp_path: Path, protocol: str
) -> None:
    turns = [Turn(text=f"The key is {SHAPED} and that is it.", chunk=3)]
    file = await recorded(tmp_path, turns, protocol)
    [exchange] = (await load(file)).exchanges
    assert (exchange.withheld, exchange.answer) == (True, "")


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_what_failed_then_fails_again_and_nobody_waits(tmp_path: Path) -> None:
    limited = Turn(fault=Fault(kind="rate_limit", retry_after_seconds=0.3))
    file = await recorded(tmp_path, [limited, Turn(text="Now.")])
    text = (await text_of(file)).replace('"0.3"', '"90"')
    assert '"90"' in text
    await anyio.Path(file).write_text(text)
    run = await player(tmp_path, file)
    with anyio.fail_after(60):
        assert (await run(settings(GONE), "Look around")).final == "Now."
    assert [retried.delay_seconds for retried in run.all(ModelRetried)] == [90]


@pytest.mark.deep
@pytest.mark.proves("X04")
@pytest.mark.parametrize("kind", ["reset", "cut", "end", "auth"])
async def test_a_broken_exchange_breaks_in_the_same_way(tmp_path: Path, kind: str) -> None:
    fault = msgspec.convert({"kind": kind, "after": 0 if kind == "auth" else 6, "times": 9}, Fault)
    file = tmp_path / "tape.json"
    live = await recorder(tmp_path, file)
    async with serving([Turn(text="Half a word", chunk=2, fault=fault)]) as server:
        assert (await live(settings(server.url), "Go")).reason == "failed"
    again = await player(tmp_path, file)
    assert (await again(settings(GONE), "Go")).reason == "failed"
    kinds = [[(e.kind, e.status) for e in run.all(ErrorRaised)] for run in (live, again)]
    assert kinds[0] == kinds[1]
    texts = ["".join(d.text for d in run.all(ModelDelta)) for run in (live, again)]
    assert texts[0] == texts[1]


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_a_server_that_was_not_there_is_part_of_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "tape.json"
    run = await recorder(tmp_path, file)
    await run(settings(GONE), "Go")
    assert [each.status for each in (await load(file)).exchanges] == [0, 0]
    again = await player(tmp_path, file)
    await again(settings(GONE), "Go")
    [error] = again.all(ErrorRaised)
    assert error.kind == "transport"
    assert "refused" in error.message


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_a_recording_is_of_the_model_and_not_of_kept_replies(tmp_path: Path) -> None:
    async with serving([*TURNS, *TURNS]) as server:
        for name in ("first", "second"):
            run = await recorder(tmp_path, tmp_path / name)
            await run(settings(server.url, cache_replies=True), "Look around")
            assert len((await load(tmp_path / name)).exchanges) == 2


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_a_model_that_took_over_takes_over_again(tmp_path: Path) -> None:
    file = tmp_path / "tape.json"
    live = await recorder(tmp_path, file)
    out = Turn(fault=Fault(kind="auth", times=9))
    async with serving([out]) as server, serving(TURNS) as other:
        own = {"base_url": other.url, "protocol": "anthropic-messages", "auth": "none"}
        chosen = settings(server.url)
        providers = {**chosen.providers, "other": msgspec.convert(own, Provider)}
        chosen = replace(chosen, providers=providers, fallback=("other/m",))
        assert (await live(chosen, "Look around")).final == TURNS[1].text
    assert (await load(file)).setup == Setup(model="vendor/m", fallback=("other/m",))
    again = await player(tmp_path, file)
    assert (await again(chosen, "Look around")).final == TURNS[1].text
    assert [s.kind for s in again.all(ModelSwitched)] == ["auth"]


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_what_was_interrupted_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    file = tmp_path / "tape.json"
    run = await recorder(tmp_path, file)
    slow = Turn(text="word " * 200, chunk=5, pace_seconds=0.02)
    async with serving([slow]) as server:
        engine = Ouroboros(
            settings(server.url), home=run.home, environment=run.environment, tap=run.tap
        )
        async with engine.open(cwd=run.cwd) as session, anyio.create_task_group() as tasks:
            heard = anyio.Event()

            def listen(envelope: Envelope) -> None:
                if isinstance(envelope.data, ModelDelta) and "word" in envelope.data.text:
                    heard.set()

            session.listen(listen)
            tasks.start_soon(session.run, "Go")
            await heard.wait()
            await session.send(Interrupt())
    [exchange] = (await load(file)).exchanges
    assert "word" in exchange.answer
    assert exchange.status == 200


@pytest.mark.deep
async def test_a_recording_over_a_proxy_is_kept_though_the_session_is_cancelled(
    tmp_path: Path,
) -> None:
    file = tmp_path / "tape.json"
    run = await recorder(tmp_path, file)
    async with serving([Turn(text="Done.")]) as server, proxying() as proxy:
        run.environment["HTTP_PROXY"] = proxy.url
        engine = Ouroboros(
            settings(server.url), home=run.home, environment=run.environment, tap=run.tap
        )
        with anyio.CancelScope() as scope:
            async with engine.open(cwd=run.cwd) as session:
                await session.run("Go")
                scope.cancel()
                await anyio.sleep_forever()
        assert len(proxy.lines) == 1
    [exchange] = (await load(file)).exchanges
    assert "Done." in exchange.answer


@pytest.mark.proves("X04")
async def test_a_request_beyond_the_recording_says_so(tmp_path: Path) -> None:
    file = await recorded(tmp_path, TURNS)
    run = await player(tmp_path, file)
    outcome = await run(settings(GONE), "Look around", "And again")
    assert outcome.reason == "failed"
    [error] = run.all(ErrorRaised)
    assert error.kind == "invalid_request"
    assert "holds 2 exchanges and has none left for request 3: POST /v1/chat" in error.message
    assert run.all(ModelRetried) == []


@pytest.mark.proves("X04")
async def test_other_words_play_too_and_are_told(tmp_path: Path) -> None:
    file = await recorded(tmp_path, [Turn(text="Fine.")])
    run = await player(tmp_path, file)
    assert isinstance(run.tap, Play)
    assert (await run(settings(GONE), "Look elsewhere")).final == "Fine."
    assert run.tap.remark.endswith("request 1 was asked otherwise than now")
    same = await player(tmp_path, file)
    assert isinstance(same.tap, Play)
    await same(settings(GONE), "Look around")
    assert same.tap.remark == ""


@pytest.mark.proves("X04")
async def test_a_strict_play_takes_only_the_recorded_words(tmp_path: Path) -> None:
    file = await recorded(tmp_path, [Turn(text="Fine.")])
    same = await player(tmp_path, file, strict=True)
    assert (await same(settings(GONE), "Look around")).final == "Fine."
    other = await player(tmp_path, file, strict=True)
    assert (await other(settings(GONE), "Look elsewhere")).reason == "failed"
    assert "another request 1" in other.all(ErrorRaised)[0].message


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_a_disk_that_is_gone_at_the_end_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "tapes"
    folder.mkdir()
    run = await recorder(tmp_path, folder / "tape.json")
    async with serving(TURNS) as server:
        folder.rmdir()
        folder.touch()
        with pytest.raises(StoreFailed):
            await run(settings(server.url), "Look around")


@every(
    "content",
    ["", "{}", "[]", '{"version":1,"exchanges":[{}]}', '{"version":2}', "\x00", '{"version":"1"}'],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tape.json"
    file.write_text(content)
    with pytest.raises(Misuse, match=r"tape\.json is (no|a) recording"):
        Play(file, {})


@every("place", ["", "no/tape.json"])
def test_where_nothing_can_be_recorded_is_said_at_once(tmp_path: Path, place: str) -> None:
    with pytest.raises(Misuse):
        Record(tmp_path / place, {})
    with pytest.raises(Misuse):
        Play(tmp_path / place, {})


@pytest.mark.deep
@pytest.mark.proves("X04")
async def test_the_program_records_and_plays(tmp_path: Path) -> None:
    words = ("run", "--mode", "full-auto", "--output", "stream-json", "Look around")
    file = tmp_path / "tape.json"
    async with serving(TURNS) as server:
        flags = ("--model", "anthropic/m", "--base-url", server.url, "--record", str(file))
        live = await to_thread.run_sync(
            lambda: ouro(*words, *flags, cwd=tmp_path, ANTHROPIC_API_KEY=SECRET)
        )
    assert live.returncode == 0, live.stderr
    assert (await load(file)).setup == Setup(model="anthropic/m", base_url=f"{server.url}/v1")
    digests: set[str] = set()
    for _ in range(2):
        again = await to_thread.run_sync(lambda: ouro(*words, "--replay", str(file), cwd=tmp_path))
        assert again.returncode == 0, again.stderr
        assert "There is one file." in again.stdout
        lasting = [json.loads(line, object_hook=strip) for line in again.stdout.splitlines()]
        digests.add(sha256(json.dumps(lasting).encode()).hexdigest())
    assert len(digests) == 1


def strip(fields: dict[str, Any]) -> dict[str, Any]:
    """An object without names and times."""
    passing = OURS | {"seconds"}
    return {name: value for name, value in fields.items() if name not in passing}


@pytest.mark.deep
@pytest.mark.proves("X04")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
async def test_a_signal_leaves_the_recording_or_the_one_before(
    tmp_path: Path, sign: signal.Signals
) -> None:
    file = tmp_path / "tape.json"
    file.write_text('{"version": 1}')
    slow = Turn(text="word " * 400, chunk=5, pace_seconds=0.02)
    async with serving([slow]) as server:
        words = [sys.executable, "-m", "ouroboros", "run", "--model", "openai-chat/m", "Go"]
        words += ["--base-url", server.url, "--record", str(file), "--output", "stream-json"]
        with anyio.fail_after(60):
            async with await anyio.open_process(words, cwd=tmp_path, stdin=DEVNULL) as process:
                assert process.stdout is not None
                heard = b""
                while b"word" not in heard:
                    heard += await process.stdout.receive()
                process.send_signal(sign)
                await process.wait()
    text = await text_of(file)
    if sign is signal.SIGKILL:
        assert text == '{"version": 1}'
    else:
        assert "word" in (await load(file)).exchanges[0].answer
    assert [each.name async for each in anyio.Path(tmp_path).iterdir()] == ["tape.json"]


@pytest.mark.deep
@every(
    ("options", "said"),
    [
        (("--record", "a", "--replay", "b"), "--record and --replay contradict each other"),
        (("--strict-replay",), "--strict-replay goes with --replay FILE"),
        (("--record", "notes.txt"), "'notes.txt' is there already and is no recording"),
    ],
)
async def test_what_cannot_be_meant_is_refused(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("what I must not forget")
    words = ("run", "--model", "echo", *options, "Look")
    done = await to_thread.run_sync(lambda: ouro(*words, cwd=tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert await text_of(notes) == "what I must not forget"
