"""The reviewer: a session apart from the one that wants a review, which may only read."""

from collections.abc import Callable, Mapping
from pathlib import Path

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.review import reading
from ouroboros.agent.running.hooked import Children
from ouroboros.app.apart import TOOLS, Ended, Opener, Room, replied
from ouroboros.app.review import changes, placing
from ouroboros.app.review.changes import Part
from ouroboros.app.review.subjects import Subject, subject
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Review
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope, ErrorRaised, Event
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.events.review import ReviewOutput, ReviewProgressed

_SHARE = 0.4
"""Of a window, what one part of a change may take; the rest is for reading around it."""

_MOST_TOKENS = 60_000
_LEAST_TOKENS = 500
_OWN_FILES = "The files on disk hold the change: read what you need around it."
_OTHER_FILES = "The files on disk may be later or earlier than this commit: where they differ, the diff counts."
_NUMBERED = "Before each line stands its number in the new file; lines that are gone have none."
_ASKED = "Answer with the JSON object alone."


class Ground(Struct, frozen=True, kw_only=True):
    """What a reviewer needs of the session that wants a review.

    Attributes:
        rubric: By what it judges.
        model: What the session works with now.
        window: How many tokens that reads at once.
        children: Hears of each reader, and may refuse it or send it back.
    """

    settings: Settings
    cwd: Path
    environment: Mapping[str, str]
    record: Callable[[Event], None]
    open: Opener
    rubric: str
    model: Callable[[], str]
    window: Callable[[], int]
    children: Children


class Reviewer:
    """Makes reviews for one session."""

    def __init__(self, ground: Ground) -> None:
        """Looks at nothing yet."""
        self._ground = ground

    async def prepare(self, wish: Review) -> "Assignment":
        """Finds out what is to be reviewed; raises ``Misuse`` where there is nothing."""
        found = await subject(wish, self._ground.cwd, self._ground.environment)
        focus = "" if wish.target == "custom" else wish.focus
        return Assignment(self._ground, found, focus)


class Assignment:
    """One review."""

    def __init__(self, ground: Ground, subject: Subject, focus: str) -> None:
        """``focus`` is what the person wants to have looked at in particular."""
        self._ground, self._subject, self._focus = ground, subject, focus

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
            found.append(await self._reading(self._task(part, number, len(parts))))
        if not parts:
            found.append(await self._reading(self._task(None, 1, 1)))
        review = reading.joined(found)
        notes = (*subject.notes, *_notes(parts, subject), *review.notes)
        review = replace(review, notes=tuple(dict.fromkeys(notes)))
        return await to_thread.run_sync(placing.placed, review, subject)

    def _task(self, part: Part | None, number: int, count: int) -> str:
        subject = self._subject
        focus = (
            f"The person asks to look at this in particular: {self._focus}" if self._focus else ""
        )
        if part is None:
            return "\n\n".join(filter(None, (f"Review: {subject.task}", focus, _ASKED)))
        pieces = [f"Review {subject.task}.", focus]
        if count > 1:
            pieces.append(
                f"The change is read in {count} parts, each by itself; this is part {number}. Report "
                "only what is wrong in this part."
            )
        pieces.append(_OWN_FILES if subject.on_disk else _OTHER_FILES)
        pieces.append(f"Paths of the diff begin at {subject.root}. {_NUMBERED} The diff:")
        pieces += [f"<diff>\n{part.text.rstrip()}\n</diff>", _ASKED]
        return "\n\n".join(filter(None, pieces))

    async def _reading(self, task: str) -> ReviewOutput:
        """One reader's review of one part."""
        problem, child, model = "", "", self._ground.settings.review.model or self._ground.model()

        def hear(envelope: Envelope) -> None:
            nonlocal problem
            if isinstance(envelope.data, ErrorRaised):
                problem = envelope.data.message
            elif reply := replied(envelope.data, child, model):
                self._ground.record(reply)

        reason = "cancelled"
        try:
            settings = confined(self._ground.settings, model, self._ground.rubric)
            async with self._ground.open(settings, TOOLS) as room:
                child = room.id
                self._ground.record(SubagentStarted(child=child, task=f"review {self.subject}"))
                room.listen(hear)
                ended = await self._answered(room, task)
                reason = ended.reason
        except OuroborosError:
            reason = "failed"
            raise
        finally:
            if child:
                self._ground.record(SubagentCompleted(child=child, reason=reason))
        if reason == "failed":
            raise OuroborosError(f"the reviewer failed: {problem or 'it gave no answer'}")
        found = reading.read(ended.final)
        if reason == "completed":
            return found
        limit = reason.partition(":")[2] or reason
        return replace(
            found, notes=(*found.notes, f"the reviewer was stopped by a limit ({limit})")
        )

    async def _answered(self, room: Room, task: str) -> Ended:
        """The reader's answer, after all that the person's hooks have to say to it."""
        children = self._ground.children
        begun = await children.begins(room.id, "review")
        if begun.refused:
            raise OuroborosError(f"a hook stopped the reviewer: {begun.refused}")
        told = (message.text for message in begun.told)
        ended = await room.run("\n\n".join((*told, task)), typed=0)
        times = 0
        while ended.reason == "completed":
            again = await children.stops(room.id, ended.final, times)
            if not again:
                break
            ended, times = await room.run(again, typed=0), times + 1
        return ended


def confined(settings: Settings, model: str, rubric: str) -> Settings:
    """The settings of a reviewer: it reads, asks nobody, and has the rubric for its instructions."""
    off = (*(name for name in settings.context.off if name != "own"), "core", "permissions", "plan")
    return replace(
        settings,
        model=model,
        mode="plan",
        approval_policy="",
        system=rubric,
        personality="none",
        context=replace(settings.context, off=off),
        tools=replace(
            settings.tools, web_search="off", scripts=False, additional_permissions=False
        ),
        sandbox=replace(settings.sandbox, mode="read-only", network="off"),
        guardian=replace(settings.guardian, enabled=False),
        checkpoints=replace(settings.checkpoints, enabled=False),
        browser=replace(settings.browser, tools=False),
    )


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
    return notes
