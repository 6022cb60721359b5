"""What is known of a command before it runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

type Kind = Literal["safe", "approve", "dangerous"]


class Verdict(Struct, frozen=True, kw_only=True):
    """What shell text would do, as far as its grammar and the tables of programs tell.

    Attributes:
        kind: ``safe`` only reads in allowed places; ``dangerous`` may do lasting harm; else ``approve``.
        reason: One sentence for the person and the model.
        rule: What decided, such as ``safe.read`` or ``danger.wide-delete``.
        sends: It may carry data out over a network, or nobody can see that it does not.
        is_unseen: It sends only in that nobody can see all that it runs.
        pushes: It publishes code or packages.
        parts: The words of each command when the text is only plain words joined by
            ``&& || ; |``, else None.
        kinds: What each of the parts is, judged where it stands: its pipe, its folder, what the
            shell makes of its words. Empty without parts.
        hardened: The text to run instead, its safe parts hardened; empty when it may run as written.
        deletes: The files that it deletes by name, where that is all the harm that it may do; else None.
    """

    kind: Kind
    reason: str
    rule: str
    sends: bool = False
    is_unseen: bool = False
    pushes: bool = False
    parts: tuple[tuple[str, ...], ...] | None = None
    kinds: tuple[Kind, ...] = ()
    hardened: str = ""
    deletes: tuple[Path, ...] | None = None

    def as_change(self) -> "Verdict":
        """What it is where the files that it deletes can be brought back."""
        return replace(
            self,
            kind="approve",
            rule="ask.delete",
            reason="it deletes files, of which a checkpoint is made first",
            kinds=tuple("approve" if kind == "dangerous" else kind for kind in self.kinds),
        )


class Doubt(Exception):
    """A command is not known only to read: the rule that says so, and why."""

    def __init__(self, rule: str, reason: str) -> None:
        """``reason`` is one sentence without its end."""
        super().__init__(reason)
        self.rule = rule
        self.reason = reason


class FileDeletion(Doubt):
    """A command deletes files of the workspace, each by its name, and does nothing else."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """``paths`` are resolved; those that are not there are left out."""
        super().__init__("ask.delete", "it deletes files")
        self.paths = tuple(paths)
