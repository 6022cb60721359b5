"""Which commit is meant: a branch, a tag, or a commit of the other side."""

import re
from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.workspace.repos.faults import RepoFailed

_SHA = re.compile(r"[0-9a-f]{7,64}")
_WHOLE = frozenset({40, 64})
_BAD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock$")


class Ref(Struct, frozen=True, kw_only=True):
    """One of the other side.

    Attributes:
        kind: ``nothing`` for a repository without any commit.
        name: Without ``refs/heads/`` or ``refs/tags/``; of a commit its digits.
    """

    kind: Literal["branch", "tag", "commit", "nothing"]
    name: str

    @property
    def is_whole(self) -> bool:
        """A commit of which all digits are known."""
        return self.kind == "commit" and len(self.name) in _WHOLE


def checked_ref(text: str) -> str:
    """The name if git could have such a ref; raises ``Misuse``."""
    if len(text) > 250 or (text and (_BAD.search(text) or not text.isprintable())):
        raise Misuse(f"{text[:80]!r} is no branch, tag or commit")
    return text


def patterns(wanted: str) -> tuple[str, ...]:
    """What the other side is asked for."""
    if not wanted:
        return ("HEAD",)
    if wanted.startswith(("refs/heads/", "refs/tags/")):
        return (wanted,)
    return (f"refs/heads/{wanted}", f"refs/tags/{wanted}")


def chosen(wanted: str, listed: bytes) -> Ref | None:
    """The ref that the answer of ``ls-remote --symref`` has; None where there is none such."""
    found: dict[str, str] = {}
    head = ""
    for line in listed.decode("utf-8", "replace").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            head = value.removeprefix("ref: ").strip()
        elif name:
            found[name] = value
    if not wanted:
        if "HEAD" not in found:
            return Ref(kind="nothing", name="")
        if head.startswith("refs/heads/"):
            return Ref(kind="branch", name=head.removeprefix("refs/heads/"))
        return Ref(kind="commit", name=found["HEAD"])
    for full in patterns(wanted):
        if full in found:
            is_branch = full.startswith("refs/heads/")
            name = full.removeprefix("refs/heads/").removeprefix("refs/tags/")
            return Ref(kind="branch" if is_branch else "tag", name=name)
    return Ref(kind="commit", name=wanted.lower()) if _SHA.fullmatch(wanted.lower()) else None


def unknown(wanted: str, listed: bytes) -> RepoFailed:
    """There is no such ref; the hint names the nearest of those that are there."""
    from difflib import get_close_matches

    names = [
        line.partition("\t")[2].removeprefix("refs/heads/").removeprefix("refs/tags/")
        for line in listed.decode("utf-8", "replace").splitlines()
        if not line.endswith("^{}")
    ]
    near = get_close_matches(wanted, names, n=3, cutoff=0.5)
    hint = f"near it are: {', '.join(near)}" if near else f"it has {len(names)} branches and tags"
    return RepoFailed(f"it has no branch, tag or commit {wanted!r}", hint=hint)
