"""A browser of ours from its first need to its end: profiles, losses, recovery, and no orphans."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import anyio.abc
import anyio.to_thread
import msgspec
import pytest

from ouroboros.browser import profiles
from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, BrowserGone, BrowserMissing, TabCrashed
from ouroboros.browser.session import BrowserSession, Plan
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.waits import wait_for_load
from ouroboros.core.events.envelope import Event
from tests.browser.chromium import Chromium
from tests.browser.site import Site
from tests.browser.test_tabs import met

ROOT = Path(__file__).parents[2]


def session(
    home: Path, plan: Plan | None = None, publish: Callable[[Event], None] | None = None
) -> BrowserSession:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return BrowserSession(plan or Plan(), environment=environment, home=home, publish=publish)


def running_on(home: Path) -> list[int]:
    """Processes whose command line names a profile below ``home``."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text().rpartition(") ")[2][:1]
        except OSError:
            continue
        if str(home).encode() in words and b"chrom" in words and state != "Z":
            found.append(int(entry.name))
    return found


async def gone(home: Path) -> bool:
    for _ in range(600):
        if not await anyio.to_thread.run_sync(running_on, home):
            return True
        await anyio.sleep(0.05)
    return False


async def test_nothing_starts_before_the_first_need(tmp_path: Path) -> None:
    async with session(tmp_path) as browser:
        status = browser.status()
    assert (status.state, status.pid, status.tabs) == ("off", 0, ())
    assert not (tmp_path / "browser").exists()


@pytest.mark.deep
async def test_a_browser_runs_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    events: list[Event] = []
    plan = Plan(profile="")
    async with session(tmp_path, plan, events.append) as browser:
        tabs = await browser.tabs()
        assert await browser.tabs() is tabs
        status = browser.status()
        assert status.state == "running"
        assert status.version.partition("/")[0].endswith("Chrome")
        assert status.sandboxed == (os.geteuid() != 0)
        assert status.pid in running_on(tmp_path)
        assert [facts.url for facts in status.tabs] == ["about:blank"]
    assert await gone(tmp_path)
    assert await anyio.to_thread.run_sync(os.listdir, tmp_path / "browser" / "temporary") == []
    assert [type(event).type for event in events[:2]] == ["browser.started", "tab.updated"]


@pytest.mark.proves("browser-no-orphans")
@pytest.mark.deep
async def test_an_error_and_a_cancel_leave_nothing_either(tmp_path: Path) -> None:
    async def fail() -> None:
        async with session(tmp_path) as browser:
            await browser.tabs()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await gone(tmp_path)
    with anyio.CancelScope() as scope:
        async with session(tmp_path) as browser:
            await browser.tabs()
            scope.cancel()
            await anyio.sleep_forever()
    assert await gone(tmp_path)


@pytest.mark.proves("C11")
@pytest.mark.deep
async def test_logins_stay_with_the_profile(tmp_path: Path, site: Site) -> None:
    url = site.put("x", "<p>x")
    async with session(tmp_path, Plan(profile="work")) as browser:
        tabs = await browser.tabs()
        tab = tabs.tab(await tabs.open(url))
        await tab.evaluate("document.cookie = 'who=me; max-age=9999'; localStorage.a = 'kept'")
        await browser.stop()
        assert browser.status().state == "off"
        tabs = await browser.tabs()
        tab = tabs.tab(await tabs.open(url))
        found = await tab.evaluate("[document.cookie, localStorage.a]")
        assert msgspec.json.decode(found) == ["who=me", "kept"]
        (listed,) = await anyio.to_thread.run_sync(profiles.listed, tmp_path)
        assert (listed.name, listed.owner) == ("work", os.getpid())
        with pytest.raises(BrowserFailed, match=f"'work' is used by process {os.getpid()}"):
            async with session(tmp_path, Plan(profile="work")) as other:
                await other.tabs()
        with pytest.raises(BrowserFailed, match="is used by process"):
            await anyio.to_thread.run_sync(profiles.remove, tmp_path, "work")
    await anyio.to_thread.run_sync(profiles.remove, tmp_path, "work")
    assert await anyio.to_thread.run_sync(profiles.listed, tmp_path) == []


