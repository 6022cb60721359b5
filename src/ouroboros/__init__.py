"""Ouroboros: one agent for a person's browser and their code.

For programs: ``from ouroboros import Ouroboros``. Importing the package loads none of the engine; what
type checkers see of it stands in ``__init__.pyi``.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """A public name, from where it lives."""
    homes = {
        "Envelope": "ouroboros.core.events",
        "Misuse": "ouroboros.core.errors",
        "Ouroboros": "ouroboros.app.ouroboros",
        "OuroborosError": "ouroboros.core.errors",
        "Outcome": "ouroboros.app.session",
        "Session": "ouroboros.app.session",
        "Settings": "ouroboros.app.settings",
    }
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(homes[name]), name)
