"""Bundles of files for a model: written and read in both dialects, byte for byte.

::

    reading.read(data) -> Bundle                        raises Refused
    v1.opening(head) + v1.block(file) for each file     the format v1; markers has the same two

Refuses: a bundle that is cut off or broken, and paths that lead out of a folder or into git's own.
"""

from ouroboros.workspace.artifacts.cats.bundle import (
    VERSION,
    Bundle,
    Dialect,
    File,
    Head,
    Metadata,
)
from ouroboros.workspace.artifacts.cats.reading import read

__all__ = ["VERSION", "Bundle", "Dialect", "File", "Head", "Metadata", "read"]
