"""`ouro chat`: tasks one after the other, with the person there."""

from functools import partial
from typing import TYPE_CHECKING, get_args

import anyio.to_thread
import click
import msgspec

from ouroboros.app.past import sessions
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Compact, Effort, Mode, SetMode, SetModel
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.conversation import Conversation
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen, resumed, shared, with_browser
from ouroboros.faces.cli.prompting.attaching import Attaching
from ouroboros.faces.cli.prompting.completing import Completing
from ouroboros.faces.cli.prompting.history import History
from ouroboros.faces.cli.runs.goal import aim
from ouroboros.faces.cli.runs.taping import Equipment, equip
from ouroboros.faces.cli.stage import Streams, text_stage
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import SLASHES, Seat, carry_out
from ouroboros.faces.wording.face import Face, Notice
from ouroboros.faces.wording.words import count, going_on, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.ouroboros import Session

_SHOWN = 15
_MODES: tuple[str, ...] = get_args(Mode.__value__)
_EFFORTS: tuple[str, ...] = get_args(Effort.__value__)
_HELP = (
    ("/help", "this list"),
    (
        "/mode [NAME]",
        f"how much is asked: {', '.join(_MODES)}; Shift-Tab: the next of the first three",
    ),
    ("/model [PROVIDER/NAME]", "the model for what comes next"),
    ("/effort [LEVEL]", f"how much it reasons: {', '.join(_EFFORTS)}"),
    ("/tier [NAME]", "the provider's service tier, such as flex; 'default' leaves it out"),
    ("/compact [FOCUS]", "summarise the conversation now"),
    ("/diff", "what the latest turn changed"),
    ("/sessions", "the latest sessions of this folder"),
    ("/resume SESSION", "go on with another session"),
    ("/quit", "leave; the session is kept"),
)


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
    Ctrl-C again leaves. Lines that begin with a slash are commands; /help lists them.
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
        self._history = History(self._loaded.home)

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

    async def _one(self, session: "Session", first: str) -> tuple[int, str]:
        stage = text_stage(
            self._streams,
            state=session.state,
            clock=SystemClock(),
            history=self._history.entries,
            prompt=lambda: f"{session.state.mode}{aim(session.state)}> ",
            listens=True,
        )
        artifacts = self._loaded.home / "artifacts" / session.id
        stage.attach = Attaching(stage.face, self._equipment.environment, self._cwd, artifacts)
        stage.complete = Completing(stage.face, self._equipment.environment, self._cwd)
        conversation = Conversation(session, stage, session.id)
        slashes = _Slashes(
            session, stage.face, self._loaded, self._cwd, self._equipment.environment
        )
        state = session.state
        where = f"{one_line(state.model)}, mode {state.mode}, in {one_line(state.cwd)}"
        stage.face.tell(Notice(text=f"{where}; /help lists commands"))
        if session.resumed:
            said = f"Going on with {session.id}, {count(state.turn, 'turn')} so far"
            stage.face.tell(Notice(text=said))
        for warning in session.warnings:
            stage.face.tell(Notice(text=f"warning: {one_line(warning, 600)}", level="warning"))
        code = await conversation.chat(first, slashes.carry_out, self._history.add)
        if not slashes.next and session.state.turn:
            note(going_on(session.id, "chat"))
        return code, slashes.next


