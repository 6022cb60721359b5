"""How a session stands, for whoever decides what may happen."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from ouroboros.core.commands import Mode
from ouroboros.core.state import State
from ouroboros.safety.rules import Around
from ouroboros.safety.untrusted import Known, Outside


class Here:
    """A session's mode, grants and sources, in the folder by its real name, which need not be text."""

    def __init__(
        self,
        state: State,
        cwd: Path,
        *,
        is_online: Callable[[], bool] = lambda: True,
        can_close: Callable[[], bool] = lambda: False,
        temporary: Callable[[], Path | None] = lambda: None,
    ) -> None:
        """``state`` keeps a legible form of ``cwd`` only.

        ``temporary`` is the session's folder for temporary files once there is one; the others are asked once,
        when it matters.
        """
        self._state, self._is_online, self._can_close = state, is_online, can_close
        self._temporary = temporary
        self.cwd = str(cwd)
        self._online: bool | None = None
        self._closable = False
        self._known = Known()
        self._heard: set[str] = set()
        self._heard_early: set[str] = set()

    @property
    def mode(self) -> Mode:
        """How much is asked now."""
        return self._state.mode

    @property
    def granted(self) -> Sequence[str]:
        """Rules that the person allowed until the session ends."""
        return self._state.granted

    @property
    def around(self) -> Around:
        """What was remembered and read, and whether commands reach the network."""
        self._listen()
        grants = self._state.grants
        granted = (rule for grant in grants for rule in grant.rules)
        around = Around(
            remembered=(*self._state.remembered, *granted),
            readable=tuple(Path(name) for grant in grants for name in grant.read),
            writable=tuple(Path(name) for grant in grants for name in grant.write),
            temporary=() if (made := self._temporary()) is None else (made,),
        )
        if not self._state.sources:
            return around
        if self._online is None:
            self._online, self._closable = self._is_online(), self._can_close()
        outside = Outside(sources=tuple(self._state.sources), known=self._known)
        is_online = self._online or any(grant.network for grant in grants)
        return replace(around, outside=outside, is_online=is_online, can_close=self._closable)

    def request_of(self, call_id: str) -> str:
        """The question of a call that is still open from before a restart."""
        found = (asked for asked in self._state.approvals.values() if asked.call_id == call_id)
        return next((asked.request_id for asked in found), "")

    def _listen(self) -> None:
        """Hears the places that the person has named, also in words that are not on the disk yet."""
        state = self._state
        for words, heard in ((state.history, self._heard), (state.queued, self._heard_early)):
            for message in reversed(words):
                if message.id in heard:
                    break
                heard.add(message.id)
                if message.role == "user" and message.kind == "plain":
                    self._known.hear(message.text)
