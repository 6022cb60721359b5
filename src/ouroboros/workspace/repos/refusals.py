"""What git complains of, in plain words and with what to do."""

import re

from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused

_KNOWN = (
    (
        r"No space left on device|Disk quota exceeded|unable to write file|write error",
        "there is no room on the disk",
        "free some, or lower the depth",
    ),
    (
        r"could not read (Username|Password)|Authentication failed|terminal prompts disabled|error: 40[13]",
        "it is private, or not there: the host wants to know who asks",
        "log in with git's own credential helper, or write the ssh address",
    ),
    (
        r"Permission denied \(|Host key verification failed",
        "the host does not let us in by ssh",
        "connect once by `ssh HOST` and load your key",
    ),
    (
        r"[Rr]epository .* not found|does not appear to be a git repository|error: 404|access denied or repository",
        "there is no such repository, or it is private",
        "check how it is written",
    ),
    (
        r"Could not resolve host|Name or service not known",
        "the host is not known here",
        "check its name and the network",
    ),
    (
        r"Connection refused|Failed to connect|Network is unreachable|No route to host",
        "the host does not answer",
        "check its name and the network",
    ),
    (
        r"Operation too slow|timed out|early EOF|unexpected disconnect|hung up|RPC failed",
        "the connection broke off or was too slow",
        "try again",
    ),
    (
        r"returned error: 30\d",
        "the host sends us on to another place",
        "write the address that it has now",
    ),
    (r"SSL|certificate", "the host does not prove who it is", "check its certificate"),
    (r"transport '\w+' not allowed", "this way to a repository is not taken", ""),
)
_DANGEROUS = re.compile(
    r"fsck error|hasDot|gitmodules|invalid path|unsafe|is disallowed|fullPathname|badTree|treeNotSorted"
)
_SECRET = re.compile(r"(://)[^/\s@]+@")


def explained(text: str) -> RepoFailed:
    """The failure that git's words tell of."""
    said = _SECRET.sub(r"\1", text)
    own = [
        line.partition(":")[2].strip()
        for line in said.splitlines()
        if line.startswith(("fatal:", "error:", "remote:"))
    ]
    last = "; ".join(dict.fromkeys(line for line in own[-3:] if line))[:400]
    if _DANGEROUS.search(said):
        return RepoRefused(f"it holds what must not be written here: {last or said[-300:]}")
    for pattern, message, hint in _KNOWN:
        if re.search(pattern, said):
            return RepoFailed(f"{message} ({last})" if last else message, hint=hint)
    return RepoFailed(last or said[-300:] or "git ended without a word")
