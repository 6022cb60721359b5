"""Groups of commands that know what was probably meant, and one that imports late."""

from importlib import import_module
from typing import NamedTuple, override

import click
from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """A command's place and the line that describes it in the overview."""

    module: str
    help: str


class NearGroup(click.Group):
    """A group that suggests the nearest of its commands for an unknown one."""

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in self.list_commands(ctx):
            from difflib import get_close_matches

            near = get_close_matches(name, self.list_commands(ctx), n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"there is no command {name!r}{meant}", ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(NearGroup):
    """A group whose commands are imported only when one of them is asked for.

    Each module has a click command named ``command``.
    """

    def __init__(self, entries: dict[str, Entry], name: str, help: str) -> None:
        """``entries`` are the commands, in the order they are shown."""
        super().__init__(name=name, help=help, no_args_is_help=False, invoke_without_command=True)
        self.entries = entries

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        command: object = import_module(entry.module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry.module}.command is no click command")
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.entries.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)
