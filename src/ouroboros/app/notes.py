"""What a person wants to be remembered: lines of their notes, and the first instruction file."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.agent.context.instructions import chosen, local_notes, project_root
from ouroboros.agent.prompts import task
from ouroboros.app.config.file import decode, read_bytes, write
from ouroboros.app.permission.policies import alone
from ouroboros.core.errors import Misuse, StoreFailed

type Place = Literal["project", "local", "user"]

MEANINGS: dict[Place, str] = {
    "project": "for everybody who works in this project",
    "local": "for you in this project, outside of it",
    "user": "for you, everywhere",
}


class Added(Struct, frozen=True, kw_only=True):
    """A line that was written, and what the person should know of it."""

    file: Path
    line: str
    warning: str = ""


def file_of(place: Place, cwd: Path, home: Path) -> Path:
    """The file that a note goes to; blocking."""
    root = project_root(cwd)
    match place:
        case "project":
            return chosen(root)
        case "local":
            return local_notes(root, home)
        case "user":
            return chosen(home)


def add(text: str, place: Place, cwd: Path, home: Path, *, limit: int) -> Added:
    """Puts a line at the end of the file, all of it or nothing; blocking.

    Args:
        text: What to note; becomes one line.
        place: Whose notes.
        cwd: Working folder.
        home: The product's home folder.
        limit: Bytes of a project's files that are read.

    Raises:
        Misuse: There is nothing to note, or the file is a link to elsewhere.
        ConfigBroken: The file is no text.
        StoreFailed: It cannot be written.
    """
    line = " ".join(text.split())
    if not line:
        raise Misuse("there is nothing to note", hint="for example: # tests need a database")
    file = file_of(place, cwd, home)
    if place == "project" and not file.resolve().is_relative_to(project_root(cwd).resolve()):
        raise Misuse(
            f"{str(file)!r} is a link out of the project, so nothing is written there",
            hint="/note local keeps the line for you alone",
        )
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(file.resolve().parent):
            size = _appended(file, line, private=place != "project")
    except OSError as failed:
        raise StoreFailed(
            f"{file} cannot be written: {failed.strerror}", hint="check the folder's owner and mode"
        ) from failed
    warning = ""
    if place != "user" and size > limit:
        warning = f"{file} has {size:,} bytes, and only {limit:,} are read: shorten it"
    return Added(file=file, line=line, warning=warning)


def _appended(file: Path, line: str, *, private: bool) -> int:
    """Writes the file with one more line; gives its size in bytes."""
    held = read_bytes(file) or b""
    before = decode(file, held)
    mark = "\ufeff" if held.startswith(b"\xef\xbb\xbf") else ""
    end = "\r\n" if "\r\n" in before else "\n"
    after = f"{mark}{before}{_gap(before, end)}- {line}{end}"
    write(file, after, private=private)
    return len(after.encode())


def _gap(before: str, end: str) -> str:
    """What stands between a text and a line of a list that is added to it."""
    if not before.strip():
        return ""
    close = "" if before.endswith(("\n", "\r")) else end
    last = before.rstrip().splitlines()[-1].lstrip()
    is_list = last.startswith(("- ", "* ")) and before.rstrip("\r\n ") + end == before + close
    return close if is_list else f"{close}{end}"


def first_instructions(cwd: Path, *, improve: bool) -> str:
    """The task to write the project's instruction file; blocking.

    Raises:
        Misuse: There is one, and it is not to be improved.
    """
    root = project_root(cwd)
    file = chosen(root)
    if file.exists() and not improve:
        raise Misuse(
            f"{file} is there already",
            hint="say improve (in a chat: /init improve) to let the model change it",
        )
    existing = (
        f"The file is there already: keep what is right in it, and change only what is wrong, "
        f"missing or superfluous, with edits of {file.name}; do not write it anew."
        if file.exists()
        else ""
    )
    text = task("init").text
    return text.format(name=file.name, root=root, existing=existing).strip()
