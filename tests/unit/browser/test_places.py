"""Where browsers are, how one is had, and what a person may write after ``--attach``. No browser runs."""

import os
from pathlib import Path

import anyio
import anyio.abc
import pytest

from ouroboros.browser import attach, launch
from ouroboros.browser.channel.socket import shown, socket
from ouroboros.browser.differ import TabChange, changes
from ouroboros.browser.errors import BrowserFailed, BrowserMissing
from ouroboros.browser.tab import TabFacts, TabStatus
from tests.cases import every

pytestmark = pytest.mark.real

ADDRESS = "/devtools/browser/0f6f1a54-4e5a-4a7b-8a2b-000000000000"


def program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.mark.proves("browser-start")
def test_the_first_program_of_the_path_is_taken_chromium_before_the_others(tmp_path: Path) -> None:
    brave = program(tmp_path / "a", "brave-browser")
    assert launch.find(f"{tmp_path}/a") in {str(brave), "/usr/bin/chromium"}
    chrome = program(tmp_path / "a", "google-chrome")
    chromium = program(tmp_path / "b", "chromium")
    assert launch.find(f"{tmp_path}/a:{tmp_path}/b") == str(chromium)
    assert launch.find(f"{tmp_path}/b", str(chrome)) == str(chrome)


@pytest.mark.proves("browser-start")
@pytest.mark.parametrize("named", ["no-such-browser", "/no/such/program"])
def test_a_named_program_that_is_not_there_is_missing(named: str, tmp_path: Path) -> None:
    with pytest.raises(BrowserMissing, match=f"{named} is not a program") as missing:
        launch.find(str(tmp_path), named)
    assert "chromium" in missing.value.hint


@pytest.mark.proves("browser-start")
@every(
    "platform, root, tools, needs, first",
    [
        ("linux", True, ("apt-get",), "nothing", ("apt-get", "update")),
        ("linux", False, ("apt-get", "sudo"), "sudo", ("sudo", "apt-get", "update")),
        ("linux", False, ("apt-get",), "none", ()),
        ("linux", True, (), "none", ()),
        ("darwin", True, ("apt-get",), "none", ()),
    ],
)
def test_the_plan_for_an_install_fits_the_machine(
    platform: str,
    root: bool,
    tools: tuple[str, ...],
    needs: str,
    first: tuple[str, ...],
    tmp_path: Path,
) -> None:
    for tool in tools:
        program(tmp_path, tool)
    plan = launch.install_plan(platform=platform, root=root, path=str(tmp_path))
    assert plan.needs == needs
    assert tuple(Path(word).name for word in (plan.commands[0] if plan.commands else ())) == first
    assert plan.hint
    if plan.commands:
        assert plan.commands[-1][-1] == "chromium"


@pytest.mark.proves("browser-start")
def test_the_sandbox_is_off_for_root_alone() -> None:
    words = launch.command(launch.Launch(profile=Path("/p")), "chromium")
    assert ("--no-sandbox" in words) == (os.geteuid() == 0)
    assert "--remote-debugging-pipe" in words
    assert not any(word.startswith("--remote-debugging-port") for word in words)


@every(
    "text, wanted",
    [
        (f"9222\n{ADDRESS}", f"ws://127.0.0.1:9222{ADDRESS}"),
        (f"9222\n{ADDRESS}\n", f"ws://127.0.0.1:9222{ADDRESS}"),
        ("9222", ""),
        (f"0\n{ADDRESS}", ""),
        (f"99999\n{ADDRESS}", ""),
        (f"٣\n{ADDRESS}", ""),
        ("9222\n@evil.example/devtools/browser/x", ""),
        ("9222\n/devtools/page/x", ""),
        ("", ""),
    ],
)
def test_only_a_browsers_own_words_are_taken_from_its_profile(
    text: str, wanted: str, tmp_path: Path
) -> None:
    (tmp_path / "DevToolsActivePort").write_text(text)
    assert attach.written(tmp_path) == wanted


