"""The person's own part of the system prompt: a text, or the body of an agent definition."""

from pathlib import Path

from ouroboros.agent.prompts import Piece
from ouroboros.core.errors import Misuse


def own_words(system: str, cwd: Path) -> Piece | None:
    """The piece that the setting ``system`` stands for; blocking.

    ``@PATH`` names a Markdown file, relative to ``cwd``; its front matter is left out. The
    version is a digest of the text, so that a session's record tells when it changed.

    Raises:
        Misuse: The file cannot be read, or is no text.
    """
    text = _body(cwd / Path(system[1:]).expanduser()) if system.startswith("@") else system
    if not text.strip():
        return None
    from hashlib import sha256  # costs start-up time that most runs need not pay

    return Piece(name="own", version=sha256(text.encode()).hexdigest()[:8], text=text.strip())


def _body(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as broken:
        raise Misuse(
            f"the instructions {str(path)!r} cannot be read: {broken}",
            hint="give --system a text, or @ and the path of a Markdown file",
        ) from broken
    if text.startswith("---\n"):
        _, closed, body = text[4:].partition("\n---\n")
        return body if closed else text
    return text
