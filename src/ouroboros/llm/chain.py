"""Models in the order a person wants them: who is asked first, who next, and what is said of all."""

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.health import ELSEWHERE, Health, is_well, wakes


def best(names: Sequence[str], health: Health, now: float) -> str:
    """The first that is well; where none is, the one whose rest ends soonest."""
    well = (name for name in names if is_well(health, name, now))
    return next(well, None) or min(names, key=lambda name: wakes(health, name))


def following(
    names: Sequence[str], failed: Mapping[str, Failure], health: Health, now: float
) -> str | None:
    """Who is asked when some have failed at this request: one that is well, else one that only rests.

    None where the others have failed for good.
    """
    others = [name for name in names if name not in failed and wakes(health, name) < math.inf]
    return best(others, health, now) if others else None


def may_follow(failed: ModelFailed) -> bool:
    """Whether another model may be asked in the place of the one that failed."""
    return failed.failure.kind in ELSEWHERE and not failed.counted


def none_left(names: Sequence[str], health: Health, *, hint: str) -> ModelFailed:
    """The failure of all of them together, in the kind of the first; all have an entry in ``health``."""
    first = health[names[0]].failure
    reasons = "; ".join(f"{name}: {health[name].failure.message.rstrip('.')}" for name in names)
    message = f"None of {len(names)} models answers. {reasons}."
    return ModelFailed(replace(first, message=message, retryable=False), hint=hint)
