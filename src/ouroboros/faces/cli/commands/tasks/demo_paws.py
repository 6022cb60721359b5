"""`ouro demo paws`: from a bundle in to changes out, with a script in the place of the model."""

import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.invocation import Invocation, note

if TYPE_CHECKING:
    from ouroboros.app.demo.paws import Step


@click.command("paws")
@click.pass_obj
def command(invocation: Invocation, /) -> int:
    """Curate a bundle, have an agent work apart, review its changes, verify, merge.

    At a terminal the review is yours: a accepts, r rejects, Enter shows, q writes. Ends with 0 when
    the tests of the repository pass at the end.
    """
    from ouroboros.app.demo import paws as demo
    from ouroboros.faces.cli import interrupts

    note(demo.NOTICE)
    with tempfile.TemporaryDirectory(prefix="ouro-demo-") as name:
        folder = Path(name)
        return interrupts.run(lambda: _played(invocation, folder))


async def _played(invocation: Invocation, folder: Path) -> int:
    from ouroboros.app.demo import fix
    from ouroboros.app.demo import paws as demo

    environment = {**invocation.environment, "OUROBOROS_HOME": str(folder / "home")}
    unpacked = await fix.unpack(folder, environment)
    note(f"Unpacked a repository into {unpacked.cwd}")
    if await fix.tests_pass(unpacked, environment):
        note("error: the demo's tests pass before anything was mended")
        return 1
    definition, ranking = demo.prepared(folder)
    for step in demo.steps(unpacked, definition, ranking):
        if code := await _carried_out(step, unpacked.cwd, environment):
            return code
    (bundle,) = unpacked.cwd.glob(f".paws/agents/instances/{demo.AGENT}/artifacts/*.dogs.md")
    for step in demo.closing(bundle):
        if code := await _carried_out(step, unpacked.cwd, environment):
            return code
    if not await fix.tests_pass(unpacked, environment):
        note("error: the tests do not pass")
        return 1
    note("\nChecked apart from all of it: the tests pass in your branch.")
    return 0


async def _carried_out(step: "Step", cwd: Path, environment: dict[str, str]) -> int:
    from ouroboros.app.paws import shells
    from ouroboros.faces.cli.asking import is_person_there

    person = is_person_there() and sys.stdout.isatty()
    words = (*step.words, *(step.together if person else step.alone))
    note(f"\n{step.why}\n$ paws {shlex.join(words)}")
    program = [sys.executable, "-m", "ouroboros", "paws", *words]
    keyboard = sys.stdin.fileno() if person else None
    code = await shells.run(
        program, session_id="", tree=cwd, environment=environment, keyboard=keyboard
    )
    if code:
        note(f"error: it ended with {code}")
    return code
