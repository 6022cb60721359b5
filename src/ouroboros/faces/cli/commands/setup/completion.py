"""`ouro completion`: print a completion script for a shell."""

import click

from ouroboros.faces.cli.invocation import say


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--program", type=click.Choice(["ouro", "paws"]), default="ouro", show_default=True)
def command(shell: str, program: str) -> None:
    """Print a script that completes `ouro` or `paws` in SHELL.

    For bash: eval "$(ouro completion bash)" in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    from ouroboros.faces.cli.tree import PROGRAMS

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell!r}")
    script = kind(PROGRAMS[program], {}, program, f"_{program.upper()}_COMPLETE")
    say(script.source_template % script.source_vars())
