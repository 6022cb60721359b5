"""Screenshots: one at a time for the whole browser, in the order they were asked for, bounded in size."""

import base64
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
from msgspec import Struct

from ouroboros.browser.capture.casting import Casts, Looker, Size
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tab
from ouroboros.browser.transfer.artifacts import Artifact, Artifacts
from ouroboros.safety.origins import origin_of

PIXELS = 40_000_000
"""Of one picture; a larger page is drawn smaller."""

SIDE = 16_000
"""Pixels of one side; beyond it Chromium repeats the picture."""

SECONDS = 30.0

_LITTLE = Size(width=10, height=10, quality=1)

type Format = Literal["png", "jpeg", "webp"]


class Clip(Struct, frozen=True, kw_only=True):
    """A part of a page, in CSS pixels from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


class _Box(Struct, frozen=True, rename="camel"):
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0


class _Viewport(Struct, frozen=True, rename="camel"):
    page_x: float = 0
    page_y: float = 0
    client_width: float = 0
    client_height: float = 0


class _Metrics(Struct, frozen=True, rename="camel"):
    css_visual_viewport: _Viewport = _Viewport()
    css_content_size: _Box = _Box()


class _Shot(Struct, frozen=True):
    data: str


class Screenshots:
    """Takes pictures one after the other."""

    def __init__(self, artifacts: Artifacts, casts: Casts | None = None) -> None:
        """Pictures go to ``artifacts``; ``casts`` are those by which people look at tabs."""
        self._artifacts, self._casts = artifacts, casts or Casts()
        self._turn = anyio.Lock()
        self._number = 0

    async def take(
        self,
        tab: Tab,
        *,
        full_page: bool = False,
        clip: Clip | None = None,
        format: Format = "png",
        quality: int = 80,
        name: str = "",
    ) -> Artifact:
        """A picture of what a tab shows, kept; a tab behind others is drawn as well.

        Args:
            tab: The tab.
            full_page: All of the page, not only what is scrolled to.
            clip: A part of the page instead.
            format: Lossless ``png``, or smaller.
            quality: 0 to 100, for those that lose.
            name: Of the file; made up when empty.

        Raises:
            BrowserFailed: The page does not draw, or the disk is full.
        """
        async with self._turn:
            self._number += 1
            params: dict[str, Any] = {"format": format, "optimizeForSpeed": False}
            if format != "png":
                params["quality"] = min(100, max(0, quality))
            metrics = await tab.ask(_Metrics, "Page.getLayoutMetrics", timeout_seconds=SECONDS)
            area = _area(metrics, full_page=full_page, clip=clip)
            if full_page or clip is not None or area["scale"] < 1:
                params |= {"clip": area, "captureBeyondViewport": True}
            async with self._drawing(tab):
                shot = await tab.ask(
                    _Shot, "Page.captureScreenshot", params, timeout_seconds=SECONDS
                )
            return await self._artifacts.keep(
                base64.b64decode(shot.data),
                name or f"screenshot-{self._number}.{format}",
                kind="screenshot",
                mime=f"image/{format}",
                origin=origin_of(tab.url),
            )

    @asynccontextmanager
    async def _drawing(self, tab: Tab) -> AsyncGenerator[None]:
        """Makes a tab behind others draw what changed, without taking it in front of a person.

        Without a frame to come ``Page.captureScreenshot`` waits for ever; a screencast asks for frames.
        """
        cast, looker = self._casts.of(tab), Looker(_LITTLE)
        try:
            await cast.join(looker)
            yield
        finally:
            await cast.leave(looker)


def _area(metrics: _Metrics, *, full_page: bool, clip: Clip | None) -> dict[str, float]:
    view, whole = metrics.css_visual_viewport, metrics.css_content_size
    if clip is not None:
        x, y = max(0.0, clip.x), max(0.0, clip.y)
        width = min(clip.x + clip.width, max(whole.width, view.client_width)) - x
        height = min(clip.y + clip.height, max(whole.height, view.client_height)) - y
    elif full_page:
        x, y = 0.0, 0.0
        width = max(whole.width, view.client_width)
        height = max(whole.height, view.client_height)
    else:
        x, y, width, height = view.page_x, view.page_y, view.client_width, view.client_height
    if width < 1 or height < 1:
        raise BrowserFailed("there is nothing to take a picture of: the part is empty")
    return {"x": x, "y": y, "width": width, "height": height, "scale": scale(width, height)}


def scale(width: float, height: float) -> float:
    """How much smaller a picture must be drawn to stay in its bounds, 1 for those that do. Pure."""
    return min(1.0, math.sqrt(PIXELS / (width * height)), SIDE / width, SIDE / height)
