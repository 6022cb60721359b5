"""No dead knobs in [browser]: each setting changes what a run does. A new one needs an entry in EFFECTS."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.app.config.schema import format_key, leaves
from ouroboros.app.ouroboros import Outcome
from ouroboros.llm.turns import Turn
from tests.browser.chromium import Chromium
from tests.browser.site import Reply, Site
from tests.story.rlm_stage import block, rlm_stage
from tests.story.stage import stage

NOWHERE = "ws://127.0.0.1:9/devtools/browser/x"


class Ground:
    """What an effect is looked at with."""

    def __init__(self, folder: Path, chromium: Chromium, site: Site) -> None:
        self.folder, self.chromium, self.site = folder, chromium, site
        self.program, self.words = folder / "browser.sh", folder / "words"

    def fake(self) -> None:
        """A browser that writes down how it was called, and ends."""
        self.program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {self.words}\nexit 1\n')
        self.program.chmod(0o755)

    async def run(self, code: str, task: str = "Go.", **browser: Any) -> Outcome:
        async with rlm_stage(self.folder, [block(code)], with_browser=True, browser=browser) as s:
            return await s.run(task)

    async def refused(self, code: str, **browser: Any) -> str:
        """What a block fails with in the browser that all tests share."""
        attached = {"mode": "remote", "url": self.chromium.url, **browser}
        tried = f"let w = 'nothing';\ntry {{ {code} }} catch (e) {{ w = e.message }}\nsetFinal(w)"
        return (await self.run(tried, **attached)).final

    async def called(self, **browser: Any) -> list[str]:
        """How the program of a browser of ours is called."""
        await to_thread.run_sync(self.fake)
        said = await self.refused("await openTab()", **{"mode": "managed"} | browser)
        if not self.words.exists():
            return [said]
        return self.words.read_text().splitlines()


type Effect = Callable[[Ground], Awaitable[None]]


async def tools(ground: Ground) -> None:
    async with stage(ground.folder, [Turn(text="Hi.")], browser={"tools": True}) as s:
        await s.run()
        assert "browser_execute" in {tool["function"]["name"] for tool in s.body()["tools"]}


async def mode(ground: Ground) -> None:
    said = await ground.called(mode="remote", program=str(ground.program), url=NOWHERE)
    assert not ground.words.exists(), said


async def url(ground: Ground) -> None:
    assert "127.0.0.1:9" in await ground.refused("await openTab()", url=NOWHERE)


async def program(ground: Ground) -> None:
    assert "--remote-debugging-pipe" in await ground.called(program=str(ground.program))


async def profile(ground: Ground) -> None:
    said = await ground.called(program=str(ground.program), profile="mine")
    (folder,) = [word for word in said if word.startswith("--user-data-dir=")]
    assert folder.endswith("/mine")


async def headless(ground: Ground) -> None:
    (said,) = await ground.called(program=str(ground.program), headless=False)
    assert "no display" in said


async def width(ground: Ground) -> None:
    said = await ground.called(program=str(ground.program), width=777)
    assert "--window-size=777,720" in said


async def height(ground: Ground) -> None:
    said = await ground.called(program=str(ground.program), height=555)
    assert "--window-size=1280,555" in said


async def flags(ground: Ground) -> None:
    assert "--lang=xx" in await ground.called(program=str(ground.program), flags=["--lang=xx"])


async def max_tabs(ground: Ground) -> None:
    code = "for (let n = 0; n < 3; n++) await openTab()"
    assert "tabs are open, which is the most" in await ground.refused(code, max_tabs=2)


async def only_allowed(ground: Ground) -> None:
    code = f"const a = await openTab({ground.site.url('x', 1)!r})"
    said = await ground.refused(code, allow_domains=["127.0.0.1"], only_allowed=True)
    assert said != "nothing"


async def block_domains(ground: Ground) -> None:
    code = f"const a = await openTab({ground.site.url('x', 1)!r})"
    assert await ground.refused(code, block_domains=["localhost"]) != "nothing"


async def allow_domains(ground: Ground) -> None:
    first, second = ground.site.put("a", "<p>secret goods"), ground.site.url("b", 1)
    code = (
        f"const a = await openTab({first!r}); await waitForLoad(a); await getText(a);"
        f"await openTab({second!r}); setFinal('there')"
    )
    attached = {"mode": "remote", "url": ground.chromium.url, "allow_domains": ["localhost"]}
    outcome = await ground.run(code, f"Look at {first}", **attached)
    assert (outcome.final, outcome.exit_code) == ("there", 0)


async def uploads(ground: Ground) -> None:
    file = ground.folder / "outside" / "letter.txt"

    def write() -> None:
        file.parent.mkdir()
        file.write_text("dear")

    await to_thread.run_sync(write)
    page = ground.site.put("up", "<input id=f type=file>")
    code = (
        f"const a = await openTab({page!r}); await waitForLoad(a);"
        f"await upload(a, '#f', {str(file)!r}); w = await execInTab(a, 'f.files[0].name')"
    )
    said = await ground.refused(code, uploads=[str(file.parent)], confirm=[])
    assert said == "letter.txt"


async def download_max(ground: Ground) -> None:
    headers = (("content-disposition", 'attachment; filename="bill.csv"'),)
    ground.site.put("bill", Reply(b"a,b\n" * 50_000, "text/csv", 200, headers))
    page = ground.site.put("shop", "<a id=d href=/bill>Bill</a>")
    code = (
        f"const a = await openTab({page!r}); await waitForLoad(a);"
        "await click(a, '#d'); w = (await waitForDownload(a)).reason"
    )
    assert "larger than 1,000" in await ground.refused(code, download_max=1_000, confirm=[])


async def confirm(ground: Ground) -> None:
    page = ground.site.put("form", "<form action=/sent method=post><button id=go>Send</button>")
    code = f"const a = await openTab({page!r}); await waitForLoad(a); await click(a, '#go')"
    ground.site.put("sent", "thanks")
    assert await ground.refused(code, confirm=[]) == "nothing"
    assert "/sent" in ground.site.paths()


EFFECTS: dict[str, Effect] = {
    "browser.tools": tools,
    "browser.mode": mode,
    "browser.profile": profile,
    "browser.program": program,
    "browser.url": url,
    "browser.headless": headless,
    "browser.width": width,
    "browser.height": height,
    "browser.flags": flags,
    "browser.max_tabs": max_tabs,
    "browser.allow_domains": allow_domains,
    "browser.only_allowed": only_allowed,
    "browser.block_domains": block_domains,
    "browser.uploads": uploads,
    "browser.download_max": download_max,
    "browser.confirm": confirm,
}

DAILY = {"browser.tools", "browser.mode", "browser.url", "browser.flags"}
KEYS = [key for leaf in leaves() if (key := format_key(leaf.path)).startswith("browser.")]


@pytest.mark.proves("browser-settings")
@pytest.mark.parametrize(
    "key", [key if key in DAILY else pytest.param(key, marks=pytest.mark.deep) for key in KEYS]
)
async def test_every_setting_of_the_browser_changes_what_a_run_does(
    key: str, tmp_path: Path, chromium: Chromium, site: Site
) -> None:
    await EFFECTS[key](Ground(tmp_path, chromium, site))
