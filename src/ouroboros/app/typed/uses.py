"""How often and how lately a person used each command: what a list of them is ordered by."""

from contextlib import suppress
from pathlib import Path

import msgspec

from ouroboros.core.clock import Clock
from ouroboros.safety.private_file import replacing

_HALF_LIFE = 14 * 86_400.0
_MOST = 200
_FILE_BYTES = 262_144

_Uses = dict[str, tuple[float, float]]


class Uses:
    """A weight for each command, which halves in two weeks without a use; kept in the home folder."""

    def __init__(self, home: Path, clock: Clock) -> None:
        """Reads what is there; a file that cannot be read is no use yet. Blocking."""
        self._path, self._clock = home / "uses.json", clock
        self._uses = _read(self._path)

    def weight(self, name: str) -> float:
        """The uses of a command, as far as they are not long ago; 0 for one that never was used."""
        weight, last = self._uses.get(name, (0.0, 0.0))
        age = max(self._clock.now() - last, 0.0)
        return weight * 0.5 ** (age / _HALF_LIFE)

    def note(self, name: str) -> None:
        """Counts a use; blocking. Going on matters more than remembering it."""
        others = _read(self._path)  # another program may have counted meanwhile
        self._uses = {**self._uses, **others}
        self._uses[name] = (self.weight(name) + 1.0, self._clock.now())
        latest = sorted(self._uses.items(), key=lambda item: item[1][1])[-_MOST:]
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._path) as file:
                file.write(msgspec.json.encode(dict(latest)))


def _read(path: Path) -> _Uses:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_FILE_BYTES), type=_Uses)
    except (OSError, msgspec.DecodeError):
        return {}
