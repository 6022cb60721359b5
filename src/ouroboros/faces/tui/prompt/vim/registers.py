"""What Vim keeps of a text that was deleted or copied, and how it is put back; lines that are joined."""

from ouroboros.faces.tui.prompt.text import clusters, words
from ouroboros.faces.tui.prompt.text.buffer import Buffer
from ouroboros.faces.tui.prompt.vim import motions


class Register:
    """A piece of text, or whole lines."""

    def __init__(self, text: str = "", *, is_lines: bool = False) -> None:
        """Nothing, where it is empty and no lines."""
        self._text, self._is_lines = text, is_lines

    def put(self, buffer: Buffer, count: int, *, after: bool) -> int:
        """Puts it into a buffer so many times; gives where the cursor goes."""
        text = buffer.text
        if self._is_lines:
            return self._put_lines(buffer, count, after=after)
        if not self._text:
            return buffer.cursor
        at = buffer.cursor
        if after:
            at = min(clusters.after(text, at), words.line_end(text, at))
        buffer.splice(at, at, self._text * count)
        return clusters.before(buffer.text, buffer.cursor)

    def _put_lines(self, buffer: Buffer, count: int, *, after: bool) -> int:
        block = "\n".join([self._text] * count)
        if after:
            at = words.line_end(buffer.text, buffer.cursor)
            buffer.splice(at, at, f"\n{block}")
            at += 1
        else:
            at = words.line_start(buffer.text, buffer.cursor)
            buffer.splice(at, at, f"{block}\n")
        return motions.first_of(buffer.text, at)


def join(buffer: Buffer, count: int) -> int:
    """Joins so many lines to the one of the cursor; gives where the cursor goes."""
    to = buffer.cursor
    for _ in range(count):
        end = words.line_end(buffer.text, buffer.cursor)
        if end == len(buffer.text):
            break
        after = motions.first_of(buffer.text, end + 1)
        buffer.splice(end, after, "" if after == len(buffer.text) else " ")
        buffer.go(end)
        to = end
    return to
