"""Know-how about browsers, one page for each topic; read when it is asked for, and never before.

Each is tried, block by block, against a page of the test suite.
"""

from ouroboros.repl.recipes.shelf import NAMES, Shelf

__all__ = ["NAMES", "Shelf"]
