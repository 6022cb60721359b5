"""Packages that only some people need: how they get into the environment that runs here."""

import shlex
import sys
from pathlib import Path


def how_to_add(extra: str, *, prefix: str = sys.prefix, package: str = __file__) -> str:
    """The command that adds an extra to this environment; looks at nothing but names.

    What ``./ouro`` made for a checkout holds locked packages only and may have no pip.
    """
    checkout = Path(package).parents[3]
    if Path(prefix) == checkout / ".venv":
        return f"{shlex.quote(str(checkout / 'ouro'))} extras add {extra}"
    return f"pip install 'ouroboros[{extra}]'"
