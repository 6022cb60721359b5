"""`ouro sandbox`: a command in the cage that a session would run it in."""

import click

from ouroboros.faces.cli.invocation import Invocation, note


@click.command("sandbox", context_settings={"allow_interspersed_args": False})
@click.option(
    "--sandbox",
    "mode",
    type=click.Choice(["read-only", "workspace-write", "danger-full-access"]),
    help="What it may reach; else what the settings say.",
)
@click.option("--network", type=click.Choice(["off", "on"]), help="Whether it may talk to anybody.")
@click.option("-C", "--cwd", metavar="FOLDER", default="", help="Run it in this folder.")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="CMD...")
@click.pass_obj
def command(
    invocation: Invocation, words: tuple[str, ...], mode: str | None, network: str | None, cwd: str
) -> int:
    """Run CMD as a session would: in the sandbox, without keys, in the workspace.

    Ends as CMD does; with 2 where a sandbox was asked for and there is none.
    """
    import anyio

    from ouroboros.app.permission import sandboxing
    from ouroboros.app.permission.cages import Grounds

    folder = invocation.cwd(cwd)
    flags = {"sandbox.mode": mode, "sandbox.network": network}
    loaded = invocation.load(
        {name: value for name, value in flags.items() if value is not None}, folder
    )
    grounds = Grounds(cwd=folder, home=loaded.home, environment=invocation.environment)
    code, warnings = anyio.run(sandboxing.run, words, loaded.settings, grounds)
    for line in warnings:
        note(f"warning: {line}")
    return code
