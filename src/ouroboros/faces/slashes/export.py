"""``/export``: the session as a document."""

from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat


async def export(seat: Seat, rest: str) -> Control:
    """Writes the session beside the work, or to the file that is named."""
    from ouroboros.app.export.writing import ENDINGS, STYLES, Wish, keep, written
    from ouroboros.app.past import sessions
    from ouroboros.app.secrecy import secrets

    first, _, name = rest.partition(" ")
    if first and first not in STYLES:
        raise Misuse(f"there is no form {first[:40]!r}", hint="jsonl, md or html")
    style = STYLES[first or "jsonl"]
    home, id = seat.loaded.home, seat.session.state.session

    def write() -> str:
        read = sessions.events(home, id)
        path = seat.cwd / (name.strip() or f"{id}{ENDINGS[style]}")
        leaks = secrets(seat.environment, seat.loaded.settings)
        keep(
            written(read.envelopes, seat.session.state.title, Wish(style=style), leaks.redacted),
            path,
        )
        return str(path)

    seat.say(f"this session is in {await to_thread.run_sync(write)}")
    return "stay"
