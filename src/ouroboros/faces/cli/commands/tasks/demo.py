"""`ouro demo`: the main job on a small repository, with a script in the place of the model."""

import tempfile
from pathlib import Path

import click

from ouroboros.app.demo import fix as demo
from ouroboros.app.settings import Settings
from ouroboros.faces.cli.groups import Entry, LazyGroup
from ouroboros.faces.cli.invocation import Invocation, note


@click.pass_context
def _begin(context: click.Context, *, keep: bool) -> int:
    if context.invoked_subcommand is not None:
        return 0
    invocation: Invocation = context.obj
    note(demo.NOTICE)
    if keep:
        folder = Path(tempfile.mkdtemp(prefix="ouro-demo-"))
        code = _play(invocation, folder)
        note(f"Kept: {folder}")
        note(f"Look at the log with: OUROBOROS_HOME={folder / 'home'} ouro sessions list")
        return code
    with tempfile.TemporaryDirectory(prefix="ouro-demo-") as name:
        return _play(invocation, Path(name))


def _play(invocation: Invocation, folder: Path) -> int:
    from ouroboros.faces.cli import interrupts
    from ouroboros.faces.cli.stage import Streams

    streams = Streams.of_process(invocation.environment)
    environment = invocation.environment

    async def main() -> int:
        from ouroboros.app.ouroboros import Ouroboros
        from ouroboros.faces.cli.conversation import Conversation
        from ouroboros.faces.cli.stage import open_stage

        unpacked = await demo.unpack(folder, environment)
        note(f"Unpacked a repository into {unpacked.cwd}")
        if await demo.tests_pass(unpacked, environment):
            note("error: the demo's tests pass before anything was mended")
            return 1
        note(f"Its tests fail. The task: {unpacked.prompt}\n")
        settings = Settings(model=unpacked.model, mode="full-auto")
        engine = Ouroboros(settings, home=folder / "home", environment=environment)
        async with engine.open(cwd=unpacked.cwd) as session:
            stage = open_stage(streams, "text", session.state, interactive=False)
            code = await Conversation(session, stage, "").once(unpacked.prompt)
            events = session.state.seq
        if code or not await demo.tests_pass(unpacked, environment):
            note("error: the tests do not pass")
            return code or 1
        note(f"Checked apart from the agent: the tests pass. {events} events are in the log.")
        return 0

    return interrupts.run(main)


command = LazyGroup(
    {
        "browse": Entry(
            "ouroboros.faces.cli.commands.tasks.demo_browse",
            "Compare prices in three shops, order, download the invoice.",
        ),
        "paws": Entry(
            "ouroboros.faces.cli.commands.tasks.demo_paws",
            "Bundle in, an agent apart, changes out, reviewed, verified, merged.",
        ),
    },
    "demo",
    """Mend a failing test in a small git repository, unpacked into a temporary folder.

    Only the model's words come from a script. Ends with 0 when the tests pass at the end.
    """,
)
command.params = [
    click.Option(
        ["--keep"], is_flag=True, help="Leave the folder, with the session's log, to look at."
    )
]
command.callback = _begin
