"""What a hook is, as settings and ``hooks.json`` spell it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ouroboros.plugins.hooks.moments import Moment, moment_of

type SourceName = Literal["core", "managed", "user", "project", "local", "session"]
type Seconds = Annotated[float, Meta(gt=0)]

LEAST_SECONDS = 1.0
COMMAND_SECONDS = 600.0


class Command(
    Struct, frozen=True, kw_only=True, tag="command", rename="camel", forbid_unknown_fields=True
):
    """Shell text that reads JSON and may answer with some."""

    command: Annotated[str, Meta(min_length=1)]
    command_windows: str = ""
    timeout: Seconds = COMMAND_SECONDS
    is_async: bool = msgspec.field(default=False, name="async")
    status_message: str = ""


class Prompt(
    Struct, frozen=True, kw_only=True, tag="prompt", rename="camel", forbid_unknown_fields=True
):
    """A question that one request to a model answers; ``$ARGUMENTS`` stands for the JSON."""

    prompt: Annotated[str, Meta(min_length=1)]
    model: str = ""
    timeout: Seconds = 30.0
    is_async: bool = msgspec.field(default=False, name="async")
    status_message: str = ""


class Agent(
    Struct, frozen=True, kw_only=True, tag="agent", rename="camel", forbid_unknown_fields=True
):
    """The same, answered by a run that may look at the files and change nothing."""

    prompt: Annotated[str, Meta(min_length=1)]
    model: str = ""
    timeout: Seconds = 120.0
    is_async: bool = msgspec.field(default=False, name="async")
    status_message: str = ""


type Handler = Command | Prompt | Agent


class Group(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks that run for the same things; an empty ``matcher`` means all of them."""

    hooks: tuple[Handler, ...]
    matcher: str = ""


class Definition(Struct, frozen=True, kw_only=True):
    """One hook with its place.

    Attributes:
        place: The file that it stands in, or what else it came from.
        group: Number of its group below its moment there, from 0, and ``index`` its own in the group.
    """

    source: SourceName
    place: str
    moment: Moment
    group: int
    index: int
    matcher: str
    handler: Handler

    @property
    def key(self) -> str:
        """What names it as long as nothing is put before it."""
        return f"{self.place}:{self.moment}:{self.group}:{self.index}"

    @property
    def hash(self) -> str:
        """Of everything that decides when and how it runs."""
        import hashlib  # only what a project brings is hashed

        said = msgspec.json.encode((self.moment, self.matcher, self.handler), order="sorted")
        return "sha256:" + hashlib.sha256(said).hexdigest()

    @property
    def kind(self) -> Literal["command", "prompt", "agent"]:
        """What carries it out."""
        match self.handler:
            case Command():
                return "command"
            case Prompt():
                return "prompt"
            case Agent():
                return "agent"

    @property
    def seconds(self) -> float:
        """How long it may take."""
        return max(LEAST_SECONDS, self.handler.timeout)

    @property
    def text(self) -> str:
        """What it runs or asks."""
        match self.handler:
            case Command(command=command):
                return command
            case Prompt(prompt=prompt) | Agent(prompt=prompt):
                return prompt


def definitions(
    table: Mapping[str, Sequence[Group]], source: SourceName, place: str
) -> tuple[list[Definition], list[str]]:
    """The hooks of one file in order, and what a person should know of it."""
    from ouroboros.plugins.hooks.matching import problem

    found: list[Definition] = []
    warnings: list[str] = []
    for name, groups in table.items():
        moment = moment_of(name)
        if moment is None:
            warnings.append(f"{place}: hooks.{name}: there is no such moment, so these never run")
            continue
        for number, group in enumerate(groups):
            if why := problem(group.matcher):
                text = f"the matcher {group.matcher!r} is no pattern ({why}), so it fits nothing"
                warnings.append(f"{place}: hooks.{name}: {text}")
            found += [
                Definition(
                    source=source,
                    place=place,
                    moment=moment,
                    group=number,
                    index=index,
                    matcher=group.matcher,
                    handler=handler,
                )
                for index, handler in enumerate(group.hooks)
            ]
    return found, warnings
