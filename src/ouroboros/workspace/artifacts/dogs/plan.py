"""What is to be done to the files, in full, before any of it is done."""

from typing import Literal

from msgspec import Struct

from ouroboros.workspace.artifacts.dogs.change import Refusal

type Action = Literal["add", "change", "delete", "rename", "none"]


class Snapshot(Struct, frozen=True, kw_only=True):
    """A regular file at one time; ``mode`` are its permission bits."""

    content: bytes
    mode: int = 0o644


class FilePlan(Struct, frozen=True, kw_only=True):
    """One file before and after; both are None where it is not there.

    Hunks of it can be left out by another ``after``: ``msgspec.structs.replace(plan, after=...)``.

    Attributes:
        path: Relative to the root, with ``/``.
        was: Its name before, of a ``rename``; then ``before`` is what is there under that name.
        blocks: The blocks of the bundle that it comes from.
        is_merged: The file was not as the model saw it; both changes were joined.
    """

    path: str
    action: Action
    before: Snapshot | None
    after: Snapshot | None
    was: str = ""
    blocks: tuple[int, ...] = ()
    is_merged: bool = False


class Plan(Struct, frozen=True, kw_only=True):
    """Every file that a bundle touches, sorted by name, and why other blocks cannot be taken."""

    files: tuple[FilePlan, ...]
    refusals: tuple[Refusal, ...] = ()

    @property
    def changed(self) -> tuple[FilePlan, ...]:
        """Those that are not as they should be yet."""
        return tuple(file for file in self.files if file.action != "none")
