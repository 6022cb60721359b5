"""Which files of the person may be handed to a page."""

import stat
from collections.abc import Sequence
from pathlib import Path

import anyio.to_thread

from ouroboros.browser.errors import CannotAct
from ouroboros.safety.paths import Places, real

SECRET_NAMES = (
    ".env",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
)
SECRET_FOLDERS = (".ssh", ".gnupg", ".aws", ".kube", ".docker", ".password-store")
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx")
MOST_FILES = 100


class Uploads:
    """Allows files below some folders: the workspace, the session's artifacts, those of a setting."""

    def __init__(self, folders: Sequence[Path], places: Places | None = None) -> None:
        """``places`` knows where the product keeps its own secrets."""
        self._folders = tuple(real(folder) for folder in folders)
        self._places = places.resolved() if places is not None else None

    async def allowed(self, paths: Sequence[str], *, base: Path | None = None) -> tuple[Path, ...]:
        """The real files behind ``paths``.

        Raises:
            CannotAct: One may not be sent, or is none; the words say which and why.
        """
        if not paths or len(paths) > MOST_FILES:
            raise CannotAct(f"name between 1 and {MOST_FILES} files to upload")

        def check() -> tuple[Path, ...]:
            return tuple(self._checked(Path(path), base) for path in paths)

        return await anyio.to_thread.run_sync(check)

    def _checked(self, written: Path, base: Path | None) -> Path:
        try:
            path = real(written, base=base or (self._folders[0] if self._folders else None))
            found = path.stat()
        except OSError as missing:
            raise CannotAct(f"cannot upload {written}: {missing.strerror or missing}") from missing
        if not any(path.is_relative_to(folder) for folder in self._folders):
            allowed = ", ".join(map(str, self._folders)) or "none"
            raise CannotAct(
                f"{written} may not be uploaded: it lies in no folder that files may be sent from",
                hint=f"allowed are {allowed}; [browser] uploads names more",
            )
        if not stat.S_ISREG(found.st_mode):
            raise CannotAct(f"{written} is not a file")
        if self._is_secret(path):
            raise CannotAct(f"{written} may not be uploaded: it may hold keys or passwords")
        return path

    def _is_secret(self, path: Path) -> bool:
        if self._places is not None and self._places.is_secret(path):
            return True
        name = path.name.lower()
        return (
            name in SECRET_NAMES
            or name.startswith(".env.")
            or name.endswith(_SECRET_ENDINGS)
            or any(part in SECRET_FOLDERS for part in path.parts)
        )
