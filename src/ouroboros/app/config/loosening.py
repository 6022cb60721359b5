"""What a project may not set for itself: all that would make us less careful than the person is.

Trust lets a project configure a run and make it stricter. Its files come from whoever may change
the repository, so the cage, the network and the watching over outputs are only ever narrowed there.
"""

from collections.abc import Callable, Mapping
from typing import cast

from ouroboros.app.config.schema import KeyPath, Table, flatten, leaves

type _IsLooser = Callable[[object, object], bool]


def loosened(table: Table, below: Mapping[str, object]) -> list[KeyPath]:
    """The settings of a project's table that are looser than those of the person below it."""
    given = [(path, value) for path, value in flatten(table) if _judge(path) is not None]
    if not given:
        return []
    own = _values(below)
    found: list[KeyPath] = []
    for path, value in given:
        is_looser = _judge(path)
        if is_looser is not None and is_looser(value, own.get(path)):
            found.append(path)
    return found


def eased(table: Table, below: Mapping[str, object]) -> str:
    """What a trusted project may set and lets more happen unasked than the person does, in words."""
    given = [(path, value) for path, value in flatten(table) if path in {("mode",), ALLOWED}]
    own = _values(below) if given else {}
    found: list[str] = []
    for path, value in given:
        if path == ("mode",) and _MODES(value, own.get(path)):
            found.append(f'mode = "{value}"')
        if path == ALLOWED and (
            new := [each for each in _words(value) if each not in _words(own.get(path))]
        ):
            rules = [str(each) for each in new]
            more = f" and {len(rules) - 3} more" if len(rules) > 3 else ""
            found.append(f"permissions.allow = {', '.join(rules[:3])}{more}")
    return "; ".join(found)


def _values(below: Mapping[str, object]) -> dict[KeyPath, object]:
    """Every setting as it stands below a project."""
    return {leaf.path: leaf.default for leaf in leaves()} | dict(flatten(below))


def without(table: Table, path: KeyPath) -> Table:
    """The table but for one setting."""
    name, *rest = path
    if not rest:
        return {key: value for key, value in table.items() if key != name}
    inner = without(cast("Table", table[name]), tuple(rest))
    return table | {name: inner}


def _judge(path: KeyPath) -> _IsLooser | None:
    if path[:1] in {("tui",), ("server",)}:
        return _differs  # how the person's own faces look, and which programs they start
    return _ACTIONS if path[:2] == ("safety", "actions") else _JUDGES.get(path)


def _order(*values: object, unset: object = None) -> _IsLooser:
    """Values from the strictest to the loosest."""

    def is_looser(value: object, own: object) -> bool:
        return values.index(value) > values.index(unset if own is None else own)

    return is_looser


def _asks_less(value: object, own: object) -> bool:
    return value not in {"untrusted", own}


def _reaches_for_another(value: object, own: object) -> bool:
    """A browser that is the person's own, or far away, is theirs to hand over."""
    return value not in {"managed", own}


def _is_on(value: object, own: object) -> bool:
    return bool(value) and not own


def _is_off(value: object, own: object) -> bool:
    return bool(own) and not value


def _differs(value: object, own: object) -> bool:
    return value != own


def _more(value: object, own: object) -> bool:
    return not set(_words(value)) <= set(_words(own))


def _fewer(value: object, own: object) -> bool:
    return not set(_words(own)) <= set(_words(value))


def _larger(value: object, own: object) -> bool:
    """Of two bounds, where none and 0 are no bound at all."""
    return bool(own) and (not value or cast("int", value) > cast("int", own))


def _smaller(value: object, own: object) -> bool:
    return cast("int", value) < cast("int", own)


def _later(value: object, own: object) -> bool:
    return cast("float", value) > cast("float", own)


def _words(value: object) -> list[object]:
    return list(cast("list[object] | tuple[object, ...] | None", value) or ())


ALLOWED: KeyPath = ("permissions", "allow")
_MODES = _order("plan", "ask", "auto-edit", "full-auto")
_ACTIONS = _order("block", "redact", "warn", unset="redact")
_JUDGES: dict[KeyPath, _IsLooser] = {
    ("approval_policy",): _asks_less,
    ("approval", "sandbox_approval"): _is_on,
    ("approval", "rules"): _is_on,
    ("approval", "request_permissions"): _is_on,
    ("browser", "mode"): _reaches_for_another,
    ("browser", "url"): _differs,
    ("browser", "program"): _differs,
    ("browser", "flags"): _more,
    ("browser", "allow_domains"): _more,
    ("browser", "only_allowed"): _is_off,
    ("browser", "block_domains"): _fewer,
    ("browser", "uploads"): _more,
    ("browser", "download_max"): _larger,
    ("browser", "confirm"): _fewer,
    ("checkpoints", "ask_after"): _later,
    ("checkpoints", "enabled"): _is_off,
    ("checkpoints", "on_failure"): _order("ask", "warn"),
    ("checkpoints", "exclude"): _more,
    ("checkpoints", "include"): _fewer,
    ("checkpoints", "max_file"): _smaller,
    ("checkpoints", "max_entries"): _smaller,
    ("checkpoints", "keep"): _smaller,
    ("managed_hooks_only",): _differs,
    ("guardian", "enabled"): _is_on,
    ("guardian", "strict"): _is_off,
    ("guardian", "model"): _differs,
    ("guardian", "effort"): _differs,
    ("guardian", "timeout"): _differs,
    ("limits", "actions_per_hour"): _larger,
    ("limits", "daily_cost"): _larger,
    ("limits", "monthly_cost"): _larger,
    ("repos", "host"): _differs,
    ("repos", "max_bytes"): _larger,
    ("repos", "max_files"): _larger,
    ("sandbox", "mode"): _order("read-only", "workspace-write", "danger-full-access"),
    ("sandbox", "network"): _order("off", "proxy", "on"),
    ("sandbox", "writable"): _more,
    ("sandbox", "exclude_tmp"): _is_off,
    ("sandbox", "caches"): _order("read", "write"),
    ("sandbox", "hide"): _fewer,
    ("sandbox", "reveal"): _more,
    ("sandbox", "bubblewrap"): _order("auto", "first", "off"),
    ("sandbox", "git"): _order("closed", "open"),
    ("sandbox", "landlock_alone"): _order("strict", "restore", "loose"),
    ("sandbox", "processes"): _larger,
    ("sandbox", "local_sockets"): _order("closed", "open"),
    ("secrets", "store"): _differs,
    ("strict_approvals",): _is_off,
    ("web", "allow"): _more,
    ("web", "deny"): _fewer,
    ("web", "only_allowed"): _is_off,
    ("web", "only_reading"): _is_off,
    ("safety", "enabled"): _is_off,
    ("safety", "confirm_disable"): _is_on,
}
