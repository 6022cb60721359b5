"""Which changed paths steer later runs, for faces: the rules are ``safety.steering``'s."""

import re

from ouroboros.safety.steering import steering

_HEADS = re.compile(r"^diff --git a/(.+) b/(.+)$", re.MULTILINE)


def steering_of(*paths: str) -> dict[str, str]:
    """Of those that steer what they steer, by path below the workspace; pure."""
    return {found.path: found.what for found in steering(paths)}


def steering_in_diff(diff: str) -> dict[str, str]:
    """The same of the files of a change in git's words; pure."""
    return steering_of(*(name for pair in _HEADS.findall(diff) for name in pair))
