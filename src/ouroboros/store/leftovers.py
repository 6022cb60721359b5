"""What a killed run left half written among the files of its session."""

from contextlib import suppress
from pathlib import Path

from ouroboros.store.layout import Layout
from ouroboros.store.lease import Lease


def sweep(home: Path, lease: Lease) -> None:
    """Removes parts of downloads and files; a kept file never has a name that begins with a dot.

    The lease says that nobody is writing them. What cannot be removed stays. Blocks.
    """
    with suppress(OSError):
        for left in Layout(home).artifacts(lease.session).iterdir():
            if left.name.startswith("."):
                _remove(left)


def _remove(left: Path) -> None:
    import shutil  # only a session that was killed has any

    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left, ignore_errors=True)
        return
    with suppress(OSError):
        left.unlink()
