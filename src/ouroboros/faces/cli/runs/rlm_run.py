"""One run of `browse` or `rlm`, from options to exit code."""

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.browsing_flags import Wanted
from ouroboros.faces.cli.options.flags import Chosen, resumed
from ouroboros.faces.cli.runs import goal as goals
from ouroboros.faces.cli.runs.taping import equip
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.app.ouroboros import Session
    from ouroboros.app.seeds.loading import Seeds
    from ouroboros.app.settings import Settings
    from ouroboros.faces.cli.runs.delivery import Handing
    from ouroboros.faces.cli.stage import Stage, Streams


def perform(
    invocation: Invocation, chosen: Chosen, wanted: Wanted, task: tuple[str, ...], *, browser: bool
) -> int:
    """Reads the data, finds the browser, and does the task.

    Raises:
        Misuse: Options, data or the browser do not fit; the message says what to do.
    """
    from ouroboros.faces.cli.runs.delivery import target
    from ouroboros.faces.cli.stage import Streams

    streams = Streams.of_process(invocation.environment)
    cwd = invocation.cwd(chosen.cwd)
    text, aim = _words((*wanted.words, *task)), goals.wish(wanted.goal, wanted.budget)
    if not text and not (chosen.latest or chosen.resume or wanted.goal):
        raise Misuse("there is no task", hint="give it as words")
    file = target(wanted.output, cwd)
    flags = wanted.settings() | ({"mode": "full-auto"} if wanted.yes else {})
    equipment = equip(invocation, chosen, cwd, flags)
    loaded = equipment.loaded
    interactive = not (wanted.jsonl or wanted.non_interactive) and streams.converses
    if browser:
        from ouroboros.faces.cli.runs.browser_ready import ready

        ready(loaded.settings.browser, equipment.environment, loaded.home, person=interactive)
    resume = resumed(chosen, loaded.home, cwd, person=interactive)

    from ouroboros.faces.cli import interrupts

    handing: list[Handing] = []

    async def main() -> int:
        from ouroboros.faces.cli.conversation import Conversation
        from ouroboros.faces.cli.stage import open_stage

        if browser and loaded.settings.browser.mode == "attach":
            from ouroboros.app.browsing.setup import check_running

            await check_running(loaded.settings.browser, equipment.environment)
        seeds = await _seeds(wanted.data, loaded.settings, cwd, streams)
        async with equipment.engine().open(
            cwd=cwd,
            resume=resume,
            latest=chosen.latest,
            interactive=interactive,
            mind=wanted.mind,
            way=wanted.way,
            browser=browser,
            logins=wanted.login,
            seeds=seeds,
            at=chosen.at,
            chosen=equipment.chosen,
        ) as session:
            output = "stream-json" if wanted.jsonl else "text"
            stage = open_stage(streams, output, session.state, interactive=interactive)
            if not wanted.jsonl:
                handing.extend(
                    _dress(
                        stage,
                        session,
                        loaded.settings,
                        streams,
                        file=file,
                        wanted=wanted,
                        verb="browse" if browser else "rlm",
                    )
                )
            notes = [seed.note for seed in seeds.seeds if seed.note]
            for warning in (*session.warnings, *notes):
                stage.face.tell(Notice(text=f"warning: {warning}", level="warning"))
            was = goals.standing(session.state)
            talk = goals.Aimed(session, aim) if aim is not None else session
            code = await Conversation(talk, stage, session.id).once(text)
            return goals.exit_code(was, goals.standing(session.state), code)

    code = interrupts.run(main)
    for one in handing:
        one.keep()
    equipment.remark()
    return code


def _words(task: tuple[str, ...]) -> str:
    """The task, with what no encoding knows replaced."""
    return " ".join(task).encode("utf-8", "replace").decode().strip()


async def _seeds(
    named: tuple[str, ...], settings: "Settings", cwd: Path, streams: "Streams"
) -> "Seeds":
    from ouroboros.app.seeds.loading import Source, load

    stdin = None if streams.types or sys.stdin is None else sys.stdin.buffer
    source = Source(
        cwd=cwd, stdin=stdin, limit=settings.rlm.data_max, environment=streams.environment
    )
    return await load(named, source)


def _dress(
    stage: "Stage",
    session: "Session",
    settings: "Settings",
    streams: "Streams",
    *,
    file: Path | None,
    wanted: Wanted,
    verb: str,
) -> "list[Handing]":
    """Puts the steps, and the way of the value, before the face of a stage."""
    from ouroboros.faces.cli.runs.delivery import Handing

    if wanted.mind == "tools" and file is None:
        return []
    screen = streams.screen
    handing = Handing(
        stage.face,
        stage.out.write,
        file=file,
        terminal=screen.terminal,
        moves=streams.moves,
        verb=verb,
        again="".join(f" --data {quote(named)}" for named in wanted.data),
    )
    stage.face = handing
    if wanted.mind == "rlm":
        from ouroboros.faces.wording.steps import Bounds, Steps

        rlm = settings.rlm
        bounds = Bounds(iterations=rlm.max_iterations, child=rlm.child_iterations)
        stage.face = Steps(handing, session.state, bounds)
    return [handing]
