"""What is kept of files, sessions and secrets."""

from typing import Literal

from msgspec import Struct

from ouroboros.app.settings.kinds import Positive, Seconds
from ouroboros.llm.auth.plan import SecretStore


class Checkpoints(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[checkpoints]``: the person's files are kept before a call may change them.

    Attributes:
        on_failure: Where they cannot be kept the person is asked, or only told; told in full-auto.
        max_file: Larger files in bytes are not kept, and stay as they are when files are brought back.
        max_entries: A folder with more names is not kept.
        max_bytes: Of the checkpoints of one folder; beyond it the oldest go. One that would read more is
            not made.
        keep: The latest checkpoints of a session that are kept.
        timeout: Seconds that one may take.
        include: What is kept though a ``.gitignore`` leaves it out, as lines of one.
        exclude: What is left out though no ``.gitignore`` says so.
        undo_depth: Turns that can be taken back one after the other.
        ask_after: What changed while a command ran for longer than so many seconds may be the
            person's work, and goes only with a yes.
    """

    enabled: bool = True
    on_failure: Literal["ask", "warn"] = "ask"
    max_file: Positive = 33_554_432
    max_entries: Positive = 200_000
    max_bytes: Positive = 2_147_483_648
    keep: Positive = 500
    timeout: Seconds = 60.0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = (
        *("node_modules/", ".venv/", "venv/", "__pycache__/", ".mypy_cache/", ".pytest_cache/"),
        *(".hg/", ".svn/"),
    )
    undo_depth: Positive = 20
    ask_after: Seconds = 5.0


class Sessions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[sessions]``: how sessions are kept.

    Attributes:
        mirror: Repeat each session's events in a file of the home folder, one on each line.
    """

    mirror: bool = False


class SecretsSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[secrets]``: how keys and logins of providers lie on the disk.

    Attributes:
        store: ``auto`` keeps keys in the system's keyring where one answers, else in a file that opens
            only for this user on this machine; logins are in such files. ``sealed`` uses these files
            alone and puts nothing into the keyring. ``plain`` writes plain text.
    """

    store: SecretStore = "auto"
