"""The words the model is given, one file a piece, each with a version that sessions record."""

from ouroboros.agent.prompts.pieces import Piece, Prompts, load, task

__all__ = ["Piece", "Prompts", "load", "task"]
