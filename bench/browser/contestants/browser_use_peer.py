"""browser-use: what it puts together before each step, without a screenshot."""

from importlib import import_module
from typing import Any

from bench.browser.contestants.flags import FLAGS


class BrowserUse:
    """The state summary of the page it is on."""

    async def start(self, program: str) -> None:
        """Starts Chromium."""
        library: Any = import_module("browser_use")
        profile: Any = library.BrowserProfile(
            executable_path=program,
            headless=True,
            args=list(FLAGS),
            user_data_dir=None,
            enable_default_extensions=False,
            chromium_sandbox=False,
        )
        self._session: Any = library.BrowserSession(browser_profile=profile)
        await self._session.start()

    async def open(self, url: str) -> str:
        """Goes there."""
        await self._session.navigate_to(url)
        return url

    async def observe(self, page: str) -> int:
        """Makes the state summary; characters of its element text."""
        state = await self._session.get_browser_state_summary(include_screenshot=False)
        return len(state.dom_state.llm_representation())

    async def stop(self) -> None:
        """Ends Chromium."""
        await self._session.kill()
