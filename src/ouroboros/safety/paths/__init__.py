"""Where a path really leads, whether it may be used, and how to open it so that it stays what was judged."""

from ouroboros.safety.paths.judge import Judged, judge_path
from ouroboros.safety.paths.places import PROTECTED, Glob, Places, real

__all__ = ["PROTECTED", "Glob", "Judged", "Places", "judge_path", "real"]
