"""What is said at the right end of the line over the prompt."""

from ouroboros.faces.tui.prompt.editor import Editor
from ouroboros.faces.tui.prompt.kinds import kind_of
from ouroboros.faces.tui.prompt.recall import Recall
from ouroboros.faces.tui.prompt.waiting import Waiting

_CHANGING = "words that wait: Enter keeps, empty removes, Esc leaves"


def label(recall: Recall, waiting: Waiting, editor: Editor, *, note: str, usage: str) -> str:
    """The first of all there is to say; ``note`` is of a key that was pressed a moment ago."""
    if recall.is_searching:
        return f"history: {recall.query}"
    if waiting.changing:
        return _CHANGING
    told = editor.vim.told if editor.vim is not None else ""
    return note or told or usage or kind_of(editor.text) or waiting.told
