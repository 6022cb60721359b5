"""From a bundle's bytes to what would be done to the files; nothing is written here, everything blocks."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, structs

from ouroboros.app.config.trust import project_folder
from ouroboros.app.paws.dogs.choosing import diff_of, offer_of
from ouroboros.app.paws.dogs.outcome import Asked, Ending, FileOutcome, Outcome
from ouroboros.app.text import encodable
from ouroboros.safety.steering import steers
from ouroboros.workspace.artifacts.dogs import Bundle, FilePlan, Plan, Refusal, Refused
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import Wanted, read
from ouroboros.workspace.artifacts.dogs.tree import Folder

NOT_ALONE = "another block was refused"
_UNASKED = "it steers {}; --steering applies it too"
_NOT_NEW = "it would overwrite, rename or delete a file, and -n says no"


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be applied, and how.

    Attributes:
        name: The bundle as the person named it.
        references: Files as the model saw them, by their path.
        only_new: What is there already stays.
        home: The folder of the product, which is no project's.
    """

    name: str
    bundle: bytes
    root: Path
    home: Path
    dialect: Wanted = "auto"
    rsi_link: bool = False
    allow_truncated: bool = False
    partial: bool = False
    only_new: bool = False
    references: Mapping[str, bytes] | None = None


class Prepared(Struct, frozen=True, kw_only=True):
    """A bundle that was read, with what it comes to here.

    Attributes:
        files: Those that would be written; a person may leave some out.
        kept: What becomes of all others, and why.
        steering: Of those that steer later runs what they steer, by their path.
        ending: Set where it ends here: nothing can be written.
    """

    bundle: Bundle
    plan: Plan
    files: tuple[FilePlan, ...] = ()
    kept: tuple[FileOutcome, ...] = ()
    steering: dict[str, str] = {}
    ending: Outcome | None = None

    def told(self, files: "Files") -> tuple[FileOutcome, ...]:
        """What becomes of files that are written, those that steer later runs behind the others."""
        found = (structs.replace(told(each), steers=self.steers(each)) for each in files)
        return tuple(sorted(found, key=lambda each: bool(each.steers)))

    def steers(self, file: FilePlan) -> str:
        """What a file steers in later runs."""
        return self.steering.get(file.path, "")


def prepared(wish: Wish) -> Prepared:
    """Reads the bundle and fits it to the files as they are."""
    try:
        bundle = read(
            wish.bundle,
            dialect=wish.dialect,
            rsi_link=wish.rsi_link,
            allow_truncated=wish.allow_truncated,
        )
    except Refused as refused:
        refusals = refused.refusals
        nothing = Bundle(dialect=None, refusals=refusals)
        ending = Outcome(outcome="refused", files=_refused(refusals), reason=refused.message)
        return Prepared(bundle=nothing, plan=Plan(files=()), ending=ending)
    fitted = plan(bundle, Folder(wish.root), references=wish.references)
    return _judged(wish, bundle, fitted)


def _judged(wish: Wish, bundle: Bundle, fitted: Plan) -> Prepared:
    refused = _refused(fitted.refusals)
    same = [file for file in fitted.files if file.action == "none"]
    kept = [*refused, *(_skipped(file, "it is so already", "none") for file in same)]
    files = fitted.changed
    if wish.only_new:
        kept += [_skipped(file, _NOT_NEW) for file in files if file.action != "add"]
        files = tuple(file for file in files if file.action == "add")
    found = Prepared(
        bundle=bundle,
        plan=fitted,
        files=files,
        kept=tuple(kept),
        steering=_steering(files, wish.root, wish.home),
    )
    if fitted.refusals and (not wish.partial or not files):
        left = tuple(_skipped(file, NOT_ALONE) for file in files)
        why = "\n".join(each.text for each in fitted.refusals)
        return _ended(found, Outcome(outcome="refused", files=(*kept, *left), reason=why))
    if bundle.requests:
        left = tuple(_skipped(file, "the model asks for something first") for file in files)
        return _ended(
            found,
            Outcome(outcome="needs_context", files=(*kept, *left), requests=asked(bundle)),
        )
    if not files:
        why = "" if fitted.files else "the bundle holds no change"
        return _ended(found, Outcome(outcome="nothing_to_do", files=tuple(kept), reason=why))
    return found