@pytest.mark.deep
@pytest.mark.proves("C10")
async def test_a_killed_browser_is_noticed_and_recovered_with_its_tabs(
    tmp_path: Path, site: Site
) -> None:
    events: list[Event] = []
    one, two = site.put("one", "<title>1</title>"), site.put("two", "<title>2</title>")
    async with session(tmp_path, publish=events.append) as browser:
        tabs = await browser.tabs()
        first, second = await tabs.open(one), await tabs.open(two)
        await tabs.activate(first)
        asked = site.paths().count("/two")
        pid = browser.status().pid

        async def kill() -> None:
            await met(lambda: "/begun" in site.paths())
            os.kill(pid, signal.SIGKILL)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill)
            with pytest.raises(BrowserGone, match="whether it took effect is unknown"):
                await tabs.tab(second).evaluate(
                    "window.n = 1; fetch('/begun').catch(() => 0); new Promise(() => {})"
                )
        await met(lambda: browser.status().state == "exited")
        with pytest.raises(BrowserGone, match="the browser is gone") as lost:
            await browser.tabs()
        assert "recover" in lost.value.hint
        assert [facts.id for facts in browser.status().tabs] == ["tab_0", first, second]
        recovery = await browser.recover()
        assert recovery.was == "exited"
        assert recovery.restored == ("tab_0", first, second)
        assert "session storage" in recovery.lost
        tabs = await browser.tabs()
        assert {facts.id: facts.url for facts in tabs.all()} == {
            "tab_0": "about:blank",
            first: one,
            second: two,
        }
        assert tabs.active == first
        # The action under way was not repeated: the page was loaded once more and no code ran.
        assert site.paths().count("/two") == asked + 1
        assert await tabs.tab(second).evaluate("window.n ?? 'none'") == b'"none"'
        assert await tabs.open() == "tab_3"
        assert browser.status().pid != pid
    assert "browser.lost" in {type(event).type for event in events}
    assert await gone(tmp_path)


@pytest.mark.proves("C10")
@pytest.mark.deep
async def test_a_crashed_tab_is_told_apart_and_the_others_live(tmp_path: Path, site: Site) -> None:
    async with session(tmp_path) as browser:
        tabs = await browser.tabs()
        id = await tabs.open(site.put("one", "<title>1</title>"))
        other = await tabs.open(site.put("two", "<title>2</title>"))
        await wait_for_load(tabs.tab(other))
        tab = tabs.tab(id)
        await wait_for_load(tab)
        async with anyio.create_task_group() as tasks:

            async def crash() -> None:
                await anyio.sleep(0.1)
                tabs.connection.post("Page.crash", session=tab.session)

            tasks.start_soon(crash)
            with pytest.raises(TabCrashed, match=f"{id}: the page's process died"):
                await tab.evaluate("new Promise(() => {})")
        assert (tab.status, browser.status().state) == ("crashed", "running")
        with pytest.raises(TabCrashed):
            await tab.evaluate("1")
        recovery = await browser.recover()
        assert (recovery.was, recovery.restored[:1]) == ("running", (id,))
        await wait_for_load(tabs.tab(id))
        assert await tabs.tab(id).evaluate("document.title") == b'"1"'
        assert await tabs.tab(other).evaluate("document.title") == b'"2"'


@pytest.mark.deep
async def test_extensions_begin_before_the_first_tab_of_every_start(tmp_path: Path) -> None:
    seen: list[tuple[bool, int]] = []

    class Watcher:
        async def begin(self, connection: Connection, tabs: Tabs) -> None:
            await connection.call("Browser.getVersion")
            seen.append((connection.lost.is_set(), len(tabs.all())))

    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    async with BrowserSession(
        Plan(), environment=environment, home=tmp_path, extensions=(Watcher(),)
    ) as browser:
        await browser.tabs()
        os.kill(browser.status().pid, signal.SIGKILL)
        await met(lambda: browser.status().state == "exited")
        await browser.recover()
    assert seen == [(False, 0), (False, 0)]


