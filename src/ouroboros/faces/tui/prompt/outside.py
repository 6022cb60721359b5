"""The person's own editor for what is typed."""

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.prompt.saying import Around
from ouroboros.faces.wording.face import Notice


async def edited(host: Around, text: str) -> str | None:
    """What became of the text; None where it stays as it was, with words for why."""
    from textual.app import SuspendNotSupported

    try:
        # What is raised inside would leave the screen suspended.
        with host.suspend():
            found = await _edited(host, text)
    except SuspendNotSupported:
        found = Notice(text="this terminal cannot be given to an editor", level="warning")
    if isinstance(found, Notice):
        host.tell(found)
        return None
    return found


async def _edited(host: Around, text: str) -> str | Notice:
    from ouroboros.app.typed.editing import edited as edit

    editor = host.loaded.settings.tui.editor
    try:
        return await edit(text, cwd=host.cwd, environment=host.environment, editor=editor)
    except OuroborosError as problem:
        return Notice(text=f"error: {problem.message}", level="error", hint=problem.hint)
