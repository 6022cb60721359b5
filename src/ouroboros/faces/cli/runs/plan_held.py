"""A run that is held to a plan: it is told the plan, and the person is told where it departs from it."""

from collections.abc import Mapping
from pathlib import Path

from ouroboros.app.paws.planning.files import plan_in
from ouroboros.app.paws.planning.following import Following, places_of, task_of
from ouroboros.app.session import Session
from ouroboros.faces.cli.invocation import note
from ouroboros.faces.wording.face import Face, Notice


class Held:
    """One plan, and the run that follows it."""

    def __init__(self, name: str, cwd: Path, home: Path, environment: Mapping[str, str]) -> None:
        """Reads the plan.

        Raises:
            Misuse: There is no such file.
            Refused: It is no plan, or of another version.
        """
        self._plan = plan_in(name)
        self._cwd, self._places = cwd, places_of(cwd, home, environment)
        self._following: Following | None = None

    def task(self, words: str) -> str:
        """What the run is told; the plan's own goal without ``words``."""
        return task_of(self._plan, words)

    def listen(self, session: Session, face: Face) -> None:
        """Tells departures as they happen."""

        def tell(text: str) -> None:
            face.tell(Notice(text=text, level="warning"))

        self._following = Following(self._plan, self._cwd, self._places, tell)
        session.listen(self._following.hear)

    def end(self) -> None:
        """Tells what was left out, or that the plan was followed."""
        if self._following is None:
            return
        missing = self._following.missing()
        for text in missing:
            note(text)
        if not missing and not self._following.departures:
            note("the plan was followed")
