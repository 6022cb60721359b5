"""What is true of a session now, as a fold over its events.

The state belongs to one run and is changed in place by ``apply`` alone; each event costs amortised
O(1), so that 100,000 of them fold in under a second. Folding the serialised log of a session gives
a state equal to the live one. ``present`` holds the values, a module for each subject changes them.
"""

from ouroboros.core.state.fold import State, fold
from ouroboros.core.state.present import CallPhase, OpenCall, Status
from ouroboros.core.state.spent import Spent

__all__ = ["CallPhase", "OpenCall", "Spent", "State", "Status", "fold"]
