"""Making a large PNG smaller, in a process that ends with it."""

import sys

from ouroboros.safety.spawn import run
from ouroboros.tools.pictures.measure import BadPicture
from ouroboros.tools.tool import ToolContext

SHRINK_SECONDS = 30.0
"""How long it may take; 15 million pixels take about two."""


async def shrunk(data: bytes, *, longest: int, most: int, context: ToolContext) -> bytes:
    """The picture with a longer side of at most ``longest`` pixels, and at most ``most`` bytes.

    Raises:
        BadPicture: It is broken, or that took too long.
        OSError: No process could be started.
    """
    ended = await run(
        (sys.executable, "-I", "-m", "ouroboros.tools.pictures.scaler", str(longest), str(most)),
        cwd=context.cwd,
        environment=context.environment,
        timeout_seconds=SHRINK_SECONDS,
        stdin=data,
        limit=2 * most,
    )
    if ended.timed_out:
        raise BadPicture("could not be made smaller in time")
    if ended.exit_code or len(ended.stdout) > most:
        said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise BadPicture(said[:200] or "could not be made smaller")
    return ended.stdout
