"""The commands of ``ouro``, by name; none of them is imported before it is asked for."""

import sys
from importlib import import_module
from typing import override

import click

from ouroboros import __version__
from ouroboros.faces.cli.groups import Entry, LazyGroup
from ouroboros.faces.cli.invocation import Invocation

_HERE = "ouroboros.faces.cli.commands"
_FACE = "tui"
"""What is opened where no command is named."""

PAWS_HELP = "Bundles in, changes out, work sessions apart."
PAWS: dict[str, Entry] = {
    "cats": Entry(f"{_HERE}.paws.cats", "Put files of a project into one text, for a model."),
    "plan": Entry(f"{_HERE}.paws.plan", "Rehearse a task and write down what would be done."),
    "dogs": Entry(f"{_HERE}.paws.dogs", "Apply what a model answered to your files, safely."),
    "session": Entry(f"{_HERE}.paws.session", "Work apart, in work trees of the repository."),
    "run": Entry(f"{_HERE}.paws.run", "Have a goal reached in a session, once or best of several."),
    "agent": Entry(f"{_HERE}.paws.agent", "Agents by name, each a program of its own."),
}
"""The commands of ``paws``; ``ouro paws`` has them all, the first three are commands of ``ouro`` too."""

_SHARED = ("cats", "dogs", "plan")

COMMANDS = {
    "run": Entry(f"{_HERE}.tasks.run", "Do one task, then end."),
    "demo": Entry(f"{_HERE}.tasks.demo", "See it mend a failing test, without any key."),
    "tui": Entry(f"{_HERE}.tasks.tui", "Work together on the whole screen; ouro alone is this."),
    "chat": Entry(f"{_HERE}.tasks.chat", "Work together, turn by turn."),
    "browse": Entry(f"{_HERE}.tasks.browse", "Do one task in a real browser."),
    "rlm": Entry(f"{_HERE}.tasks.rlm", "Answer a question about data of any size."),
    "review": Entry(f"{_HERE}.tasks.review", "Have a change reviewed; nothing is changed."),
    "serve": Entry(f"{_HERE}.tasks.serve", "Serve sessions at a local socket, for programs."),
    "web": Entry(f"{_HERE}.tasks.web", "Work in a page of your browser."),
    "acp": Entry(f"{_HERE}.tasks.acp", "Be the agent of an editor."),
    "browser": Entry(
        f"{_HERE}.browsing.browser", "See the browser, log in by hand, keep profiles."
    ),
    "sessions": Entry(f"{_HERE}.past.sessions", "List, show, search and tidy past sessions."),
    "rewind": Entry(f"{_HERE}.past.rewind", "Bring files and conversation back to before a turn."),
    "checkpoints": Entry(
        f"{_HERE}.past.checkpoints", "See, compare and bring back kept states of files."
    ),
    "goal": Entry(f"{_HERE}.past.goal", "See what sessions work towards."),
    "limits": Entry(f"{_HERE}.past.limits", "See what was spent, and what may be."),
    "history": Entry(f"{_HERE}.past.history", "List what was done in all sessions, call by call."),
    "export": Entry(
        f"{_HERE}.past.export", "Write a session out as JSON lines, Markdown or a page."
    ),
    "teleport": Entry(
        f"{_HERE}.past.teleport", "Carry a session with its files to another machine."
    ),
    "config": Entry(f"{_HERE}.setup.config", "See and change settings."),
    "trust": Entry(f"{_HERE}.safety.trust", "Let a folder's own settings and hooks take effect."),
    "hooks": Entry(f"{_HERE}.safety.hooks", "See, trust, switch off and try hooks."),
    "rules": Entry(
        f"{_HERE}.safety.rules", "List the permission rules that count, and their files."
    ),
    "policy": Entry(f"{_HERE}.safety.policy", "Check and list rules of policy files."),
    "explain": Entry(
        f"{_HERE}.safety.explain", "Tell why a command, path or address is asked about."
    ),
    "sandbox": Entry(f"{_HERE}.safety.sandbox", "Run a command in the sandbox of a session."),
    "scan": Entry(f"{_HERE}.safety.scan", "Find secrets, or hidden orders, in files."),
    "providers": Entry(
        f"{_HERE}.vendors.providers", "List, add, test and log in to model providers."
    ),
    "models": Entry(f"{_HERE}.vendors.models", "List models, their limits and their prices."),
    "tools": Entry(f"{_HERE}.setup.tools", "List what the agent can do."),
    "doctor": Entry(f"{_HERE}.setup.doctor", "Check this machine and print fixes."),
    "update": Entry(f"{_HERE}.setup.update", "Say how this installation is updated."),
    "apply-patch": Entry(
        f"{_HERE}.workspace.apply_patch", "Apply a patch to files, without a model."
    ),
    **{name: PAWS[name] for name in _SHARED if name in PAWS},
    "paws": Entry(f"{_HERE}.paws.group", PAWS_HELP),
    "init": Entry(f"{_HERE}.workspace.init", "Let the model write AGENTS.md for a project."),
    "repo": Entry(f"{_HERE}.workspace.repo", "Bring repositories here, and see what is in them."),
    "completion": Entry(f"{_HERE}.setup.completion", "Print a completion script for a shell."),
    "debug": Entry(f"{_HERE}.setup.debug", "Look inside what goes to models and comes back."),
}


class Root(LazyGroup):
    """A program: ``ouro`` unless told; the options that count for every command."""

    def __init__(
        self,
        commands: dict[str, Entry] = COMMANDS,
        name: str = "ouro",
        help: str = "One agent for your browser and your code.",
    ) -> None:
        """Builds the root; imports no command."""
        super().__init__(commands, name, help)
        self.params = [
            click.Option(["--profile"], metavar="NAME", default="", help="Use [profiles.NAME]."),
            click.Option(["--verbose"], is_flag=True, help="Write a log file."),
            click.Option(["--debug"], is_flag=True, help="Log in detail; show tracebacks."),
            click.Option(
                ["--version"],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_version,
                help="Print the version.",
            ),
        ]
        self.callback = _begin
        self.context_settings = {"help_option_names": ["-h", "--help"]}

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_face(args) if _FACE in self.entries else args)


def _with_face(words: list[str]) -> list[str]:
    """The words with the full-screen face named, where they name no command and a person is there."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--profile":
            at += 2
        elif word in {"--verbose", "--debug"} or word.startswith("--profile="):
            at += 1
        elif word in {"-h", "--help", "--version"}:
            return words
        elif word.startswith("-") and word.partition("=")[0] in _options_of_face():
            return [*words[:at], _FACE, *words[at:]]
        else:
            return words
    is_seen = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return [*words, _FACE] if is_seen else words


def _options_of_face() -> frozenset[str]:
    command: object = import_module(COMMANDS[_FACE].module).command
    parameters = command.params if isinstance(command, click.Command) else []
    return frozenset(name for option in parameters for name in option.opts)


@click.pass_context
def _begin(context: click.Context, profile: str, *, verbose: bool, debug: bool) -> None:
    from ouroboros.app.config.layers import environment

    invocation = Invocation(environment=environment(), profile=profile)
    context.obj = invocation
    if verbose or debug:
        from ouroboros.app import diagnosis

        diagnosis.start(invocation.home(), debug=debug)
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _version(context: click.Context, _option: click.Parameter, value: object) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"{context.info_name} {__version__}")
        context.exit()


root = Root()
"""The whole tree."""

PROGRAMS = {"ouro": root, "paws": Root(PAWS, "paws", PAWS_HELP)}
"""What can be started, by its name."""
