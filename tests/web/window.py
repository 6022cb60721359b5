"""The page in a real Chromium: looked at by its own code, used by real keys and clicks."""

import itertools
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tab, opened
from ouroboros.browser.wire import Incoming
from tests.browser.chromium import Chromium
from tests.web.serving import Served

DESK, PHONE = (1280, 800), (390, 844)
_KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "End": 35, "Home": 36}
_HELD = {"Alt": 1, "Control": 2, "Shift": 8}
_LEFT = ("Cannot find context", "context was destroyed", "navigated or closed")
"""What a browser says of a page that went while it was asked."""

_AIM = """(() => {
  const found = FOUND;
  if (!found || found.disabled) return null;
  found.scrollIntoView({block: "nearest"});
  const box = found.getBoundingClientRect(), [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const isMeant = (at) => found.contains(at) || !!at?.contains(found);
  if (!isMeant(document.elementFromPoint(x, y))) return null;
  globalThis.pressing ??= ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].reduce((aim, name) => {
    addEventListener(name, (event) => {
      if (!aim.isMeant) return;
      if (aim.isMeant(event.target)) aim.heard.add(name);
      else if (!aim.heard.has("mousedown")) { event.stopImmediatePropagation(); event.preventDefault(); }
    }, true);
    return aim;
  }, {});
  Object.assign(pressing, {found, isMeant, heard: new Set()});
  return [x, y];
})()"""
"""Where an element is; the page may shift until the press, which no other element is to hear of then."""

_REACHED = """(() => {
  const {found, heard} = globalThis.pressing ?? {};
  if (!heard) return true;
  pressing.isMeant = null;
  return heard.has("mouseup") || (heard.has("mousedown") && !found.isConnected);
})()"""
_PRESSES = 50


