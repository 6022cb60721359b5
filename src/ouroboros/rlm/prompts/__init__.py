"""The words of the REPL mind: one fixed text, the same for every iteration and run with the same functions."""

from ouroboros.rlm.prompts.system import Words, load

__all__ = ["Words", "load"]
