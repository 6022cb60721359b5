"""Playwright with its defaults, on the Chromium of the machine."""

from importlib import import_module
from typing import Any

from bench.browser.contestants.flags import FLAGS

WORDS = "hello world"


class Playwright:
    """A page is its own handle."""

    async def start(self, program: str) -> None:
        """Starts its helper and Chromium."""
        library: Any = import_module("playwright.async_api")
        self._owner: Any = await library.async_playwright().start()
        self._browser: Any = await self._owner.chromium.launch(
            executable_path=program, headless=True, args=list(FLAGS)
        )
        self._context: Any = await self._browser.new_context(
            viewport={"width": 1280, "height": 720}
        )

    async def open(self, url: str) -> Any:
        """Opens a page and waits for its load."""
        page = await self._context.new_page()
        await page.goto(url)
        return page

    async def evaluate(self, page: Any, code: str) -> object:
        """The value of an expression."""
        return await page.evaluate(code)

    async def click_and_type(self, page: Any) -> None:
        """Clicks the field and types eleven keys."""
        await page.click("#words")
        await page.keyboard.type(WORDS)

    async def close(self, page: Any) -> None:
        """Closes a page."""
        await page.close()

    async def stop(self) -> None:
        """Ends Chromium and the helper."""
        await self._browser.close()
        await self._owner.stop()
