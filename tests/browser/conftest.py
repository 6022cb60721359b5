"""What every browser test may take: a shared Chromium, pages on loopback, tabs of its own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from ouroboros.browser.tabs import Tab, Tabs
from tests.browser.chromium import Chromium
from tests.browser.desk import Desk, desk
from tests.browser.site import Site, serving
from tests.browser.stage import Stage, staged


@pytest.fixture(scope="session")
def servers() -> Iterator[Site]:
    """The loopback servers of this process."""
    with serving() as site:
        yield site


@pytest.fixture
def site(servers: Site) -> Iterator[Site]:
    """Pages for one test: ``site.url("forms.html")``, ``site.put("x", "<p>")``, ``site.requests``."""
    servers.forget()
    yield servers
    servers.forget()


@pytest.fixture
def own_site() -> Iterator[Site]:
    """Servers of one test alone: no page of an earlier test can still ask them for something."""
    with serving() as site:
        yield site


@pytest.fixture
async def stage(chromium: Chromium, site: Site) -> AsyncIterator[Stage]:
    """A browser context of this test alone, with its connection and tabs."""
    async with staged(chromium, site) as stage:
        yield stage


@pytest.fixture
def tabs(stage: Stage) -> Tabs:
    """The tabs of this test's browser context; none is open yet."""
    return stage.tabs


@pytest.fixture
async def tab(stage: Stage) -> Tab:
    """One open tab on an empty page."""
    return await stage.open()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder that files may be uploaded from."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
async def repl(stage: Stage, work: Path) -> AsyncIterator[Desk]:
    """A REPL with all page functions over this test's tabs; its person agrees to everything."""
    async with desk(stage, work) as opened:
        yield opened
