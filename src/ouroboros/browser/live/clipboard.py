"""Copy and paste between a page and the person's own clipboard; that of the browser is not asked."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.frames import World
from ouroboros.browser.tab import Tab

COPY_CHARACTERS = 1_000_000
SECONDS = 5.0
_MOST_FRAMES = 30

_FOCUSED = "document.hasFocus() && !/^I?FRAME$/.test(document.activeElement?.tagName ?? '')"
_LISTEN = f"""(() => {{
  let own = ''
  const hear = event => {{
    if (event.defaultPrevented) own = event.clipboardData?.getData('text/plain') ?? ''
  }}
  const kinds = ['copy', 'cut']
  globalThis.__heard?.()
  for (const kind of kinds) addEventListener(kind, hear)
  globalThis.__heard = () => {{
    for (const kind of kinds) removeEventListener(kind, hear)
    delete globalThis.__heard
    return own.slice(0, {COPY_CHARACTERS})
  }}
  let field = document.activeElement
  while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement
  const isSecret = field?.type === 'password'
  const isField = typeof field?.value === 'string' && typeof field.selectionStart === 'number'
  const text = isSecret ? ''
    : isField ? field.value.slice(field.selectionStart, field.selectionEnd)
    : String(getSelection() ?? '')
  return {{text: text.slice(0, {COPY_CHARACTERS}), focused: {_FOCUSED}}}
}})()"""
_HEARD = "globalThis.__heard?.() ?? ''"
_PASTE = """(text => {
  let field = document.activeElement ?? document.body
  while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement
  const carried = new DataTransfer()
  carried.setData('text/plain', text)
  const how = {clipboardData: carried, bubbles: true, cancelable: true, composed: true}
  return field.dispatchEvent(new ClipboardEvent('paste', how))
})"""


class _Selected(Struct, frozen=True):
    text: str = ""
    focused: bool = False


class _Value[Body](Struct, frozen=True):
    value: Body


class _Told[Body](Struct, frozen=True):
    result: _Value[Body]


async def copied(tab: Tab, *, cut: bool = False) -> str:
    """What Ctrl-C copies in a page, or Ctrl-X cuts; the page's own idea of it counts.

    Raises:
        BrowserFailed: The page does not answer.
    """
    worlds = await _worlds(tab)
    found = [await _ask(tab, world, _Selected, _LISTEN) for world in worlds]
    key = "x" if cut else "c"
    held = {"key": key, "code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper())}
    down = {**held, "type": "rawKeyDown", "modifiers": 2, "commands": ["cut" if cut else "copy"]}
    for body in (down, {**held, "type": "keyUp", "modifiers": 2}):
        await tab.call("Input.dispatchKeyEvent", body, timeout_seconds=SECONDS)
    own = [await _ask(tab, world, str, _HEARD) for world in worlds]
    selected = [one for one in found if one is not None and one.text]
    selected.sort(key=lambda one: not one.focused)
    said = [text for text in own if text] + [one.text for one in selected]
    return said[0] if said else ""


async def pasted(tab: Tab, text: str) -> None:
    """Pastes: a page that handles it itself gets its event, another one the text where the focus is.

    Raises:
        BrowserFailed: The page does not answer.
    """
    words = msgspec.json.encode(text).decode()
    for world in await _worlds(tab):
        if await _ask(tab, world, bool, _FOCUSED):
            if await _ask(tab, world, bool, f"{_PASTE}({words})"):
                break
            return
    await tab.call("Input.insertText", {"text": text}, timeout_seconds=SECONDS)


async def _worlds(tab: Tab) -> list[World]:
    frames = list(tab.frames)[:_MOST_FRAMES]
    return [await tab.world(frame.id) for frame in frames]


async def _ask[Body](tab: Tab, world: World, kind: type[Body], code: str) -> Body | None:
    """What code comes to in one frame; None where the frame was left meanwhile."""
    params = {"expression": code, "contextId": world.context, "returnByValue": True}
    try:
        told = await tab.call(
            "Runtime.evaluate", params, session=world.session, timeout_seconds=SECONDS
        )
        return msgspec.json.decode(told, type=_Told[kind]).result.value
    except (BrowserFailed, msgspec.MsgspecError):
        return None
