"""Pictures that are pasted or dropped become names in the line that is typed."""

from collections.abc import Mapping
from pathlib import Path

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.cli.prompting.keys import Key
from ouroboros.faces.wording.face import Face, Notice


class Attaching:
    """Takes a key that pastes, and gives the text that is put into the line."""

    def __init__(self, face: Face, environment: Mapping[str, str], cwd: Path, folder: Path) -> None:
        """Reads nothing; pictures are kept in ``folder``."""
        self._face = face
        self._environment, self._cwd, self._folder = environment, cwd, folder

    async def __call__(self, key: Key) -> Key:
        """Raises nothing: what cannot be had is shown, and what was pasted stays as it is."""
        from ouroboros.app.pictures import Pasted  # most chats are without pictures

        pasted = Pasted(self._environment, self._cwd, self._folder)
        try:
            is_asked = key.name == "attach"
            text = await (pasted.clipped() if is_asked else pasted.named(key.text))
        except OuroborosError as problem:
            # An empty paste may be nothing at all.
            if key.name == "attach" or key.text:
                text = f"nothing is attached: {problem.message}"
                self._face.tell(Notice(text=text, level="warning"))
            return key
        return Key("paste", text if text == key.text else f"{text} ")
