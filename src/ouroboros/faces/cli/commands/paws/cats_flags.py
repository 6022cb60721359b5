"""The options of `ouro cats`."""

from collections.abc import Callable
from typing import Literal, override

import click
from msgspec import Struct

_OUTPUT = "cats.md"
_SECRETS = "--include-secrets"
_OPTIONS = (
    click.option(
        "-o", "--output", metavar="FILE", default=_OUTPUT, help="Write here; - prints it.",
        show_default=True,
    ),
    click.option("-x", "--exclude", metavar="PATTERN", multiple=True, help="Leave this out."),
    click.option("--task", metavar="TEXT", default="", help="What the bundle is for; in its head."),
    click.option("--ai-curate", "curate", metavar="TASK", default=None, help="Let a model choose the files for TASK."),
    click.option("--threshold", type=click.FloatRange(0, 1), default=0.7, show_default=True, help="Take files that are ranked so, or higher."),
    click.option("--include-pattern", "wanted", metavar="PATTERN", multiple=True, help="Let the model choose among these."),
    click.option("--exclude-pattern", "unwanted", metavar="PATTERN", multiple=True, help="Do not let the model choose these."),
    click.option("--max-candidates", type=click.IntRange(1, 5_000), default=400, show_default=True, help="Show the model so many files."),
    click.option("--model", metavar="PROVIDER/MODEL", default="", help="Let this model choose."),
    click.option("--dry-run", is_flag=True, help="List the files; write nothing, ask no model."),
    click.option("--format", "dialect", type=click.Choice(["v1", "paws"]), default="v1", help="v1, or the markers of the first PAWS."),
    click.option("-t", "--prepare-for-delta", "delta", is_flag=True, help="Number the lines, so that an answer can name them."),
    click.option("--outline", metavar="GLOB", multiple=True, help="Of these only signatures."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="End without a bundle that takes more; of a model's choice leave out the last."),
    click.option("--max-file-size", "most_bytes", type=click.IntRange(min=1), default=33_554_432, show_default=True, help="Leave out files of more bytes."),
    click.option(_SECRETS, "secrets", metavar="[=PATTERN]", multiple=True, help="Take files that hold secrets, too: all, or these."),
    click.option("--no-binary", is_flag=True, help="Leave out what is no text."),
    click.option("-p", "--persona", metavar="FILE", default="", help="Put these words first."),
    click.option("-s", "--system", metavar="FILE", default="", help="Put these words after the persona."),
    click.option("--how-to-answer", "tells_answer", is_flag=True, help="Say after those how changes are to be answered."),
    click.option("--stdin", "from_stdin", is_flag=True, help="Read paths from standard input, a line each."),
    click.option("-0", "--null", "is_null", is_flag=True, help="They end with a NUL, not a line; implies --stdin."),
    click.option("--no-ignore", is_flag=True, help="Take what .gitignore and .pawsignore leave out."),
    click.option("-N", "--no-default-excludes", "no_defaults", is_flag=True, help="Take caches, node_modules and the like."),
    click.option("--session", metavar="ID", default="", help="Take a work session's files."),
    click.option("--root", metavar="FOLDER", default="", help="Name paths from here; else the repository."),
    click.option("-y", "--yes", is_flag=True, help="Ask nothing; files with secrets stay out."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but what went wrong."),
    click.option("--json", "as_json", is_flag=True, help="Print what went in, as JSON for machines."),
)  # fmt: skip


class Flags(Struct, frozen=True, kw_only=True):
    """The options as they were given."""

    output: str
    exclude: tuple[str, ...]
    task: str
    curate: str | None
    threshold: float
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]
    max_candidates: int
    model: str
    dry_run: bool
    dialect: Literal["v1", "paws"]
    delta: bool
    outline: tuple[str, ...]
    max_tokens: int | None
    most_bytes: int
    secrets: tuple[str, ...]
    no_binary: bool
    persona: str
    system: str
    tells_answer: bool
    from_stdin: bool
    is_null: bool
    no_ignore: bool
    no_defaults: bool
    session: str
    root: str
    yes: bool
    quiet: bool
    as_json: bool


class CatsCommand(click.Command):
    """Lets `--include-secrets` stand alone: what follows it is a path, and a pattern only behind `=`."""

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        bare = [f"{_SECRETS}=*" if each == _SECRETS else each for each in args[:end]]
        return super().parse_args(ctx, [*bare, *args[end:]])


def with_options[Function: Callable[..., object]](function: Function) -> Function:
    """Gives a command all of them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
