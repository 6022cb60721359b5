"""Where whole outputs are kept that a model is shown a part of."""

from pathlib import Path

from anyio import to_thread

from ouroboros.safety.leaks import Leaks
from ouroboros.store import Blobs


class Outputs:
    """Keeps whole outputs as blobs, without secrets, under paths that ``read`` may open."""

    def __init__(self, home: Path, leaks: Leaks) -> None:
        """Nothing is made before the first output."""
        self._leaks = leaks
        self._blobs = Blobs(home)
        self._folder = home / "blobs"

    async def keep(self, data: bytes) -> str:
        """The path under which the bytes are."""
        name = await to_thread.run_sync(lambda: self._blobs.put(self._leaks.redacted_bytes(data)))
        return str(self._folder / name[:2] / name)
