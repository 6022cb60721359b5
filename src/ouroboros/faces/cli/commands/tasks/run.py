"""`ouro run`: one task, then the end."""

import os
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import click
import msgspec

from ouroboros.core.errors import Misuse, OuroborosError, unwrapped
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen, aimed, resumed, shared, with_browser
from ouroboros.faces.cli.runs import goal as goals
from ouroboros.faces.cli.runs.taping import equip
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.core.commands import SetGoal
    from ouroboros.faces.cli.stage import Output, Streams

STDIN_BYTES = 10 * 1_048_576
_PATIENCE_SECONDS = 0.5


@click.command("run")
@click.argument("task", nargs=-1)
@click.option("-p", "--prompt", default="", metavar="TEXT", help="The task, as an option.")
@click.option(
    "--output",
    type=click.Choice(["text", "json", "stream-json"]),
    default="text",
    show_default=True,
    help="For people, one JSON object, or one event a line.",
)
@click.option("--non-interactive", is_flag=True, help="Never ask; what needs approval is denied.")
@click.option(
    "--cache",
    is_flag=True,
    help="Answer a request that was made before from the replies that were kept.",
)
@click.option(
    "--ephemeral",
    is_flag=True,
    help="Keep nothing: no session to go on with, no checkpoints to undo by, no caches.",
)
@click.option(
    "--output-schema",
    metavar="FILE",
    default="",
    help="A JSON Schema: the answer is one JSON value that fits it, or the run fails.",
)
@click.option("--plan", metavar="FILE", default="", help="Follow a plan, and tell departures.")
@aimed
@with_browser
@shared
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    task: tuple[str, ...],
    prompt: str,
    output: str,
    *,
    non_interactive: bool,
    ephemeral: bool,
    output_schema: str,
    plan: str,
    goal: str | None,
    budget: int | None,
    **options: object,
) -> int:
    """Do TASK, then end.

    The task may also come from standard input; when both are given, what is read there is added.
    The answer goes to standard output, everything else to standard error.

    Ends with 0 when done, 1 when it failed, 2 for a mistake in options or settings, 3 at a limit,
    130 when interrupted. Calls that nobody was there to approve are refused and told at the end; with
    --strict-approvals such a run ends with 4.
    """
    from ouroboros.faces.cli.stage import Streams

    streams = Streams.of_process(invocation.environment)
    wanted = cast("Output", output)
    chosen = msgspec.convert(options, Chosen)
    words = " ".join((*filter(None, [prompt]), *task))
    form = Form(ephemeral=ephemeral, schema=output_schema, plan=plan)

    def given() -> str:
        is_aimed = goal is not None or budget is not None
        if (is_aimed or plan) and not words and streams.types:
            return ""
        text = task_text(words, streams)
        if not text and not (chosen.latest or chosen.resume or goal or plan):
            raise Misuse("there is no task", hint="give it as words, with -p, or on standard input")
        return text

    # Without words, what is piped in is the task itself.
    typed = len(words.strip()) if words.strip() not in {"", "-"} else None
    try:
        aim = goals.wish(goal, budget)
        return perform(
            invocation,
            chosen,
            streams,
            wanted,
            task=given,
            silent=non_interactive,
            typed=typed,
            aim=aim,
            form=form,
        )
    except (OuroborosError, ExceptionGroup) as error:
        problem = unwrapped(error)
        if wanted == "json" and isinstance(problem, OuroborosError):
            _refuse(problem)
        raise


def task_text(words: str, streams: "Streams") -> str:
    """The task: the words, what standard input holds, or both.

    Raises:
        Misuse: Standard input holds more than any model reads.
    """
    words = words.encode("utf-8", "replace").decode()
    if words.strip() == "-":
        words = ""
    if streams.types:
        return words.strip()
    ready, _, _ = select.select([streams.stdin], [], [], _PATIENCE_SECONDS)
    if not ready:
        note("reading the task from standard input, until it ends")
    with os.fdopen(os.dup(streams.stdin), "rb") as opened:
        content = opened.read(STDIN_BYTES + 1)
    if len(content) > STDIN_BYTES:
        raise Misuse(
            f"standard input holds more than {STDIN_BYTES:,} bytes",
            hint="name a file in the task instead, so that the agent reads what it needs",
        )
    return "\n\n".join(filter(None, (words.strip(), content.decode("utf-8", "replace").strip())))


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a run: nothing of an ephemeral one; an answer by the ``schema`` of a file.

    With a ``plan`` it is held to that file.
    """

    ephemeral: bool = False
    schema: str = ""
    plan: str = ""


def perform(
    invocation: Invocation,
    chosen: Chosen,
    streams: "Streams",
    output: "Output",
    *,
    task: Callable[[], str],
    silent: bool,
    typed: int | None = None,
    aim: "SetGoal | None" = None,
    form: Form | None = None,
) -> int:
    """Opens a session as chosen, says the task, and waits for the end; gives the exit code.

    ``typed`` characters of the task are the person's, the rest was handed in; by default all are.
    With an ``aim`` it goes on until that is reached, and without a task it begins with it.
    ``form`` says what is left of it.
    """
    form = form or Form()
    if form.ephemeral:
        _refuse_files(chosen)
    cwd = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)
    loaded = equipment.loaded
    schema = b""
    if form.schema:
        from ouroboros.faces.cli.runs.schema_file import schema_of

        schema = schema_of(form.schema, cwd)
    text = task()
    held = None
    if form.plan:
        from ouroboros.faces.cli.runs.plan_held import Held

        held = Held(form.plan, cwd, loaded.home, invocation.environment)
        text = held.task(text)
    interactive = output == "text" and not silent and streams.converses
    resume = resumed(chosen, loaded.home, cwd, person=interactive)

    from ouroboros.faces.cli import interrupts

    async def main() -> int:
        from ouroboros.faces.cli.conversation import Conversation
        from ouroboros.faces.cli.stage import open_stage

        async with equipment.engine().open(
            cwd=cwd,
            resume=resume,
            latest=chosen.latest,
            interactive=interactive,
            at=chosen.at,
            chosen=equipment.chosen,
            ephemeral=form.ephemeral,
            output_schema=schema,
        ) as session:
            stage = open_stage(streams, output, session.state, interactive=interactive)
            for warning in session.warnings:
                stage.face.tell(Notice(text=f"warning: {warning}", level="warning"))
            if held is not None:
                held.listen(session, stage.face)
            was = goals.standing(session.state)
            talk = goals.Aimed(session, aim) if aim is not None else session
            name = "" if form.ephemeral else session.id
            code = await Conversation(talk, stage, name).once(text, typed)
            return goals.exit_code(was, goals.standing(session.state), code)

    code = interrupts.run(main)
    if held is not None:
        held.end()
    equipment.remark()
    return code


def _refuse_files(chosen: Chosen) -> None:
    """What cannot do without files; raises ``Misuse``."""
    wanted = {
        "--continue": chosen.latest,
        "--resume": chosen.resume,
        "--browser": chosen.browser,
        "--cache": chosen.cache,
    }
    for option, is_given in wanted.items():
        if is_given:
            raise Misuse(f"--ephemeral and {option} contradict each other", hint="give one of them")


def _refuse(problem: OuroborosError) -> None:
    from ouroboros.faces.cli.render.machine import refusal

    sys.stdout.buffer.write(refusal(problem))
    sys.stdout.buffer.flush()
