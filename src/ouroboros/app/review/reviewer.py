"""The reviewer: a session apart from the one that wants a review, which may only read."""

from collections.abc import Sequence

from anyio import to_thread
from msgspec.structs import replace

from ouroboros.agent.context.standing import clipped
from ouroboros.agent.review import reading
from ouroboros.app.apart import TOOLS
from ouroboros.app.review import changes, placing
from ouroboros.app.review.changes import Part, steering_of
from ouroboros.app.review.readers import Ground, Reader, answered, listened
from ouroboros.app.review.subjects import Subject, subject
from ouroboros.core.commands import Review
from ouroboros.core.events.review import ReviewOutput, ReviewProgressed

_SHARE = 0.4
"""Of a window, what one part of a change may take; the rest is for reading around it."""

_MOST_TOKENS = 60_000
_LEAST_TOKENS = 500
_OWN_FILES = "The files on disk hold the change: read what you need around it."
_OTHER_FILES = "The files on disk may be later or earlier than this commit: where they differ, the diff counts."
_NUMBERED = "Before each line stands its number in the new file; lines that are gone have none."
_PARTS = (
    "The change is read in {count} parts, each by itself; this is part {number}. Report only what is "
    "wrong in this part. In the others: {others}."
)
_SAID = (
    "Found in the parts before, and not to be reported again where it is the same thing:\n{said}"
)
_STEERING_SHOWN = 5
_SHOWN = 40
_NAME = 200
_ASKED = "Answer with the JSON object alone."


class Reviewer:
    """Makes reviews for one session."""

    def __init__(self, ground: Ground) -> None:
        """Looks at nothing yet."""
        self._ground = ground

    async def prepare(self, wish: Review) -> "Assignment":
        """Finds out what is to be reviewed; raises ``Misuse`` where there is nothing."""
        if wish.output_schema:
            from ouroboros.agent.shaping.answer import (
                read,
            )  # few reviews are wanted in another form

            await read(wish.output_schema.encode())
        found = await subject(wish, self._ground.cwd, self._ground.environment)
        focus = "" if wish.target == "custom" else wish.focus
        return Assignment(self._ground, found, focus, wish.output_schema)


class Assignment:
    """One review."""

    def __init__(self, ground: Ground, subject: Subject, focus: str, written: str = "") -> None:
        """``focus`` is what to look at in particular, ``written`` a JSON Schema for the answer."""
        self._ground, self._subject, self._focus = ground, subject, focus
        self._written = written

    @property
    def subject(self) -> str:
        """What is reviewed, in words."""
        return self._subject.name

    async def review(self) -> ReviewOutput:
        """Reads the change, in parts where it is too large, and gives what was found.

        Raises:
            OuroborosError: The model could not be asked.
        """
        subject = self._subject
        room = min(int(self._ground.window() * _SHARE), _MOST_TOKENS)
        parts = changes.parts(subject.files, max(room, _LEAST_TOKENS))
        found: list[ReviewOutput] = []
        for number, part in enumerate(parts, 1):
            if len(parts) > 1:
                progress = ReviewProgressed(part=number, parts=len(parts), files=part.paths)
                self._ground.record(progress)
            found.append(await self._reading(self._task(part, number, parts, found)))
        if not parts:
            found.append(await self._reading(self._task(None, 1, (), ())))
        review = reading.joined(found)
        notes = (*subject.notes, *_notes(parts, subject), *review.notes)
        review = replace(review, notes=tuple(dict.fromkeys(notes)))
        return await to_thread.run_sync(placing.placed, review, subject)

    def _task(
        self,
        part: Part | None,
        number: int,
        parts: tuple[Part, ...],
        found: Sequence[ReviewOutput],
    ) -> str:
        subject = self._subject
        focus = (
            f"The person asks to look at this in particular: {self._focus}" if self._focus else ""
        )
        if part is None:
            return "\n\n".join(filter(None, (f"Review: {subject.task}", focus, _ASKED)))
        pieces = [f"Review {subject.task}.", focus]
        if len(parts) > 1:
            others = _others(part, parts)
            pieces.append(_PARTS.format(count=len(parts), number=number, others=others))
            pieces.append(_said(found))
        pieces.append(_OWN_FILES if subject.on_disk else _OTHER_FILES)
        pieces.append(f"Paths of the diff begin at {subject.root}. {_NUMBERED} The diff:")
        pieces += [f"<diff>\n{part.text.rstrip()}\n</diff>", _ASKED]
        return "\n\n".join(filter(None, pieces))

    async def shaped(self, review: ReviewOutput) -> str:
        """The review as JSON by the schema that was asked for, else nothing.

        Raises:
            OuroborosError: The model does not manage, or could not be asked.
        """
        if not self._written:
            return ""
        from ouroboros.app.review.shaping import shaped

        return await shaped(self._ground, review, self._written)

    async def _reading(self, task: str) -> ReviewOutput:
        """One reader's review of one part."""
        ground = self._ground
        reader = Reader(task=f"review {self.subject}", rubric=ground.rubric, tools=TOOLS)
        ended = await listened(ground, reader, lambda room: answered(ground, room, task))
        found = reading.read(ended.final)
        if ended.reason == "completed":
            return found
        limit = ended.reason.partition(":")[2] or ended.reason
        return replace(
            found, notes=(*found.notes, f"the reviewer was stopped by a limit ({limit})")
        )


def _others(part: Part, parts: tuple[Part, ...]) -> str:
    """The files that are read elsewhere, as far as they are to be named."""
    paths = [path for each in parts if each is not part for path in each.paths]
    names = [clipped(path, _NAME) for path in dict.fromkeys(paths)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _said(found: Sequence[ReviewOutput]) -> str:
    """What earlier readers found, the worst of it."""
    worst = reading.joined(found).findings[:_SHOWN] if found else ()
    lines = [
        f"- {clipped(one.title, _NAME)} ({clipped(one.code_location.absolute_file_path, _NAME)})"
        for one in worst
    ]
    return _SAID.format(said="\n".join(lines)) if lines else ""


def _notes(parts: tuple[Part, ...], subject: Subject) -> list[str]:
    notes: list[str] = []
    if len(parts) > 1:
        notes.append(
            f"the change was too large for one reading and was read in {len(parts)} parts, each by "
            "itself: what goes wrong only between them may be missed"
        )
    if any(part.is_cut for part in parts):
        notes.append("of some files only the ends of what changed were read")
    binary = [file.path for file in subject.files if file.binary]
    if binary:
        shown = ", ".join(binary[:3])
        more = f" and {len(binary) - 3} more" if len(binary) > 3 else ""
        notes.append(f"not looked into, for they are no text: {shown}{more}")
    steering = steering_of(*(path for file in subject.files for path in (file.path, file.before)))
    if steering:
        shown = ", ".join(
            f"{path} ({what})" for path, what in [*steering.items()][:_STEERING_SHOWN]
        )
        more = len(steering) - _STEERING_SHOWN
        notes.append(
            f"also changes what steers later runs: {shown}{f' and {more} more' if more > 0 else ''}"
        )
    return notes
