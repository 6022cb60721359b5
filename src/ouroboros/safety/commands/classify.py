"""Safe, approve or dangerous."""

from pathlib import Path

from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places


def classify(text: str, *, cwd: Path, places: Places, shell: str = "bash") -> Verdict:
    """What shell text would do; ``places`` are resolved."""
    del text, cwd, places, shell
    return Verdict(kind="approve", reason="the command may change anything", rule="ask.unknown")