class Window:
    """One tab that shows the page.

    Attributes:
        asked: Every address that the page asked for.
        troubles: Errors of its code, and what its policy refused.
    """

    def __init__(self, tab: Tab, served: Served) -> None:
        self.tab, self.served = tab, served
        self.asked: list[str] = []
        self.troubles: list[str] = []

    async def run(self, code: str) -> Any:
        """What an expression comes to in the page; a promise is waited for."""
        answer = msgspec.json.decode(
            await self.tab.call(
                "Runtime.evaluate",
                {"expression": code, "awaitPromise": True, "returnByValue": True},
                timeout_seconds=60,
            )
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def processor_seconds(self) -> float:
        """What the page's main thread has had of a processor, however busy the machine is."""
        await self.tab.call("Performance.enable", {})
        found = msgspec.json.decode(await self.tab.call("Performance.getMetrics", {}))
        return float(next(m["value"] for m in found["metrics"] if m["name"] == "ThreadTime"))

    async def until(self, code: str, seconds: float = 60.0) -> Any:
        """Waits until an expression comes to something true; gives that."""
        found: Any = None
        with anyio.move_on_after(seconds):
            for pause in itertools.repeat(0.02):
                try:
                    found = await self.run(code)
                except BrowserFailed as problem:
                    if not any(each in problem.message for each in _LEFT):
                        raise
                if found:
                    return found
                await anyio.sleep(pause)
        raise AssertionError(f"not in time: {code}\n{(await self.text())[-1500:]}\n{self.troubles}")

    async def becomes(self, code: str, wanted: Any) -> None:
        """Waits until an expression comes to this; tells to what it came else."""
        found: Any = None
        with anyio.move_on_after(60):
            for pause in itertools.repeat(0.02):
                if (found := await self.run(code)) == wanted:
                    return
                await anyio.sleep(pause)
        assert found == wanted, f"{code}\n{(await self.text())[-1500:]}\n{self.troubles}"

    async def shows(self, words: str) -> None:
        """Waits until these words can be read."""
        await self.until(f"document.body?.innerText.includes({json.dumps(words)})")

    async def text(self, selector: str = "body") -> str:
        """What can be read in an element; empty where there is none."""
        found = await self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        return str(found)

    async def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(await self.run(f"document.querySelectorAll({json.dumps(selector)}).length"))

    async def click(self, selector: str, words: str = "") -> None:
        """Presses the first such element, with these words in it, where it is seen."""
        found = (
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            f".find((each) => each.innerText.includes({json.dumps(words)}) && each.offsetParent !== null)"
        )
        for _ in range(_PRESSES):
            x, y = await self.until(_AIM.replace("FOUND", found))
            at = {"x": x, "y": y, "button": "left", "clickCount": 1}
            for kind in ("mousePressed", "mouseReleased"):
                await self.tab.call("Input.dispatchMouseEvent", {"type": kind, **at})
            try:
                if await self.run(_REACHED):
                    return
            except BrowserFailed:
                return  # the press has led elsewhere, or opened a dialog
        raise AssertionError(f"no press reached {selector} {words!r}")

    async def type(self, text: str) -> None:
        """Types into what has the focus."""
        await self.tab.call("Input.insertText", {"text": text})

    async def press(self, keys: str) -> None:
        """Presses a key, such as ``Enter``, ``Shift+Tab``, ``Alt+p`` or ``?``."""
        *held, key = keys.split("+")
        modifiers = sum(_HELD[each] for each in held)
        code = _KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        fields: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        if key.isalpha() and len(key) == 1:
            fields["code"] = f"Key{key.upper()}"
        elif key.isdigit():
            fields["code"] = f"Digit{key}"
        typed = (
            {"text": "\r" if key == "Enter" else key}
            if (not held and len(key) == 1) or key == "Enter"
            else {}
        )
        for kind in ({"type": "keyDown", **typed}, {"type": "keyUp"}):
            await self.tab.call("Input.dispatchKeyEvent", {**fields, **kind})

    async def size(self, place: tuple[int, int]) -> None:
        """Makes the window so large."""
        width, height = place
        await self.tab.call(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    async def colours(self, scheme: str) -> None:
        """Lets the system be ``light`` or ``dark``."""
        wish = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.tab.call("Emulation.setEmulatedMedia", {"features": wish})

    async def enter(self, where: str = "") -> None:
        """Opens the page by the address that the server printed, then a place in it."""
        plate = self.served.plate
        await self.tab.navigate(f"{plate.address}#token={plate.token}")
        await self.until("globalThis.ouro?.link.state === 'online'")
        if where:
            await self.go(where)

    async def go(self, where: str) -> None:
        """Goes to a place of the page, such as ``SESSION/chat``."""
        await self.run(f"location.hash = '#/{where}'")
        await self.until("document.querySelector('.chat, .timeline, .home') !== null")

    async def session(self, **wish: Any) -> str:
        """Opens a session and shows it."""
        session = await self.served.open(**wish)
        await self.go(f"{session}/chat")
        await self.until(
            f"ouro.store.current?.id === '{session}' && ouro.store.current.phase === 'ready'"
        )
        await self.until("document.querySelector('.prompt textarea') !== null")
        return session

    async def focus(self) -> None:
        """Puts the cursor into the prompt, once it is there."""
        await self.until(
            "(() => { const one = document.querySelector('.prompt textarea, .home textarea');"
            "one?.focus(); return one !== null && document.activeElement === one; })()"
        )

    async def answer(self, key: str = "Alt+y") -> None:
        """Answers the question that is shown, by a key, once it takes answers."""
        await self.until("document.querySelector('.ask[data-ready]') !== null")
        await self.press(key)

    async def say(self, words: str) -> None:
        """Types words into the prompt, and Enter."""
        await self.focus()
        await self.type(words)
        await self.press("Enter")


@asynccontextmanager
async def window(
    chromium: Chromium, served: Served, place: tuple[int, int] = DESK
) -> AsyncGenerator[Window]:
    """A tab of its own, with no cookie; at its end nothing may have gone wrong in the page."""
    async with socket(chromium.url) as channel, opened(channel, own_context=True) as tabs:
        tab = tabs.tab(await tabs.open())
        shown = Window(tab, served)
        listen = tabs.connection.listen

        def note(happening: Incoming) -> None:
            told = msgspec.json.decode(happening.params)
            match happening.method:
                case "Network.requestWillBeSent":
                    shown.asked.append(told["request"]["url"])
                case "Network.webSocketCreated":
                    shown.asked.append(told["url"])
                case "Runtime.exceptionThrown":
                    shown.troubles.append(json.dumps(told["exceptionDetails"])[:600])
                case _:
                    if told["entry"].get("source") == "security":
                        shown.troubles.append(told["entry"]["text"])

        for method in (
            "Network.requestWillBeSent",
            "Network.webSocketCreated",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ):
            listen(method, note)
        for room in ("Runtime.enable", "Network.enable", "Log.enable"):
            await tab.call(room)
        await shown.size(place)
        yield shown
        if shown.troubles:
            raise AssertionError(shown.troubles)
