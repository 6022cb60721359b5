"""Page functions for what leaves and enters by other ways: dialogs, downloads, uploads."""

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CallTimedOut, DialogOpen, a_dialog
from ouroboros.browser.page.door import FrameName, Target, ask, door
from ouroboros.browser.tab import Tab
from ouroboros.browser.transfer.choosers import hand
from ouroboros.repl.functions.function import Spec
from ouroboros.repl.functions.pages import InTab, Pages, answer, done, part
from ouroboros.tools.tool import Effect, Result, ToolContext

_DIALOG_SECONDS = 3.0
"""How long a dialog may stay open before waiting for a download is given up."""


class Decision(InTab, frozen=True, kw_only=True):
    """``answerDialog``; ``text`` is typed into a prompt."""

    accept: bool
    text: str = ""


class Wait(InTab, frozen=True, kw_only=True):
    """``waitForDownload``; milliseconds. ``seen`` downloads have been there before."""

    timeout: float = 60_000
    seen: int | None = None


class Nothing(Struct, frozen=True, kw_only=True):
    """No argument."""


class Upload(InTab, frozen=True, kw_only=True):
    """``upload``: one path or several, from the folders that files may be sent from."""

    target: Target
    files: str | list[str]
    frame: FrameName = None


class _Held(Struct, frozen=True):
    node: int


class _Remote(Struct, frozen=True, rename="camel"):
    object_id: str = ""


class _Made(Struct, frozen=True):
    result: _Remote


class _Node(Struct, frozen=True, rename="camel"):
    backend_node_id: int


class _Described(Struct, frozen=True):
    node: _Node


async def answer_dialog(pages: Pages, wish: Decision, context: ToolContext) -> Result:
    """Decides an open dialog."""
    del context
    dialogs = part(pages.parts.dialogs, "dialogs")
    answered = await dialogs.answer(wish.tab, wish.accept, wish.text)
    return done(f"{'accepted' if wish.accept else 'dismissed'} a dialog of {wish.tab}", answered)


async def dialog(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """The open dialog of a tab, or null."""
    del context
    found = part(pages.parts.dialogs, "dialogs").of(wish.tab)
    return answer(msgspec.json.encode(found), f"dialog of {wish.tab}")


async def downloads(pages: Pages, wish: Nothing, context: ToolContext) -> Result:
    """All downloads of the session."""
    del wish, context
    found = part(pages.parts.downloads, "downloads").all()
    return answer(msgspec.json.encode(found), f"{len(found)} downloads")


async def wait_for_download(pages: Pages, wish: Wait, context: ToolContext) -> Result:
    """The end of the next download that has not been waited for."""
    del context
    found = part(pages.parts.downloads, "downloads")
    seen = wish.seen if wish.seen is not None else pages.downloads_seen
    tab = await pages.tab(wish.tab)
    until = anyio.current_time() + wish.timeout / 1000
    ended = None
    while ended is None:
        left = until - anyio.current_time()
        try:
            ended = await found.wait(seen=seen, timeout_seconds=min(left, _DIALOG_SECONDS))
        except CallTimedOut as failed:
            if tab.dialog and len(found.all()) <= seen:
                raise DialogOpen(
                    f"{tab.id}: {a_dialog(tab.dialog)} is open, and no download began",
                    hint="answer it with answerDialog, then wait for the download",
                ) from None
            if left <= _DIALOG_SECONDS:
                what = failed.message.rpartition(" within ")[0]
                raise CallTimedOut(f"{what} within {wish.timeout / 1000:g} s") from None
    pages.downloads_seen = max(seen, found.all().index(ended)) + 1
    return answer(msgspec.json.encode(ended), f"download {ended.state}")


async def upload(pages: Pages, wish: Upload, context: ToolContext) -> Result:
    """Gives files to a file field, after the person has agreed."""
    tab = await pages.tab(wish.tab)
    written = [wish.files] if isinstance(wish.files, str) else wish.files
    paths = await part(pages.parts.uploads, "uploads").allowed(written, base=context.cwd)
    if "upload" in pages.risks:
        names = ", ".join(path.name for path in paths)[:200]
        await context.admit(
            Effect(
                kind="risk",
                risk="upload",
                url=pages.url(wish.tab),
                action=f"Upload {names} to {pages.url(wish.tab)[:120]}",
            )
        )
    node, session = await _node(tab, wish.target, wish.frame)
    await hand(tab, node, paths, session=session)
    return done(f"uploaded {len(paths)} files in {wish.tab}", [path.name for path in paths])


async def _node(tab: Tab, target: Target, frame: FrameName) -> tuple[int, str]:
    """The browser's own number of an element, and the session in which it has it."""
    found = await ask(tab, "handle", target, frame=frame)
    number, world = msgspec.json.decode(found.value, type=_Held).node, found.world
    expression = f"globalThis[{door(world)}].element({number})"
    params = {"expression": expression, "contextId": world.context}
    made = await tab.ask(_Made, "Runtime.evaluate", params, session=world.session)
    node = {"objectId": made.result.object_id}
    described = await tab.ask(_Described, "DOM.describeNode", node, session=world.session)
    return described.node.backend_node_id, world.session


SPECS = (
    Spec(
        name="dialog",
        usage="dialog(tab): {kind, message, default}|null",
        arguments=InTab,
        work=dialog,
    ),
    Spec(
        name="answerDialog",
        usage="answerDialog(tab, accept, text?)",
        arguments=Decision,
        work=answer_dialog,
        kind="act",
        says=lambda wish: f"{'Accept' if wish.accept else 'Dismiss'} the dialog of {wish.tab}",
    ),
    Spec(
        name="waitForDownload",
        usage="waitForDownload(tab, ms=60000): {id, name, bytes, sha256, path, mime, state}",
        arguments=Wait,
        work=wait_for_download,
        longest=600_000,
    ),
    Spec(name="downloads", usage="downloads(): [same]", arguments=Nothing, work=downloads),
    Spec(
        name="upload",
        usage="upload(tab, sel, path|[paths])",
        arguments=Upload,
        work=upload,
        kind="act",
        reads=False,
        says=lambda wish: f"Upload {wish.files} in {wish.tab}"[:120],
    ),
)
