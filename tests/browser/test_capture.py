"""Screenshots in the order they were taken, bounded; pages as PDF."""

import struct
from pathlib import Path

import anyio
import pytest
from pypdf import PdfReader

from ouroboros.browser.capture.paper import print_to_pdf
from ouroboros.browser.capture.screenshots import Clip, Screenshots, scale
from ouroboros.browser.capture.viewport import reset_viewport, set_viewport
from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.tabs import Tab
from ouroboros.browser.transfer.artifacts import Artifact, Artifacts
from tests.browser.stage import Stage, read


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path / "artifacts", lambda event: None)


def _start(artifact: Artifact) -> bytes:
    return Path(artifact.path).read_bytes()[:24]


def _texts(paper: Artifact) -> list[str]:
    with Path(paper.path).open("rb") as file:
        return [page.extract_text() for page in PdfReader(file).pages]


def _size(artifact: Artifact) -> tuple[int, int]:
    head = _start(artifact)
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


@pytest.mark.proves("C09", "D15")
@pytest.mark.deep
async def test_pictures_come_in_the_order_of_the_actions_between_them(
    stage: Stage, artifacts: Artifacts
) -> None:
    shots = Screenshots(artifacts)
    tab = await stage.show("<body style='margin:0'></body>")
    await set_viewport(tab, 200, 100)
    taken: list[Artifact] = []

    async def take() -> None:
        taken.append(await shots.take(tab))

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            await read(tab, f"document.body.style.background = 'rgb({number * 10}, 0, 0)'")
            with anyio.CancelScope(shield=True):
                await take()
        tasks.start_soon(take)
    assert [shot.name for shot in taken] == [f"screenshot-{n}.png" for n in range(1, 22)]
    assert len({shot.sha256 for shot in taken}) == 20


@pytest.mark.proves("C09")
@pytest.mark.deep
async def test_pictures_asked_for_at_once_are_taken_one_after_the_other(
    stage: Stage, artifacts: Artifacts
) -> None:
    shots = Screenshots(artifacts)
    large = await stage.show("<body style='height:9000px;background:linear-gradient(red,blue)'>")
    small = await stage.show("<p>small", path="small")
    taken: list[str] = []

    async def take(tab: Tab) -> None:
        taken.append((await shots.take(tab, full_page=tab is large)).name)

    async with anyio.create_task_group() as tasks:
        for tab in (large, small, small, large, small):
            tasks.start_soon(take, tab)
    assert taken == [f"screenshot-{number}.png" for number in range(1, 6)]


@pytest.mark.proves("C09", "D15")
@pytest.mark.deep
async def test_a_tab_behind_others_is_drawn(stage: Stage, artifacts: Artifacts) -> None:
    behind = await stage.show("<h1>Behind</h1>")
    await stage.show("<h1>Front</h1>", path="front")
    assert _size(await Screenshots(artifacts).take(behind))[0] > 100


@pytest.mark.proves("C09", "D15")
@pytest.mark.deep
async def test_a_tab_behind_others_is_drawn_each_time_it_changed(
    stage: Stage, artifacts: Artifacts
) -> None:
    behind = await stage.show(f"<h1>Behind</h1>{'<p>words</p>' * 300}")
    await stage.show("<h1>Front</h1>", path="front")
    shots = Screenshots(artifacts)
    taken: list[Artifact] = []
    for number in range(20):
        await read(behind, f"document.body.style.zoom = {1 + number / 10}")
        taken.append(await shots.take(behind, full_page=number % 5 == 4))
    assert len({shot.sha256 for shot in taken}) == 20


@pytest.mark.deep
@pytest.mark.proves("C09", "D15")
async def test_a_whole_page_and_a_part_of_it(stage: Stage, artifacts: Artifacts) -> None:
    shots = Screenshots(artifacts)
    tab = await stage.show("<body style='margin:0;height:3000px;width:500px'></body>")
    await set_viewport(tab, 500, 400)
    assert _size(await shots.take(tab)) == (500, 400)
    assert _size(await shots.take(tab, full_page=True)) == (500, 3000)
    part = await shots.take(tab, clip=Clip(x=10, y=20, width=30, height=40))
    assert _size(part) == (30, 40)
    with pytest.raises(BrowserFailed, match="empty"):
        await shots.take(tab, clip=Clip(x=0, y=5000, width=10, height=10))
    jpeg = await shots.take(tab, format="jpeg", quality=30)
    assert _start(jpeg).startswith(b"\xff\xd8")


@pytest.mark.proves("C09", "D15")
@pytest.mark.deep
async def test_an_endless_page_is_drawn_smaller(stage: Stage, artifacts: Artifacts) -> None:
    tab = await stage.show("<body style='margin:0;height:60000px;width:300px'></body>")
    width, height = _size(await Screenshots(artifacts).take(tab, full_page=True))
    assert height <= 16_001
    assert width * height <= 40_100_000
    assert scale(100, 100) == 1


@pytest.mark.deep
async def test_a_viewport_is_set_and_taken_back(stage: Stage) -> None:
    tab = await stage.show("<title>x</title>")
    usual = await read(tab, "innerWidth")
    await set_viewport(tab, 390, 844, scale=2)
    assert await read(tab, "[innerWidth, devicePixelRatio].join()") == "390,2"
    await reset_viewport(tab)
    assert await read(tab, "innerWidth") == usual
    with pytest.raises(CannotAct):
        await set_viewport(tab, 1, 100_000)


@pytest.mark.proves("browser-pdf-logs")
async def test_a_page_is_printed(stage: Stage, artifacts: Artifacts) -> None:
    tab = await stage.show("<h1>Invoice 17</h1><p style='break-before:page'>second page</p>")
    paper = await print_to_pdf(tab, artifacts, name="../invoice.pdf")
    assert (Path(paper.path).name, paper.mime) == ("invoice.pdf", "application/pdf")
    pages = _texts(paper)
    assert [("Invoice 17" in page, "second" in page) for page in pages] == [
        (True, False),
        (False, True),
    ]
    with pytest.raises(BrowserFailed):
        await print_to_pdf(tab, artifacts, pages="900-901")


@pytest.mark.proves("browser-what-was-settled-on-the-way")
@pytest.mark.deep
async def test_the_page_has_the_size_when_the_call_returns(stage: Stage) -> None:
    seen: list[list[int]] = []
    for number in range(4):
        tab = await stage.show(
            "<meta name=viewport content='width=device-width'>", path=f"{number}"
        )
        whole = await read(tab, "innerWidth")
        for _ in range(3):
            await set_viewport(tab, 500, 400)
            size = await read(tab, "[innerWidth, innerHeight]")
            await set_viewport(tab, 390, 844, mobile=True)
            phone = await read(tab, "innerWidth")
            await reset_viewport(tab)
            seen.append([*size, phone, await read(tab, "innerWidth") - whole])
    assert seen == [[500, 400, 390, 0]] * 12