@pytest.mark.proves("browser-start")
@pytest.mark.parametrize(
    ("script", "seconds", "words"),
    [
        ("echo 'cannot open display' >&2; exit 3", 60, r"\(exit code 3\): cannot open display"),
        ("exec cat >/dev/null", 0.5, r"\(exit code"),
        ("printf 'no protocol\\0' ; echo bad >&2; exit 1", 60, r"\(exit code 1\): no protocolbad"),
    ],
)
async def test_a_start_that_fails_is_told_with_the_browsers_last_words(
    script: str, seconds: float, words: str, tmp_path: Path
) -> None:
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    async with session(tmp_path, Plan(program=str(program), start_seconds=seconds)) as browser:
        with pytest.raises(BrowserFailed, match=words):
            await browser.tabs()
        assert browser.status().state == "off"


@pytest.mark.proves("browser-start")
async def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    async with session(tmp_path, Plan(program="no-such-browser")) as browser:
        with pytest.raises(BrowserMissing, match="no-such-browser is not a program"):
            await browser.tabs()
    async with session(tmp_path, Plan(headless=False)) as browser:
        with pytest.raises(BrowserFailed, match="there is no display"):
            await browser.tabs()
    async with session(tmp_path, Plan(profile="../up")) as browser:
        with pytest.raises(BrowserFailed, match="is no name for a profile"):
            await browser.tabs()
    (tmp_path / "file").write_text("")
    async with session(tmp_path / "file") as browser:
        with pytest.raises(BrowserFailed, match="cannot be used"):
            await browser.tabs()