class _Slashes:
    """Carries out the lines that begin with a slash."""

    def __init__(
        self,
        session: "Session",
        face: Face,
        loaded: "Loaded",
        cwd: "Path",
        environment: "Mapping[str, str]",
    ) -> None:
        """``next`` becomes the session to go on with after this one."""
        self._environment = environment
        self.next = ""
        self._session = session
        self._face = face
        self._home, self._settings = loaded.home, loaded.settings
        self._loaded, self._cwd = loaded, cwd
        self._memory: dict[str, str] = {}

    async def carry_out(self, line: str, *, running: bool) -> Control:
        """Does what the line says; a mistake is shown and nothing else happens."""
        name, _, rest = line.removeprefix("/").strip().partition(" ")
        rest = rest.strip()
        try:
            return await self._known(name, rest, running=running)
        except OuroborosError as problem:
            hint = problem.hint
            self._face.tell(Notice(text=f"error: {problem.message}", level="error", hint=hint))
            return "stay"

    async def _known(self, name: str, rest: str, *, running: bool) -> Control:
        match name:
            case "quit" | "exit":
                return "leave"
            case "help" | "?":
                more = ((slash.usage, slash.meaning) for slash in SLASHES.values())
                self._say(*(f"{words:<24} {meaning}" for words, meaning in (*_HELP, *more)))
            case "mode":
                await self._mode(rest)
            case "model" | "effort" | "tier":
                await self._asking(name, rest)
            case "sessions":
                await self._sessions()
            case "diff":
                await self._diff()
            case "compact" | "resume" if running:
                raise Misuse(f"/{name} has to wait until the turn ends", hint="Ctrl-C stops it")
            case "compact":
                return lambda: self._session.send(Compact(focus=rest))
            case "resume":
                return await self._resume(rest)
            case _:
                return await self._other(name, rest, running=running)
        return "stay"

    async def _other(self, name: str, rest: str, *, running: bool) -> Control:
        seat = Seat(
            session=self._session,
            face=self._face,
            loaded=self._loaded,
            cwd=self._cwd,
            memory=self._memory,
            environment=self._environment,
        )
        control = await carry_out(seat, one_line(name), rest, running=running)
        self.next = seat.next
        return control

    async def _mode(self, name: str) -> None:
        if not name:
            self._say(f"mode: {self._session.state.mode}")
            return
        if name == "next":
            # What is asked about nothing any more is chosen by its name only.
            careful = _MODES[:3]
            now = self._session.state.mode
            at = careful.index(now) if now in careful else -1
            name = careful[(at + 1) % len(careful)]
        try:
            mode = msgspec.convert(name, Mode)
        except msgspec.ValidationError:
            known = ", ".join(_MODES)
            raise Misuse(f"there is no mode {one_line(name)!r}", hint=f"known: {known}") from None
        await self._session.send(SetMode(mode=mode))

    async def _asking(self, what: str, wanted: str) -> None:
        """Who is asked and how: tells it, or changes it."""
        state = self._session.state
        if not wanted:
            known = {
                "model": state.model + (f" (now {state.fallback})" if state.fallback else ""),
                "effort": _set(state.effort, self._settings.effort) or "the model's own",
                "tier": _set(state.service_tier, self._settings.service_tier) or "the vendor's own",
            }
            self._say(f"{what}: {one_line(known[what])}")
            return
        match what:
            case "model":
                wish = SetModel(model=wanted)
            case "effort":
                wish = SetModel(effort=_effort(wanted))
            case _:
                wish = SetModel(service_tier="" if wanted == "default" else wanted)
        await self._session.send(wish)

    async def _sessions(self) -> None:
        found = await anyio.to_thread.run_sync(
            lambda: sessions.list_sessions(self._home, cwd=str(self._cwd), limit=_SHOWN)
        )
        self._say(*(f"{each.id}  {one_line(each.title)}" for each in found))
        if not found:
            self._say("there are no sessions of this folder")

    async def _diff(self) -> None:
        found = await anyio.to_thread.run_sync(sessions.latest_diff, self._home, self._session.id)
        self._say(found.rstrip() or "no tool changed a file in the latest turn")

    async def _resume(self, name: str) -> Control:
        if not name:
            raise Misuse("/resume needs a session's name", hint="/sessions lists them")
        found = await anyio.to_thread.run_sync(sessions.find, self._home, name)
        if found.id == self._session.id:
            raise Misuse("this is that session already", hint="/sessions lists others")
        self.next = found.id
        return "leave"

    def _say(self, *lines: str) -> None:
        self._face.tell(Notice(text="\n".join(lines)))


def _set(here: str | None, before: str | None) -> str:
    """What the session was told, else what it began with."""
    if here is not None:
        return here
    return f"{before} (from the settings)" if before else ""


def _effort(name: str) -> Effort:
    try:
        return msgspec.convert(name, Effort)
    except msgspec.ValidationError:
        known = ", ".join(_EFFORTS)
        raise Misuse(f"there is no effort {one_line(name)!r}", hint=f"known: {known}") from None
