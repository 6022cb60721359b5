"""What is pasted or dropped and may be a picture."""

from typing import TYPE_CHECKING

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.faces.tui.host import Host

_ENDINGS = (".gif", ".jpeg", ".jpg", ".png", ".webp")
_LONGEST = 4_096


class Pasting:
    """Keeps pictures with the session, and gives the names that stand for them."""

    def __init__(self, host: "Host") -> None:
        """Keeps nothing yet."""
        self._host = host

    def may_be_picture(self, text: str) -> bool:
        """Whether it is worth a look at the disk; most pastes are words."""
        if text.lstrip().startswith("data:image/"):
            return True
        words = text.strip().rstrip("'\"").lower()
        return not words or (len(words) <= _LONGEST and words.endswith(_ENDINGS))

    async def named(self, text: str | None) -> str:
        """What stands in the line for a paste; without one, for the picture in the clipboard."""
        room = self._host.room
        if room is None:
            return text or ""
        from ouroboros.app.pictures import Pasted

        folder = self._host.loaded.home / "artifacts" / room.id
        pasted = Pasted(self._host.environment, self._host.cwd, folder)
        try:
            found = await (pasted.clipped() if text is None else pasted.named(text))
        except OuroborosError as problem:
            # An empty paste may be nothing at all.
            if text is None or text:
                told = f"nothing is attached: {problem.message}"
                self._host.tell(Notice(text=told, level="warning"))
            return text or ""
        return found if found == text else f"{found} "
