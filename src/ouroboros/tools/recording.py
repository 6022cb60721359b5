"""Puts on record how a call ended, cut to what a model may read."""

import logging

import anyio
import msgspec
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import CallStatus, ToolResulted
from ouroboros.core.limits import PREVIEW_CHARS
from ouroboros.core.parts import Text
from ouroboros.tools.passage import Passage, storable
from ouroboros.tools.result import DETAIL_BYTES, Spill, bounded, cut, encoded, flowing
from ouroboros.tools.seams import Journal
from ouroboros.tools.tool import Result

_KEEP_SECONDS = 5.0

_log = logging.getLogger(__name__)


class Recorder(Struct, frozen=True, kw_only=True):
    """Where results go; ``limit`` is how many bytes of text one may show the model."""

    journal: Journal
    clock: Clock
    spill: Spill
    limit: int

    async def finish(self, passage: Passage, result: Result, status: CallStatus) -> ToolResulted:
        result = storable(result)
        size = sum(len(part.text) for part in result.parts if isinstance(part, Text))
        limit = self.limit if result.most is None else min(self.limit, result.most)
        # Four bytes a character at most: short texts need no second look.
        if size * 4 <= limit:
            return self.result(passage, result, status, size=None)
        short = bounded(result.parts, limit=limit)
        where = await self._keep(short.original) if short.truncated else ""
        if where:
            short = bounded(result.parts, limit=limit, where=where)
        return self.result(
            passage,
            msgspec.structs.replace(result, parts=short.parts),
            status,
            size=len(short.original),
            where=where,
        )

    async def _keep(self, data: bytes) -> str:
        # The effect has happened: a cancel now must not turn it into an aborted call.
        with anyio.move_on_after(_KEEP_SECONDS, shield=True):
            try:
                return await self.spill.keep(data)
            except (OSError, StoreFailed):
                _log.exception("the whole output could not be kept")
        return ""

    def result(
        self,
        passage: Passage,
        result: Result,
        status: CallStatus,
        *,
        size: int | None = None,
        where: str = "",
    ) -> ToolResulted:
        shown = sum(
            len(part.text.encode("utf-8", "replace"))
            for part in result.parts
            if isinstance(part, Text)
        )
        event = ToolResulted(
            call_id=passage.call.id,
            name=passage.name,
            status=status,
            parts=flowing(result.parts),
            seconds=passage.spent(self.clock.monotonic()),
            original_bytes=shown if size is None else size,
            truncated=size is not None and size > shown,
            blob=where,
            detail=cut(result.detail, DETAIL_BYTES),
            final=result.final and status == "done",
            answer=result.answer,
            sources=_sources(passage),
        )
        self.journal.record(event)
        return event

    def inner(self, passage: Passage, result: Result, status: CallStatus) -> None:
        """Puts the end of a call that code made on record: how it ended, and the size of its value."""
        parts: tuple[Text, ...] = ()
        if status != "done":
            parts = (Text(text=_reason(result)),)
        self.journal.record(
            ToolResulted(
                call_id=passage.call.id,
                name=passage.name,
                status=status,
                parts=parts,
                seconds=passage.spent(self.clock.monotonic()),
                original_bytes=len(result.value or b""),
                within=passage.within,
                sources=_sources(passage),
                title="" if passage.is_announced else passage.title,
                steps=() if passage.is_announced else tuple(passage.steps),
            )
        )


def _sources(passage: Passage) -> tuple[str, ...]:
    return (encoded(passage.source).decode(),) if passage.source else ()


def _reason(result: Result) -> str:
    """Why a call of code failed, in no more words than a preview has: they may be a page's."""
    words = " ".join(part.text for part in result.parts if isinstance(part, Text))
    return encoded(words[:PREVIEW_CHARS]).decode()
