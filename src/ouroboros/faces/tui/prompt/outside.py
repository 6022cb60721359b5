"""The person's own editor for what is typed."""

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.prompt.saying import Around
from ouroboros.faces.wording.face import Notice


async def edited(host: Around, text: str) -> str | None:
    """What became of the text; None where it stays as it was, with words for why."""
    from textual.app import SuspendNotSupported

    from ouroboros.app.typed.editing import edited as edit

    settings = host.loaded.settings.tui
    try:
        with host.suspend():
            return await edit(
                text, cwd=host.cwd, environment=host.environment, editor=settings.editor
            )
    except SuspendNotSupported:
        host.tell(Notice(text="this terminal cannot be given to an editor", level="warning"))
    except OuroborosError as problem:
        host.tell(Notice(text=f"error: {problem.message}", level="error", hint=problem.hint))
    return None