async def test_the_persons_own_browser_is_found_in_its_profile(tmp_path: Path) -> None:
    with pytest.raises(BrowserFailed, match="no running browser of yours") as failed:
        await attach.address("", tmp_path)
    assert "chrome://inspect" in failed.value.hint
    folder = attach.folders(tmp_path)[0]
    folder.mkdir(parents=True)
    (folder / "DevToolsActivePort").write_text(f"4711\n{ADDRESS}")
    assert await attach.address("", tmp_path) == f"ws://127.0.0.1:4711{ADDRESS}"


@every("wanted", ["ftp://x", "http://", "127.0.0.1:99999", "http://[::1"])
async def test_nonsense_is_no_address(wanted: str, tmp_path: Path) -> None:
    with pytest.raises(BrowserFailed, match="is no address of a browser"):
        await attach.address(wanted, tmp_path)


async def test_a_closed_port_is_told_with_the_way_to_open_it(tmp_path: Path) -> None:
    with pytest.raises(BrowserFailed, match=r"no browser answers at 127.0.0.1:1") as failed:
        await attach.address("1", tmp_path)
    assert "remote-debugging" in failed.value.hint


@pytest.mark.proves("C11")
async def test_a_browser_that_answers_404_is_found_by_its_file(tmp_path: Path) -> None:
    async def refuse(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, refuse)
            with pytest.raises(BrowserFailed, match="answered 404"):
                await attach.address(str(port), tmp_path)
            folder = attach.folders(tmp_path)[1]
            folder.mkdir(parents=True)
            (folder / "DevToolsActivePort").write_text(f"{port}\n{ADDRESS}")
            found = await attach.address(f"http://127.0.0.1:{port}", tmp_path)
            assert found == f"ws://127.0.0.1:{port}{ADDRESS}"
            tasks.cancel_scope.cancel()


@pytest.mark.proves("C11")
async def test_a_browser_that_asks_its_person_is_waited_for_with_an_end() -> None:
    """The handshake stays open while the person is asked; then the words say where to look."""

    async def say_nothing(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await anyio.sleep_forever()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, say_nothing)
            url = f"ws://127.0.0.1:{port}/devtools/browser/SECRET-id?token=SECRET"
            with pytest.raises(BrowserFailed, match=r"did not agree within 0.1 s") as failed:
                async with socket(url, handshake_seconds=0.1):
                    pass
            assert "SECRET" not in failed.value.message
            assert "permission" in failed.value.hint
            tasks.cancel_scope.cancel()


async def test_a_refused_socket_is_told_without_its_credentials() -> None:
    with pytest.raises(BrowserFailed) as failed:
        async with socket("ws://user:SECRET@127.0.0.1:1/SECRET?token=SECRET"):
            pass
    assert "127.0.0.1:1" in failed.value.message
    assert "SECRET" not in failed.value.message


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("wss://me:pw@far.example/path?token=x", "wss://far.example"),
        ("ws://[::1]:9222/devtools/browser/x", "ws://[::1]:9222"),
        ("ws://host:notaport/x", "ws://host"),
    ],
)
def test_an_address_is_told_without_what_may_be_a_secret(url: str, told: str) -> None:
    assert shown(url) == told


@pytest.mark.proves("B09", "C19")
def test_the_differ_tells_what_opened_closed_and_changed() -> None:
    def facts(id: str, url: str = "u", title: str = "", status: TabStatus = "complete") -> TabFacts:
        return TabFacts(id=id, url=url, title=title, status=status)

    before = (facts("tab_0"), facts("tab_1"), facts("tab_2", title="a"))
    after = (facts("tab_1", url="v"), facts("tab_2", title="b", status="crashed"), facts("tab_3"))
    assert changes(before, after) == (
        TabChange(tab="tab_0", field="closed", old="u"),
        TabChange(tab="tab_1", field="url", old="u", new="v"),
        TabChange(tab="tab_2", field="title", old="a", new="b"),
        TabChange(tab="tab_2", field="status", old="complete", new="crashed"),
        TabChange(tab="tab_3", field="opened", new="u"),
    )
    assert changes(after, after) == ()
