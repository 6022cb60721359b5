"""The words a mind is given: ours, and the person's own, a text or the body of an agent definition."""

from pathlib import Path

from ouroboros.agent.prompts import Piece, Prompts, load
from ouroboros.app.settings import Settings
from ouroboros.app.text import encodable
from ouroboros.core.errors import Misuse


def system_prompt(settings: Settings, prompts: Prompts) -> tuple[Piece, ...]:
    """The system prompt's pieces: ours unless switched off, then the person's own."""
    off = settings.context.off
    return tuple(prompts[name] for name in ("core", "own") if name in prompts and name not in off)


def prompts_of(settings: Settings, cwd: Path) -> Prompts:
    """Every prompt, with the person's own words; blocking."""
    pieces = dict(load())
    own = own_words(settings.system, cwd)
    return pieces | {"own": own} if own else pieces


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
    text = encodable(text)
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