def _steering(files: "Files", root: Path, home: Path) -> dict[str, str]:
    """What files steer by their path below the project, which the folder may lie deep in."""
    project = project_folder(root, home).resolve()
    folder = root.resolve()
    prefix = folder.relative_to(project) if folder.is_relative_to(project) else Path()
    found = {
        file.path: steers(prefix / file.path) or (steers(prefix / file.was) if file.was else "")
        for file in files
    }
    return {path: what for path, what in found.items() if what}


def unasked(found: Prepared) -> tuple["Files", dict[str, str]]:
    """What is written where nobody is asked, and what the others steer: later runs, in ways nobody looked at."""
    plain = tuple(file for file in found.files if not found.steers(file))
    left = {file.path: found.steers(file) for file in found.files if found.steers(file)}
    return plain, left


def left_apart(outcome: Outcome, left: Mapping[str, str]) -> Outcome:
    """How it ends where such files were left as they are."""
    if not left:
        return outcome
    files = tuple(
        structs.replace(file, steers=left[file.path], reason=_UNASKED.format(left[file.path]))
        if file.path in left and file.action == "skipped"
        else file
        for file in outcome.files
    )
    ending: Ending = "steering_left" if outcome.outcome == "applied" else outcome.outcome
    return structs.replace(outcome, outcome=ending, files=files)


def asked(bundle: Bundle) -> tuple[Asked, ...]:
    """What the model asks for."""
    return tuple(
        Asked(kind=each.kind, path=each.path, reason=each.reason, command=each.command)
        for each in bundle.requests
    )


def told(file: FilePlan) -> FileOutcome:
    """What becomes of a file that is written."""
    offer = offer_of(file)
    return FileOutcome(
        path=file.path,
        action=file.action,
        was=file.was,
        added=offer.added,
        removed=offer.removed,
        reason="joined with what was changed since the model saw it" if file.is_merged else "",
    )


def only_planned(found: Prepared) -> Outcome:
    """How it ends where it is only looked at; each file with its change as a unified diff."""
    return Outcome(
        outcome="planned",
        files=(*found.told(found.files), *found.kept),
        diff=encodable("".join(diff_of(file) for file in found.files)),
        notes=found.bundle.notes,
    )


def declined(found: Prepared, why: str) -> Outcome:
    """How it ends where the person does not want it."""
    return Outcome(
        outcome="nothing_to_do",
        files=(*found.kept, *skipped(found.files, why)),
        reason=f"nothing was written: {why}",
        notes=found.bundle.notes,
    )


def skipped(files: tuple[FilePlan, ...], reason: str) -> tuple[FileOutcome, ...]:
    """What becomes of files that are left as they are."""
    return tuple(_skipped(file, reason) for file in files)


def _skipped(file: FilePlan, reason: str, action: str = "skipped") -> FileOutcome:
    return FileOutcome(path=file.path, action=action, reason=reason, was=file.was)


def _refused(refusals: tuple[Refusal, ...]) -> tuple[FileOutcome, ...]:
    return tuple(
        FileOutcome(path=each.path, action="refused", reason=_reason(each)) for each in refusals
    )


def _reason(refusal: Refusal) -> str:
    """The refusal without its path, which stands beside it."""
    return structs.replace(refusal, path="").text


def _ended(found: Prepared, ending: Outcome) -> Prepared:
    return structs.replace(found, ending=structs.replace(ending, notes=found.bundle.notes))


type Files = tuple[FilePlan, ...]
"""What of a plan is written."""

type Tell = Callable[[str], None]
"""Says a line to the person while it is done."""
