"""Repositories from elsewhere."""

from typing import Annotated

from msgspec import Meta, Struct

from ouroboros.app.settings.kinds import Count, Positive, Seconds


class Repos(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[repos]``: where repositories are from, and how much of one is taken.

    Attributes:
        host: What stands before ``OWNER/REPO``.
        depth: Commits of history that are loaded; 0 for all of it.
        max_bytes: Of a repository's history as it is received, and again of its files.
        max_files: Names that it may have.
        idle_timeout: Seconds in which nothing arrives; then it is given up.
        timeout: Seconds that all of it may take.
        tree_tokens: What the model is told of the files of one that is brought into a session.
    """

    host: Annotated[
        str,
        Meta(
            pattern=r"^(https?|ssh|git|file)://[^\s]+\Z",
            extra={"words": "an address such as https://github.com"},
        ),
    ] = "https://github.com"
    depth: Count = 1
    max_bytes: Positive = 1_073_741_824
    max_files: Positive = 100_000
    idle_timeout: Seconds = 60.0
    timeout: Seconds = 1800.0
    tree_tokens: Positive = 1_500
