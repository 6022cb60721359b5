"""The one tool of a model that chooses files: looks for text in the candidates, and nowhere else."""

import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ouroboros.core.parts import ToolSpec
from ouroboros.fleet.curate.searcher import MOST_HITS, MOST_IN_FILE, Found, Wish
from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.spawn import run
from ouroboros.tools.builtin.walker import glob_expression

SEARCH_SECONDS = 10.0
_ANSWER_BYTES = 4_194_304


class Arguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to look for."""

    pattern: Annotated[
        str, Meta(min_length=1, max_length=1_000, description="regular expression, in any case")
    ]
    glob: Annotated[
        str, Meta(max_length=1_000, description="only in files such as *.py or src/**")
    ] = ""


def spec() -> ToolSpec:
    """The tool as a model is told of it."""
    schema = msgspec.json.schema_components([Arguments])[1]["Arguments"]
    return ToolSpec(
        name="search",
        description=(
            f"Find lines in the candidate files; up to {MOST_HITS} hits as path:line: text, "
            f"{MOST_IN_FILE} of a file."
        ),
        schema=msgspec.json.encode(schema).decode(),
    )


class Search:
    """Searches a fixed set of files below one folder."""

    def __init__(
        self,
        root: Path,
        paths: Collection[str],
        environment: Mapping[str, str],
        *,
        seconds: float = SEARCH_SECONDS,
    ) -> None:
        """``paths`` are all that is ever opened; a search takes at most so many seconds."""
        self._root, self._paths, self._environment = root, tuple(paths), environment
        self._seconds = seconds
        self._detector = Detector()

    async def answer(self, arguments: str) -> tuple[str, bool]:
        """What the model reads, and whether the search was one; secrets in it are masked."""
        import re

        try:
            wanted = msgspec.json.decode(arguments, type=Arguments)
            glob = re.compile(glob_expression(wanted.glob)) if wanted.glob else None
        except (msgspec.MsgspecError, ValueError, re.error, RecursionError) as wrong:
            return f"the call is wrong: {str(wrong)[:300]}", False
        paths = tuple(path for path in self._paths if glob is None or glob.fullmatch(path))
        if not paths:
            return f"no candidate fits the glob {wanted.glob!r}", True
        found = await self._found(Wish(root=str(self._root), pattern=wanted.pattern, paths=paths))
        if found is None:
            return f"the search took over {self._seconds:g} seconds; use a simpler pattern", False
        if found.error:
            return found.error[:300], False
        if not found.hits:
            return f"no line of {len(paths):,} files fits", True
        lines = [f"{each.path}:{each.line}: {each.text}" for each in found.hits]
        more = "; not all lines are shown" if found.is_cut else ""
        head = f"{found.files:,} of {len(paths):,} files searched have such lines{more}\n"
        return head + self._detector.redacted("\n".join(lines)), True

    async def _found(self, wish: Wish) -> Found | None:
        ended = await run(
            (sys.executable, "-I", "-m", "ouroboros.fleet.curate.searcher"),
            cwd=Path(os.sep),
            environment=self._environment,
            timeout_seconds=self._seconds,
            stdin=msgspec.json.encode(wish),
            limit=_ANSWER_BYTES,
        )
        if ended.exit_code != 0:
            return None
        return msgspec.json.decode(ended.stdout, type=Found)
