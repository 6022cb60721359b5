"""What says of a call whether it may happen: rules, policies, and what looks at calls by themselves."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.app.permission.cages import Grounds, can_mask, is_caged, search_of, written_of
from ouroboros.app.secrecy import is_on
from ouroboros.app.settings import Permissions, Settings
from ouroboros.safety.commands.aliases import Aliases
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.paths import Places
from ouroboros.safety.pipeline.calls import Validator
from ouroboros.safety.policy import Approval, Granular
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.presets import REVIEWED
from ouroboros.safety.rules import Policies, Rule, Rules, parse_rule
from ouroboros.safety.rules.foreseen import Held
from ouroboros.safety.rules.masks import Masks
from ouroboros.safety.rules.regions import Region, none
from ouroboros.tools.registry import canonical

_SECRETS = (
    *("auth", "keys.sealed", "keys.toml", "seal.key", "vault", "vault.key"),
    *("browser/vault", "browser/vault.key"),
)
"""Where secrets lie in the home folder."""


def no_folder() -> None:
    """None was made."""


class Bench(Struct, frozen=True, kw_only=True):
    """Where the hands work and with what.

    ``rules`` say what may happen, in the place of the settings' own lists; ``regions`` are the
    workspaces that came in besides ``cwd``; ``keeps`` tells whether deleted files can be brought back;
    ``temporary`` is the folder for temporary files of the session's commands, once there is one.
    """

    settings: Settings
    home: Path
    cwd: Path
    environment: dict[str, str]
    leaks: Leaks
    rules: tuple[Rule, ...] | None = None
    regions: Callable[[], Sequence[Region]] = none
    keeps: Callable[[Sequence[Path]], bool] | None = None
    temporary: Callable[[], Path | None] = no_folder


def judging(bench: Bench, session: str, book: Book) -> tuple[Rules, Validator | None]:
    """What says of a call whether it may happen; looks at the disk."""
    places = places_of(bench, session)
    return rules_of(bench, places, policies(bench.settings, book)), _validator(bench, places)


def places_of(bench: Bench, session: str) -> Places:
    """Where files are read and written unasked; looks at the disk."""
    grounds = Grounds(cwd=bench.cwd, home=bench.home, environment=bench.environment)
    return Places(
        roots=(bench.cwd,),
        readable=(bench.home / "blobs", bench.home / "artifacts" / session),
        home=bench.home,
        person=Path(bench.environment.get("HOME", "/")),
        search=search_of(bench.environment),
        written=written_of(bench.settings.sandbox, grounds),
    ).resolved()


def rules_of(bench: Bench, places: Places, policies: Policies | None = None) -> Rules:
    """The rules of the settings, or those that are in their place."""
    written = rules(bench.settings.permissions) if bench.rules is None else bench.rules
    return Rules(
        written,
        places,
        canonical,
        policies=policies,
        regions=bench.regions,
        aliases=Aliases(places.person, bench.environment),
        keeps=bench.keeps or (lambda _: False),
    )


def masks_of(bench: Bench, session: str) -> Masks:
    """The files that rules keep from commands; looks at the disk when it is first asked."""
    written = rules(bench.settings.permissions) if bench.rules is None else bench.rules
    return Masks(written, lambda: places_of(bench, session), canonical)


def _validator(bench: Bench, places: Places) -> Validator | None:
    """What judges calls by themselves; nothing when the person has switched the pipeline off."""
    if not is_on(bench.settings.safety):
        return None
    home = places.home or bench.home
    vault = [home / name for name in _SECRETS]
    return Validator(roots=places.roots, vault=vault)


def is_online(settings: Settings) -> bool:
    """Whether commands reach the network unasked; a proxy judges each place by itself."""
    return settings.sandbox.network == "on" or not is_caged(settings.sandbox)


def _held(settings: Settings) -> Held | None:
    """What the cage keeps from commands, as far as the settings tell."""
    wanted = settings.sandbox
    if not is_caged(wanted):
        return None
    is_loose = wanted.landlock_alone == "loose" or any(".git" in name for name in wanted.writable)
    git: Literal["open", "settings", "closed"] = "closed" if wanted.git == "closed" else "settings"
    return Held(git="open" if is_loose else git, network=wanted.network == "off")


def policies(settings: Settings, book: Book) -> Policies:
    """What decides besides the permission rules."""
    is_strict = settings.guardian.enabled and settings.guardian.strict
    if not settings.approval_policy:
        return Policies(
            book=book,
            is_strict=is_strict,
            cage=cache(partial(_held, settings)),
            masks=cache(can_mask),
        )
    granular = Granular(
        sandbox_approval=settings.approval.sandbox_approval,
        rules=settings.approval.rules,
        request_permissions=settings.approval.request_permissions,
    )
    return Policies(
        book=book,
        approval=Approval(name=settings.approval_policy, granular=granular),
        sandbox=settings.sandbox.mode,
        is_caged=is_caged(settings.sandbox),
        is_strict=is_strict and settings.approval_policy in REVIEWED,
        masks=cache(can_mask),
    )


def rules(permissions: Permissions) -> list[Rule]:
    """The permission lists of the settings as rules."""
    found: list[Rule] = []
    for outcome, written in (
        ("allow", permissions.allow),
        ("ask", permissions.ask),
        ("deny", permissions.deny),
    ):
        for rule in written:
            plain = rule if isinstance(rule, str) else f"{rule.tool_name}({rule.rule_content})"
            found.append(parse_rule(outcome, plain))
    return found
