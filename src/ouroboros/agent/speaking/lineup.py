"""The models of a session in order of preference, and which of them is asked now."""

from collections.abc import Awaitable, Callable
from typing import get_args

from msgspec.structs import replace

from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, Misuse, ModelFailed
from ouroboros.core.events import ModelSwitched
from ouroboros.llm import chain
from ouroboros.llm.health import Health, after_answer, after_failure
from ouroboros.llm.request import Effort

_LEVELS: dict[Effort, int] = {
    level: place for place, level in enumerate(get_args(Effort.__value__))
}


class Lineup:
    """Chooses the speaker: the first that is well, before each turn and after each failure.

    What is known of a model's health lasts as long as the session is open.
    """

    def __init__(
        self,
        first: Speaker,
        *,
        clock: Clock,
        others: tuple[str, ...] = (),
        connect: Callable[[str], Awaitable[Speaker]],
    ) -> None:
        """``connect`` opens one of ``others`` when it is first needed, or raises ``Misuse``."""
        self._clock, self._others, self._connect = clock, others, connect
        self._effort: Effort | None = None
        self._service_tier: str | None = None
        self._failed: dict[str, Failure] = {}
        self.lead(first)

    @property
    def speaker(self) -> Speaker:
        """The model that is asked now, tuned as the session wants it."""
        return self._speaker

    def lead(self, first: Speaker) -> None:
        """Puts a model before the others; all count as well again."""
        self._open = {first.name: first}
        self._names = (first.name, *(name for name in self._others if name != first.name))
        self._health: Health = {}
        self._before = ""
        self._speaker = self._tuned(first)

    @property
    def summariser(self) -> Speaker:
        """Who is asked for a summary: the one that is asked now, or the one that was until just now.

        A model that did not fail, and sees more than the one that takes over from it, can read all.
        """
        if not self._before:
            return self._speaker
        old = self._tuned(self._open[self._before])
        return old if old.tuning.window > self._speaker.tuning.window else self._speaker

    def tune(self, *, effort: Effort | None, service_tier: str | None) -> None:
        """Sets what is asked of every model from now on; None leaves it to their own tuning.

        A service tier is a vendor's word: models of another vendor than the first's are not told.
        """
        self._effort, self._service_tier = effort, service_tier
        self._speaker = self._tuned(self._open[self._speaker.name])

    def learn(self, name: str, tuning: Tuning) -> None:
        """Takes over the window of a tuning: what a model can see was found out meanwhile."""
        if name not in self._open:
            return
        found = self._open[name]
        room = replace(
            found.tuning,
            window=tuning.window,
            known_window=tuning.known_window,
            takes_images=tuning.takes_images,
            most_images=tuning.most_images,
        )
        self._open[name] = replace(found, tuning=room)
        if self._speaker.name == name:
            self._speaker = self._tuned(self._open[name])

    def is_kin(self, speaker: Speaker) -> bool:
        """Whether the model is of the vendor of the first one, and knows the same words."""
        first = self._open[self._names[0]].model.origin
        return speaker.model.origin.provider == first.provider

    def may_replace(self, failed: ModelFailed) -> bool:
        """Whether another model may be asked instead; ``choose`` then knows whether one can."""
        return len(self._names) > 1 and chain.may_follow(failed)

    async def choose(self, failed: ModelFailed | None) -> ModelSwitched | None:
        """Settles who is asked next, and says so where it is another one than before.

        Args:
            failed: How the model before failed at this request; None when a turn begins.

        Raises:
            ModelFailed: All have failed or rest; names each and why.
        """
        old = self._speaker.name
        if failed is None:
            self._failed = {}
            name = chain.best(self._names, self._health, self._clock.monotonic())
        else:
            name = self._after(old, failed.failure)
        while name is not None and name not in self._open:
            try:
                self._open[name] = await self._connect(name)
            except Misuse as misuse:
                failure = Failure(kind="invalid_request", message=misuse.message)
                failed = failed or ModelFailed(failure, hint=misuse.hint)
                name = self._after(name, failure)
        if name is None:
            hint = failed.hint if failed else ""
            raise chain.none_left(self._names, self._health, hint=hint)
        if name == old:
            return None
        self._speaker = self._tuned(self._open[name])
        failure = failed.failure if failed else None
        self._before = "" if failed else old
        return ModelSwitched(
            old=old,
            new=name,
            kind=failure.kind if failure else "",
            reason=failure.message if failure else "",
        )

    def answered(self) -> None:
        """The speaker gave a reply."""
        self._before = ""
        if self._health:
            self._health = after_answer(self._health, self._speaker.name)

    def _after(self, name: str, failure: Failure) -> str | None:
        now = self._clock.monotonic()
        self._failed[name] = failure
        self._health = after_failure(self._health, name, failure, now)
        return chain.following(self._names, self._failed, self._health, now)

    def _tuned(self, speaker: Speaker) -> Speaker:
        tuning = speaker.tuning
        effort, tier = nearest(self._effort or tuning.effort, tuning.efforts), tuning.service_tier
        if self._service_tier is not None:
            tier = self._service_tier or None
        if not self.is_kin(speaker):
            tier = None
        return replace(speaker, tuning=replace(tuning, effort=effort, service_tier=tier))


def nearest(effort: Effort | None, known: tuple[Effort, ...] | None) -> Effort | None:
    """The level of ``known`` that is closest to the one that is wanted, the lower of two."""
    if effort is None or known is None or effort in known:
        return effort
    return min(known, key=lambda level: abs(_LEVELS[level] - _LEVELS[effort]), default=None)
