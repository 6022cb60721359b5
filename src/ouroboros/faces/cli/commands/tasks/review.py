"""`ouro review`: have a change reviewed by a model that may only read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.commands import Command, Review
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.events.review import ReviewExited
from ouroboros.core.findings import is_review, rank, rendered
from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.flags import Chosen, asking, taped
from ouroboros.faces.wording.face import Ending, Notice, Shown

if TYPE_CHECKING:
    from ouroboros.app.ouroboros import Outcome, Session
    from ouroboros.faces.cli.render.outlet import Outlet

FOUND = 5
"""The exit code where a finding is as grave as --fail-on says."""

_UNREADABLE = "the reviewer's answer was no review, so --fail-on cannot be judged"


@click.command("review")
@click.argument("text", nargs=-1)
@click.option("--uncommitted", is_flag=True, help="What is not committed yet; so by default.")
@click.option("--base", metavar="REF", default="", help="What changed since the work left REF.")
@click.option("--commit", metavar="SHA", default="", help="What one commit changed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--max-findings", type=click.IntRange(min=1), help="Print so many, the worst ones.")
@click.option(
    "--fail-on",
    type=click.Choice(["P0", "P1", "P2", "P3"]),
    help=f"End with {FOUND} where a finding is as grave as that.",
)
@click.option(
    "--output-schema",
    metavar="FILE",
    default="",
    help="A JSON Schema: print the review as one JSON value that fits it.",
)
@asking
@taped
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    text: tuple[str, ...],
    *,
    uncommitted: bool,
    base: str,
    commit: str,
    as_json: bool,
    max_findings: int | None,
    fail_on: str | None,
    output_schema: str,
    **options: object,
) -> int:
    """Review a change of this repository; TEXT says what to look at in particular.

    Without --base or --commit it is what is not committed, new files with it. TEXT alone, with none
    of the three, is reviewed by itself: a file, a design, a question about the code.

    Nothing is changed, run or asked. `ouro chat --continue` goes on with what was found.
    Ends with 0 when done, 1 when it failed, 2 for a mistake in options or where there is nothing to
    review, 5 as --fail-on says, 130 when interrupted.
    """
    words = " ".join(text).encode("utf-8", "replace").decode().strip()
    wish = _wish(words, base=base, commit=commit, uncommitted=uncommitted)
    shape = Shape(
        as_json=as_json,
        most=max_findings,
        fail_on=int(fail_on[1]) if fail_on else None,
        schema=output_schema,
    )
    if output_schema and (as_json or max_findings):
        other = "--json" if as_json else "--max-findings"
        raise Misuse(
            f"--output-schema and {other} contradict each other", hint="say it in the schema"
        )
    return perform(invocation, msgspec.convert(options, Chosen), wish, shape)


class Shape(Struct, frozen=True, kw_only=True):
    """How the review is printed, and from which priority on it is a failure.

    ``schema`` is a file by whose JSON Schema it is printed.
    """

    as_json: bool
    most: int | None
    fail_on: int | None
    schema: str = ""


def _wish(words: str, *, base: str, commit: str, uncommitted: bool) -> Review:
    if bool(base) + bool(commit) + uncommitted > 1:
        raise Misuse(
            "--uncommitted, --base and --commit contradict each other", hint="give one of them"
        )
    if base:
        return Review(target="base", words=base, focus=words)
    if commit:
        return Review(target="commit", words=commit, focus=words)
    if words and not uncommitted:
        return Review(target="custom", words=words)
    return Review(focus=words)


def perform(invocation: Invocation, chosen: Chosen, wish: Review, shape: Shape) -> int:
    """Opens a session, has the change reviewed in it, and gives the exit code."""
    from ouroboros.faces.cli import interrupts
    from ouroboros.faces.cli.runs.schema_file import schema_of
    from ouroboros.faces.cli.runs.taping import equip
    from ouroboros.faces.cli.stage import Streams, open_stage

    streams = Streams.of_process(invocation.environment)
    cwd = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)
    is_machine = shape.as_json or bool(shape.schema)
    wish = replace(wish, output_schema=schema_of(shape.schema, cwd).decode("utf-8", "replace"))

    async def main() -> int:
        from ouroboros.faces.cli.conversation import Conversation

        async with equipment.engine().open(cwd=cwd, chosen=equipment.chosen) as session:
            output = "json" if is_machine else "text"
            stage = open_stage(streams, output, session.state, interactive=False)
            if is_machine:
                stage.face = JsonFace(stage.out, stage.err)
            for warning in session.warnings:
                stage.face.tell(Notice(text=f"warning: {warning}", level="warning"))
            talk = Reviewing(session, wish, shape, stage.face.tell)
            return await Conversation(talk, stage, session.id).once("")

    code = interrupts.run(main)
    equipment.remark()
    return code


class Reviewing:
    """A session whose only run is a review."""

    def __init__(
        self, session: "Session", wish: Review, shape: Shape, tell: Callable[[Notice], None]
    ) -> None:
        """``tell`` shows the person a line."""
        self._session, self._wish, self._shape, self._tell = session, wish, shape, tell
        self._exited: ReviewExited | None = None
        self._replies = 0
        session.listen(self._hear)

    @property
    def outcome(self) -> "Outcome | None":
        """How the last run of another kind ended."""
        return self._session.outcome

    def listen(self, sink: Callable[[Envelope], None]) -> None:
        """Hands on all but the end, which the face is told by ``run``."""

        def hear(envelope: Envelope) -> None:
            if not isinstance(envelope.data, ReviewExited):
                sink(envelope)

        self._session.listen(hear)

    async def warm(self) -> None:
        """Nothing is asked of this session's own model."""

    async def send(self, command: Command) -> None:
        """Carries out a wish."""
        await self._session.send(command)

    async def run(self, text: str, *, typed: int | None = None) -> Ending:
        """Makes the review."""
        del text, typed
        await self._session.send(self._wish)
        exited = self._exited
        if exited is None or exited.outcome != "completed":
            return self._closing("cancelled", "", 130)
        review = exited.review
        if self._shape.schema:
            final = exited.shaped
        elif self._shape.as_json:
            shown = replace(review, findings=review.findings[: self._shape.most])
            final = msgspec.json.encode(shown).decode()
        else:
            final = rendered(review, most=self._shape.most)
        return self._closing("completed", final, self._code(exited))

    def _code(self, exited: ReviewExited) -> int:
        wanted, review = self._shape.fail_on, exited.review
        if wanted is None:
            return 0
        if not is_review(review):
            self._tell(Notice(text=f"error: {_UNREADABLE}", level="error"))
            return 1
        return FOUND if any(rank(one) <= wanted for one in review.findings) else 0

    def _closing(self, reason: str, final: str, code: int) -> Shown:
        return Shown(
            reason=reason,
            final=final,
            turns=self._replies,
            spent=self._session.state.spent,
            exit_code=code,
        )

    def _hear(self, envelope: Envelope) -> None:
        match envelope.data:
            case ReviewExited() as exited:
                self._exited = exited
            case SubagentReplied():
                self._replies += 1
            case _:
                pass


class JsonFace:
    """Writes the review as one line of JSON, and what goes on beside it."""

    def __init__(self, out: "Outlet", err: "Outlet") -> None:
        """Writes nothing yet."""
        self._out, self._err = out, err

    def begin(self) -> None:
        """A review starts."""

    def rest(self) -> None:
        """Nothing runs any more."""

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        from ouroboros.faces.wording.notices import notice

        told = notice(envelope.data)
        if told is not None:
            self.tell(told)

    def tell(self, told: Notice) -> None:
        """Writes a line for the person."""
        self._err.write(f"{told.text}\n" + (f"hint: {told.hint}\n" if told.hint else ""))

    def finish(self, ending: Ending, session: str) -> None:
        """Writes the review."""
        del session
        if ending.final:
            self._out.write(f"{ending.final}\n")