OWNER = """
import anyio, os, sys
from pathlib import Path
from ouroboros.browser.session import BrowserSession, Plan
from ouroboros.safety.guard import Guard

async def main():
    home = Path(sys.argv[1])
    guard = Guard()
    if sys.argv[2] == "guarded":
        guard.begin()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": sys.argv[3]}
    plan = Plan(profile=sys.argv[4])
    async with BrowserSession(plan, environment=environment, home=home, guard=guard) as browser:
        await browser.tabs()
        print(browser.status().pid, flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


async def owner(
    home: Path, how: str, temporary: str = "", profile: str = "default"
) -> anyio.abc.Process:
    return await anyio.open_process(
        [sys.executable, "-c", OWNER, str(home), how, temporary, profile],
        stderr=None,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


async def pid_of(process: anyio.abc.Process) -> int:
    assert process.stdout is not None
    return int(await process.stdout.receive())


@pytest.mark.deep
@pytest.mark.proves("browser-no-orphans")
@pytest.mark.parametrize(
    "frozen", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["", "frozen"]
)
async def test_no_browser_outlives_us_when_we_are_killed(frozen: bool, tmp_path: Path) -> None:
    """The end of the pipe ends a browser; one that stands still is ended by the guard."""
    async with await owner(tmp_path, "guarded") as process:
        browser = await pid_of(process)
        if frozen:
            os.kill(browser, signal.SIGSTOP)
        process.kill()
    assert await gone(tmp_path)


def inside(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.mark.proves("browser-kills")
@pytest.mark.deep
async def test_files_of_killed_owners_go_with_the_next_start_and_no_living_ones(
    tmp_path: Path,
) -> None:
    with TemporaryDirectory(prefix="o") as short:
        temporary, profiles_left = Path(short), tmp_path / "browser" / "temporary"
        async with (
            await owner(tmp_path / "else", "guarded", short) as living,
            await owner(tmp_path, "guarded", short, "") as killed,
        ):
            try:
                theirs = await pid_of(living)
                await pid_of(killed)
                assert len(inside(temporary)) == 2
                killed.kill()
                await killed.wait()
                assert await gone(profiles_left)
                assert len(inside(temporary)) == 2
                assert inside(profiles_left)
                environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": short}
                async with BrowserSession(
                    Plan(), environment=environment, home=tmp_path
                ) as browser:
                    await browser.tabs()
                    assert len(inside(temporary)) == 2
                    assert not inside(profiles_left)
                (left,) = inside(temporary)
                assert any(path.name.startswith("org.chromium") for path in inside(left))
                assert theirs in await anyio.to_thread.run_sync(running_on, tmp_path / "else")
            finally:
                for process in (living, killed):
                    with contextlib.suppress(ProcessLookupError):
                        process.send_signal(signal.SIGINT)
        assert not inside(temporary)


@pytest.mark.proves("browser-no-orphans")
@pytest.mark.deep
async def test_what_a_dead_owner_left_is_taken_over(tmp_path: Path) -> None:
    """Without the guard a frozen browser stays; the next owner of the profile ends it, and no other."""
    async with await owner(tmp_path, "unguarded") as process:
        left = await pid_of(process)
        os.kill(left, signal.SIGSTOP)
        process.kill()
    assert left in running_on(tmp_path)
    async with session(tmp_path) as browser:
        tabs = await browser.tabs()
        assert await tabs.tab().evaluate("1 + 1") == b"2"
        assert left not in running_on(tmp_path)
    assert await gone(tmp_path)


@pytest.mark.proves("browser-no-orphans")
@pytest.mark.deep
async def test_ctrl_c_ends_the_browser(tmp_path: Path) -> None:
    async with await owner(tmp_path, "guarded") as process:
        await pid_of(process)
        process.send_signal(signal.SIGINT)
        with anyio.fail_after(60):
            await process.wait()
    assert await gone(tmp_path)


@pytest.mark.proves("browser-no-orphans")
@pytest.mark.deep
async def test_a_frozen_browser_is_ended_with_the_session(tmp_path: Path) -> None:
    async with session(tmp_path) as browser:
        await browser.tabs()
        os.kill(browser.status().pid, signal.SIGSTOP)
    assert await gone(tmp_path)


@pytest.mark.deep
@pytest.mark.proves("C11")
async def test_the_persons_browser_is_attached_to_and_left_as_it_was(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    port = chromium.url.split(":")[2].partition("/")[0]
    for wanted in (port, chromium.url, f"http://127.0.0.1:{port}"):
        async with session(tmp_path, Plan(mode="attach", url=wanted)) as browser:
            tabs = await browser.tabs()
            theirs = {facts.id: facts.url for facts in tabs.all()}
            assert theirs
            id = await tabs.open(site.put("mine", "<title>mine</title>"))
            await wait_for_load(tabs.tab(id))
            assert await tabs.tab(id).evaluate("document.title") == b'"mine"'
            status = browser.status()
            assert (status.place, status.pid) == (f"ws://127.0.0.1:{port}", 0)
            await tabs.close(id)
            assert {facts.id: facts.url for facts in tabs.all()} == theirs
        assert chromium.is_running


@pytest.mark.proves("C10")
@pytest.mark.deep
async def test_a_lost_socket_is_had_back_with_the_same_tabs(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    """A relay stands between us and the browser, so that the socket can break and the browser not."""
    url = site.put("one", "<title>1</title>")
    port = int(chromium.url.split(":")[2].partition("/")[0])
    path = chromium.url.partition(str(port))[2]
    async with Relay(port) as relay:
        plan = Plan(mode="remote", url=f"ws://127.0.0.1:{relay.port}{path}")
        async with session(tmp_path, plan) as browser:
            tabs = await browser.tabs()
            id = await tabs.open(url)
            tab = tabs.tab(id)
            await wait_for_load(tab)
            await tab.evaluate("window.kept = 'state'")
            asked = site.paths().count("/one")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(relay.cut)
                with pytest.raises(BrowserGone, match="whether it took effect is unknown"):
                    await tab.evaluate("new Promise(() => {})")
            await met(lambda: browser.status().state == "socket-lost")
            tabs = await browser.tabs()  # waits until it is there again
            assert await tabs.tab(id).evaluate("window.kept") == b'"state"'
            assert site.paths().count("/one") == asked
            await tabs.close(id)


async def lost_to(relay: "Relay", browser: BrowserSession) -> None:
    """The socket breaks, and whoever wants it back is connected and hears nothing."""
    await browser.tabs()
    relay.is_deaf = True
    await relay.cut()
    await met(lambda: browser.status().state == "socket-lost")
    await met(lambda: relay.unheard > 0)


@pytest.mark.deep
async def test_one_who_still_waits_for_a_lost_socket_can_be_stopped(
    chromium: Chromium, tmp_path: Path
) -> None:
    port = int(chromium.url.split(":")[2].partition("/")[0])
    path = chromium.url.partition(str(port))[2]
    events: list[Event] = []
    async with Relay(port) as relay:
        plan = Plan(mode="remote", url=f"ws://127.0.0.1:{relay.port}{path}")
        async with session(tmp_path, plan, events.append) as browser:
            await lost_to(relay, browser)
            with anyio.fail_after(60):
                await browser.stop()
            assert browser.status().state == "off"
            await met(lambda: relay.unheard == 0)  # the attempt ended with it
            relay.is_deaf = False
            assert await (await browser.tabs()).tab().evaluate("1 + 1") == b"2"
    assert [type(event).type for event in events].count("browser.started") == 2


@pytest.mark.soak  # it waits until all deadlines of the product have passed
async def test_a_recovery_of_a_socket_that_stays_lost_leaves_one_keeper(
    chromium: Chromium, tmp_path: Path
) -> None:
    port = int(chromium.url.split(":")[2].partition("/")[0])
    path = chromium.url.partition(str(port))[2]
    events: list[Event] = []
    async with Relay(port) as relay:
        plan = Plan(mode="remote", url=f"ws://127.0.0.1:{relay.port}{path}", start_seconds=8)
        async with session(tmp_path, plan, events.append) as browser:
            await lost_to(relay, browser)
            with anyio.move_on_after(22):  # by then it has given up waiting, and connects anew
                await browser.recover()
            await met(lambda: relay.unheard == 0)
            assert browser.status().state == "off"
            relay.is_deaf = False
            assert await (await browser.tabs()).tab().evaluate("1 + 1") == b"2"
            await anyio.sleep(1)
    assert [type(event).type for event in events].count("browser.started") == 2


class Relay:
    """Passes bytes between a port of its own and another, until it is cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.is_deaf = False
        self.unheard = 0
        self._streams: list[anyio.abc.SocketStream] = []

    async def __aenter__(self) -> "Relay":
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port = self._listener.extra(anyio.abc.SocketAttribute.local_port)
        self._tasks = await anyio.create_task_group().__aenter__()
        self._tasks.start_soon(self._listener.serve, self._serve)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        await self._listener.aclose()

    async def cut(self) -> None:
        await anyio.sleep(0.1)
        for stream in self._streams:
            await stream.aclose()
        self._streams.clear()

    async def _serve(self, near: anyio.abc.SocketStream) -> None:
        if self.is_deaf:
            self.unheard += 1
            async with near:
                await _heard_out(near)
            self.unheard -= 1
            return
        async with near, await anyio.connect_tcp("127.0.0.1", self._target) as far:
            self._streams += [near, far]
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_pass, near, far)
                tasks.start_soon(_pass, far, near)


async def _heard_out(stream: anyio.abc.SocketStream) -> None:
    with contextlib.suppress(anyio.BrokenResourceError):
        async for _ in stream:
            pass


async def _pass(one: anyio.abc.SocketStream, other: anyio.abc.SocketStream) -> None:
    try:
        async for piece in one:
            await other.send(piece)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return
    finally:
        await other.aclose()
