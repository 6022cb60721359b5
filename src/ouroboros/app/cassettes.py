"""Recordings of model traffic as files: kept when a session ends, and played without a network."""

from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.app.config import file as config_file
from ouroboros.app.secrecy import secrets
from ouroboros.core.errors import Misuse
from ouroboros.llm.cassettes.cassette import Cassette, parse
from ouroboros.llm.cassettes.playback import Player, Playing, count
from ouroboros.llm.cassettes.recording import Recording
from ouroboros.llm.cassettes.tap import Setup, Tap
from ouroboros.llm.transport import Transport


class Record:
    """Writes down all that a session says to models; the file is replaced at the session's end."""

    is_offline = False

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        """Raises ``Misuse`` where no file can be made, before anything is paid for."""
        self._file = _writable(file)
        self._recording = Recording(secrets(environment))

    def transport(self, network: Callable[[], Transport]) -> Transport:
        """The real one, overheard."""
        return self._recording.transport(network())

    def chosen(self, setup: Setup) -> None:
        """Kept, so that playing needs no other settings."""
        self._recording.setup = setup

    async def close(self) -> None:
        """Writes the file; raises ``StoreFailed``."""
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._write)

    def _write(self) -> None:
        config_file.write(self._file, self._recording.encode().decode())


class Play:
    """Answers from a recording; nothing is sent, and no key is needed."""

    is_offline = True

    def __init__(self, file: Path, environment: Mapping[str, str], *, strict: bool = False) -> None:
        """Raises ``Misuse`` for what is no recording; ``strict`` takes only the recorded requests."""
        cassette = load(file)
        self.setup = cassette.setup
        self._playing = Playing(cassette, str(file), secrets(environment), strict=strict)

    @property
    def remark(self) -> str:
        """What the person should know of how well the recording fitted; empty where it did."""
        differing = self._playing.differing
        if not differing:
            return ""
        numbers = ", ".join(map(str, differing))
        which = f"request {numbers} was" if len(differing) == 1 else f"requests {numbers} were"
        return f"of {count(self._playing.total)} in the recording, {which} asked otherwise than now"

    def transport(self, network: Callable[[], Transport]) -> Transport:
        """One that has never heard of a network."""
        return Player(self._playing)

    def chosen(self, setup: Setup) -> None:
        """Playing needs not know."""

    async def close(self) -> None:
        """There is nothing to keep."""


class Lent:
    """A tap that its owner closes."""

    def __init__(self, tap: Tap) -> None:
        """The owner closes it."""
        self._tap = tap

    @property
    def is_offline(self) -> bool:
        """As its owner's."""
        return self._tap.is_offline

    def transport(self, network: Callable[[], Transport]) -> Transport:
        """The owner's."""
        return self._tap.transport(network)

    def chosen(self, setup: Setup) -> None:
        """The owner's models are what is kept."""

    async def close(self) -> None:
        """Its owner does that."""


def load(file: Path) -> Cassette:
    """Reads a recording; raises ``Misuse``."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Misuse(
            f"the recording {str(file)!r} cannot be read: {error.strerror}",
            hint="make one with: ouro run --record FILE TASK",
        ) from error
    return parse(content, str(file))


def _writable(file: Path) -> Path:
    target = file.absolute()
    if target.is_dir():
        raise Misuse(f"{str(file)!r} is a folder", hint="name a file to record to")
    if not target.parent.is_dir():
        raise Misuse(f"there is no folder {str(target.parent)!r}", hint="make it first")
    if target.exists() and not target.is_file():
        raise Misuse(f"{str(file)!r} is no file", hint="name a file to record to")
    if not _is_replaceable(target):
        raise Misuse(
            f"{str(file)!r} is there already and is no recording",
            hint="name another file, or remove it",
        )
    return target


def _is_replaceable(target: Path) -> bool:
    """Whether nothing is lost: there is no file, an empty one, or an earlier recording."""
    try:
        content = target.read_bytes()
    except FileNotFoundError:
        return True
    except OSError:  # writing says why
        return True
    try:
        parse(content, "")
    except Misuse:
        return not content.strip()
    return True
