"""What belongs to the files of a folder, as the settings say it."""

from pathlib import Path

from ouroboros.app.settings import Settings
from ouroboros.workspace.checkpoints.scan import Bounds


def bounds_of(settings: Settings, home: Path) -> Bounds:
    """The bounds of every checkpoint under these settings; our own home is never part of one."""
    wish = settings.checkpoints
    return Bounds(
        file_bytes=wish.max_file,
        entries=wish.max_entries,
        new_bytes=wish.max_bytes,
        keep=wish.include,
        skip=wish.exclude,
        apart=(home,),
    )
