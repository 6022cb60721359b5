"""What is changed between turns: the model and how it is asked, the history by a summary, the mode."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from ouroboros.agent.context.compaction import CIRCLES
from ouroboros.agent.roles import Journal, Partner
from ouroboros.agent.speaking.reply import error_of
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.commands import Compact, SetMode, SetModel
from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.core.events import SettingsChanged
from ouroboros.core.state import State

type Job = Callable[[], Awaitable[None]]


class Changes:
    """Carries out wishes to go on otherwise."""

    def __init__(
        self,
        state: State,
        journal: Journal,
        mind: Partner,
        speakers: Callable[[str], Awaitable[Speaker]],
    ) -> None:
        """``speakers`` finds a model by name, or raises ``Misuse``."""
        self._state, self._journal, self._mind, self._speakers = state, journal, mind, speakers

    def job(self, command: SetMode | SetModel | Compact, *, running: bool) -> Job | None:
        """What is to be done beside no turn; None for what was done at once.

        Raises:
            Misuse: The command does not fit the moment.
        """
        match command:
            case SetMode(mode=mode):
                if mode != self._state.mode:
                    self._journal.record(SettingsChanged(mode=mode))
                return None
            case SetModel():
                if running:
                    raise Misuse(
                        "the model cannot be changed while a turn runs", hint="stop it first"
                    )
                return lambda: self._set_model(command)
            case Compact(focus=focus):
                if running:
                    raise Misuse(
                        "the history cannot be summarised while a turn runs", hint="stop it first"
                    )
                if not self._mind.can_compact(self._state):
                    raise Misuse("there is nothing to summarise yet")
                return lambda: self._summarise(focus)

    async def ease(self) -> None:
        """Summarises what a model went in circles over; one that cannot goes on as it is."""
        if self._mind.can_compact(self._state):
            with suppress(ModelFailed):
                await self._summarise(CIRCLES)

    async def _set_model(self, wish: SetModel) -> None:
        lineup = self._mind.lineup
        name, tier, speaker = None, wish.service_tier, lineup.speaker
        if wish.model is not None:
            speaker = await self._speakers(wish.model)
        if tier and not speaker.tuning.takes_tier:
            raise Misuse(f"no service tier can be asked of {speaker.name}")
        if wish.model is not None:
            if self._mind.would_fill(self._state, speaker.tuning):
                await self._hand_over()
            if tier is None and self._state.service_tier and not lineup.is_kin(speaker):
                tier = ""
            lineup.lead(speaker)
            name = speaker.name
        changed = SettingsChanged(model=name, effort=wish.effort, service_tier=tier)
        if changed != SettingsChanged():
            self._journal.record(changed)
        lineup.tune(effort=self._state.effort, service_tier=self._state.service_tier)

    async def _hand_over(self) -> None:
        """Lets the old model summarise what the new one could not read.

        Where it cannot, which may be why it is left, the new one has to do with the latest part.
        """
        try:
            await self._summarise("")
        except ModelFailed as failed:
            if failed.failure.kind == "cancelled":  # somebody does not want it
                raise

    async def _summarise(self, focus: str) -> None:
        """Lets the model write it that would answer now, or the next one that can."""
        lineup = self._mind.lineup
        failed: ModelFailed | None = None
        try:
            while True:
                switched = await lineup.choose(failed)
                if switched:
                    self._journal.record(switched)
                try:
                    summary = await self._mind.compact(self._state, "manual", focus)
                    return self._journal.record(summary)
                except ModelFailed as broken:
                    if not lineup.may_replace(broken):
                        raise
                    failed = broken
        except ModelFailed as final:
            self._journal.record(error_of(final))
            raise
