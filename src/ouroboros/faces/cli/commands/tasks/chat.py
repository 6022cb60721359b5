"""`ouro chat`: tasks one after the other, with the person there."""

from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from ouroboros.app.past import sessions
from ouroboros.app.typed.history import History, cleaner
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.conversation import Conversation
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen, resumed, shared, with_browser
from ouroboros.faces.cli.prompting.attaching import Attaching
from ouroboros.faces.cli.prompting.completing import Completing
from ouroboros.faces.cli.prompting.input import Lines
from ouroboros.faces.cli.runs.goal import aim
from ouroboros.faces.cli.runs.taping import Equipment, equip
from ouroboros.faces.cli.stage import Streams, text_stage
from ouroboros.faces.slashes.table import NEW, Seat, heard
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import count, going_on, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from ouroboros.app.ouroboros import Session


@click.command("chat")
@click.argument("task", nargs=-1)
@click.option("--non-interactive", is_flag=True, help="Never ask; what needs approval is denied.")
@click.option(
    "--read-only", is_flag=True, help="Only see what happens in the session that is named."
)
@with_browser
@shared
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    task: tuple[str, ...],
    *,
    non_interactive: bool,
    read_only: bool,
    **options: object,
) -> int:
    """Work together, turn by turn; TASK is the first one.

    While a turn runs, what you type reaches the model at its next step. Ctrl-C stops the turn,
    Ctrl-C again leaves. Lines that begin with a slash are commands; /help lists them. One that
    begins with ! runs in your own shell, and the model is told what came out.
    """
    streams = Streams.of_process(invocation.environment)
    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)
    interactive = streams.converses and not non_interactive
    chat = _Chat(equipment, cwd, streams, answers=interactive)
    resume = resumed(chosen, equipment.loaded.home, cwd, person=interactive)
    if read_only:
        _read_along(equipment.loaded.home, cwd, resume, latest=chosen.latest)
        return 0
    first = " ".join(task).encode("utf-8", "replace").decode()
    code = interrupts.run(partial(chat.talk, first, resume, chosen.at, chosen.latest))
    equipment.remark()
    return code


def _read_along(home: "Path", cwd: "Path", resume: str, *, latest: bool) -> None:
    from ouroboros.faces.cli.commands.past.following import read_along

    found = sessions.latest(home, str(cwd)) if latest else None
    name = found.id if found else resume
    if not name:
        raise Misuse("--read-only reads a session along", hint="name it with --resume")
    read_along(home, name)


class _Chat:
    """One chat, over as many sessions as the person goes through."""

    def __init__(
        self, equipment: Equipment, cwd: "Path", streams: Streams, *, answers: bool
    ) -> None:
        """``answers``: somebody is there who can answer questions."""
        self._equipment = equipment
        self._loaded = equipment.loaded
        self._cwd = cwd
        self._streams = streams
        self._answers = answers
        clean = cleaner(equipment.environment, self._loaded.settings)
        self._history = History(self._loaded.home, clean)
        self._lines = Lines(streams.stdin)
        self._unheard: list[str] = []

    async def talk(self, first: str, resume: str, at: str, latest: bool) -> int:
        """Opens one session after the other until the person leaves."""
        code = 0
        # Who asks the same again in a conversation wants another answer.
        settings = msgspec.structs.replace(self._loaded.settings, cache_replies=False)
        engine = self._equipment.engine(settings)
        while True:
            async with engine.open(
                cwd=self._cwd,
                resume=resume,
                latest=latest,
                interactive=self._answers,
                at=at,
                chosen=self._equipment.chosen,
            ) as session:
                code, resume = await self._one(session, first)
            if not resume:
                return code
            first, latest, at = "", False, ""
            resume = "" if resume == NEW else resume

    async def _one(self, session: "Session", first: str) -> tuple[int, str]:
        stage = text_stage(
            self._streams,
            state=session.state,
            clock=SystemClock(),
            history=self._history.entries,
            prompt=lambda: f"{session.state.mode}{aim(session.state)}> ",
            listens=True,
        )
        stage.lines = self._lines
        artifacts = self._loaded.home / "artifacts" / session.id
        stage.attach = Attaching(stage.face, self._equipment.environment, self._cwd, artifacts)
        stage.complete = Completing(stage.face, self._equipment.environment, self._cwd)
        conversation = Conversation(session, stage, session.id)
        seat = Seat(
            session=session,
            face=stage.face,
            loaded=self._loaded,
            cwd=self._cwd,
            environment=self._equipment.environment,
        )
        state = session.state
        where = f"{one_line(state.model)}, mode {state.mode}, in {one_line(state.cwd)}"
        stage.face.tell(Notice(text=f"{where}; /help lists commands"))
        if session.resumed:
            said = f"Going on with {session.id}, {count(state.turn, 'turn')} so far"
            stage.face.tell(Notice(text=said))
        for warning in session.warnings:
            stage.face.tell(Notice(text=f"warning: {one_line(warning, 600)}", level="warning"))
        hear, remember = partial(heard, seat), self._history.add
        code = await conversation.chat(first, hear, remember, waiting=self._unheard)
        self._unheard = conversation.unheard
        if not seat.next and session.state.turn:
            note(going_on(session.id, "chat"))
        return code, seat.next
