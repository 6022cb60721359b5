"""Which content of each file a session knows, so that nobody else's change is overwritten unseen."""

from collections import OrderedDict
from pathlib import Path

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.safety.paths import real
from ouroboros.workspace.files import bytes_of

_MOST = 10_000


class Seen:
    """A digest for each file that was read or written; the ones longest unused are forgotten."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._digests: OrderedDict[Path, bytes] = OrderedDict()

    def read(self, path: Path) -> None:
        """Notes what a file holds now; one that is too large to be edited is not noted."""
        try:
            self.wrote(path, bytes_of(path, limit=WRITE_BYTES))
        except (ToolFailed, OSError):
            self._digests.pop(real(path), None)

    def wrote(self, path: Path, data: bytes) -> None:
        """Notes what was put into a file."""
        self._digests[real(path)] = _digest(data)
        self._digests.move_to_end(real(path))
        if len(self._digests) > _MOST:
            self._digests.popitem(last=False)

    def changed(self, path: Path, before: bytes, after: bytes) -> None:
        """Notes an edit, unless what it started from was not what the session had seen."""
        if self._digests.get(real(path)) == _digest(before):
            self.wrote(path, after)

    def check(self, path: Path, data: bytes) -> None:
        """Holds ``data``, what the file has now, against what was seen; an unknown file is as it is.

        Raises:
            ToolFailed: Somebody changed it in between.
        """
        known = self._digests.get(real(path))
        if known is not None and known != _digest(data):
            raise ToolFailed(
                f"{path} was changed by somebody else since you last read it, so nothing was "
                "written; read it again and repeat the change on what it holds now"
            )


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b  # a run that reads no file never loads it

    return blake2b(data, digest_size=16).digest()
