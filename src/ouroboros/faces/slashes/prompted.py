"""Commands that stand for words of a prompt: what they give is said, and a turn begins."""

from anyio import to_thread

from ouroboros.faces.slashes.control import Control, Say
from ouroboros.faces.slashes.table import Seat


async def security_review(_seat: Seat, rest: str) -> Control:
    """Has the changes looked at for ways in."""
    from ouroboros.app import prompted

    return Say(text=await to_thread.run_sync(prompted.security_review, rest))
