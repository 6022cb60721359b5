"""What holds for every test: no network but loopback, no home but a fresh one, no blocking in the loop."""

import contextlib
import gc
import os
import re
import sys
import threading
import zlib
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from blockbuster import BlockBuster
from hypothesis import HealthCheck, settings

from tests import forked, purity, signals
from tests.leftovers import still_left

if TYPE_CHECKING:
    from tests.browser.chromium import Chromium

settings.register_profile(
    "default",
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", settings.get_profile("default"), max_examples=40)
settings.register_profile(
    "soak", settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile("default")

KEY_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_ACCESS_KEY", "_ACCESS_KEY_ID", "_CREDENTIALS")
CHEAP_CALLS = ("os.stat", "os.getcwd", "os.access", "os.readlink", "os.path.")
TESTS = Path(__file__).parent
LOOPBACK_NAMES = frozenset({"", "localhost", "::1"})

allowed_out: list[str] = []


class NetworkRefused(RuntimeError):
    """A test tried to leave the machine; not an OSError, so that no retry can hide it."""


def is_loopback(host: object) -> bool:
    """Whether a host name or address means this machine."""
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    return host is None or (
        isinstance(host, str) and (host in LOOPBACK_NAMES or host.startswith("127."))
    )


def refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook: refuses connections and look-ups that would leave the machine."""
    if event in {"socket.connect", "socket.sendto"}:
        address = arguments[1]
        if isinstance(address, str | bytes):  # a socket file
            return
        host = address[0]
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
    else:
        return
    if not allowed_out and not is_loopback(host):
        raise NetworkRefused(f"{event} to {host!r}: tests may only reach loopback")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The inner loop: ``./test --pure``."""
    parser.addoption(
        "--pure", action="store_true", help="only tests that start no process and open no port"
    )
    parser.addoption(
        "--deep-part",
        metavar="K/N",
        help="of the deep tests only the K-th of N parts; they are parted by their names",
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Shuts the network for this process, and lets Ctrl-C be heard in the programs it starts."""
    sys.addaudithook(refuse_network)  # which cannot be taken off again
    if config.getoption("--pure"):
        sys.addaudithook(purity.watch)
    signals.heard()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the deep tests of other parts; a test is always in the same part."""
    wanted = str(config.getoption("--deep-part") or "1/1")
    part, parts = map(int, wanted.split("/")) if re.fullmatch(r"\d+/\d+", wanted) else (0, 0)
    if not 1 <= part <= parts:
        raise pytest.UsageError(f"--deep-part: {wanted} is no K/N with K from 1 to N")
    gone = {
        item
        for item in items
        if item.get_closest_marker("deep") is not None
        and zlib.crc32(item.nodeid.encode()) % parts != part - 1
    }
    config.hook.pytest_deselected(items=[item for item in items if item in gone])
    items[:] = [item for item in items if item not in gone]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Reads nothing that the inner loop leaves out."""
    return (config.getoption("--pure") and purity.is_left_out(collection_path)) or None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Reads the tests without looking for garbage, and looks never again at what was read.

    It is half a million objects that stay; to go over them takes longer than most tests.
    """
    _read_from_the_end(session)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _read_from_the_end(session: pytest.Session) -> None:
    """Lets every other worker of a whole run read the tests from the last to the first.

    In a fresh clone two workers then meet in the middle, and each compiles half of them.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if int(worker.removeprefix("gw")) % 2 == 0 or session.config.args != ["tests"]:
        return
    if session.config.getoption("--pure"):
        return
    for path in sorted(TESTS.rglob("test_*.py"), reverse=True):
        # What cannot be read is told of where it is collected.
        with contextlib.suppress(Exception):
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.fixture
def anyio_backend() -> str:
    """The product runs on asyncio alone."""
    return "asyncio"


@pytest.fixture(autouse=True)
def nothing_real(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test of the inner loop that starts a process or opens a port."""
    if not request.config.getoption("--pure") or "real" in request.keywords:
        yield
        return
    purity.seen.clear()
    yield
    assert purity.seen == [], f"mark its module, `pytestmark = {purity.MARK}`"


@pytest.fixture(autouse=True)
def opened_network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets the tests marked ``live`` out, for their own duration."""
    if "live" not in request.keywords:
        yield
        return
    allowed_out.append(request.node.nodeid)
    yield
    allowed_out.pop()


@pytest.fixture(autouse=True)
def fresh_home(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A home that no other test has seen, for this process and the ones it starts; not made yet.

    Nobody's keyring is there either.
    """
    number = f"{abs(hash(request.node.nodeid)):x}"
    home = tmp_path_factory.getbasetemp() / "homes" / number
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("OUROBOROS_HOME", str(home / ".ouroboros"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in list(os.environ):
        is_key = name.endswith(KEY_ENDINGS) and "live" not in request.keywords
        if is_key or name.startswith("XDG_"):
            monkeypatch.delenv(name)
    return home


@pytest.fixture(autouse=True, scope="session")
def nothing_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fails when what these tests started outlives them: a browser, an isolate, a thread of a server."""
    yield
    forked.close()
    if (starting := sys.modules.get("ouroboros.safety.sandbox.starting")) is not None:
        starting.end_launcher()
    assert still_left(tmp_path_factory.getbasetemp()) == {}
    assert [each.name for each in threading.enumerate() if "serve_forever" in each.name] == []


@pytest.fixture(autouse=True, scope="session")
def no_blocking() -> Iterator[None]:
    """Fails a blocking call that our own code makes inside the event loop.

    Calls that only look at a path are let through: they cost less than the hop to a thread.
    """
    import_module("ouroboros.llm.providers")  # reads its table, which a program does at its start
    guard = BlockBuster("ouroboros")
    # An import may block, so it may also wait for a thread that imports the same module.
    guard.functions["threading.Lock.acquire"].can_block_in(
        "<frozen importlib._bootstrap>", "acquire"
    )
    for name, function in guard.functions.items():
        if not name.startswith(CHEAP_CALLS):
            function.activate()
    yield
    guard.deactivate()


@pytest.fixture(scope="session")
def chromium_of_process() -> Iterator[list["Chromium"]]:
    """The one browser of this process, started by the first test that takes it."""
    started: list[Chromium] = []
    yield started
    while started:
        started.pop().close()


@pytest.fixture
def chromium(chromium_of_process: list["Chromium"]) -> "Chromium":
    """A browser that runs; a new one when a test before has killed it."""
    from tests.browser.chromium import Chromium

    if chromium_of_process and not chromium_of_process[-1].is_running:
        chromium_of_process.pop().close()
    if not chromium_of_process:
        chromium_of_process.append(Chromium())
    return chromium_of_process[-1]
