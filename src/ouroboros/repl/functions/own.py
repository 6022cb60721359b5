"""What functions of the session itself work with: what was read, what is kept, and how to answer."""

from collections.abc import Collection
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.parts import Text
from ouroboros.repl.keepsakes import Keepsakes
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.taint import Taint
from ouroboros.tools.tool import Result


class Own(Struct, frozen=True, kw_only=True):
    """The session behind its functions."""

    taint: Taint
    ledger: Ledger
    keepsakes: Keepsakes

    async def has_read(self, path: Path, content: bytes) -> None:
        """Code reads this file now: what it holds of pages counts as read."""
        by = await to_thread.run_sync(self.ledger.of, path, content)
        if by:
            await self.taint.read(*by)

    async def has_found(self, paths: Collection[Path]) -> None:
        """Code sees lines of these files now."""

        def marks() -> set[str]:
            return {origin for path in paths for origin in self.ledger.of_file(path)}

        await self.taint.read(*sorted(await to_thread.run_sync(marks)))

    async def has_listed(self, paths: Collection[Path]) -> None:
        """Code sees these names now."""
        by = await to_thread.run_sync(self.ledger.of_names, paths)
        if by:
            await self.taint.read(*by)

    async def will_write(self, path: Path, content: bytes) -> None:
        """Code writes this file now; raises ``ToolFailed`` when that cannot be noted."""
        await to_thread.run_sync(self.ledger.mark, path, content, self.taint.by)


def given(value: object, said: str) -> Result:
    """A value for code, and one line for the record."""
    return Result(value=msgspec.json.encode(value), parts=(Text(text=said),))
