"""What a model may ask a person to be allowed, and what no yes to it can open."""

from functools import cached_property
from pathlib import Path
from typing import Literal

from ouroboros.app.permission.cages import Grounds, hidden_of
from ouroboros.app.settings import Settings
from ouroboros.safety.commands.reading import read_shell
from ouroboros.safety.policy import Policy as HostPolicy
from ouroboros.safety.policy.amendments import BANNED
from ouroboros.safety.rules import Rules, split_rule
from ouroboros.safety.rules.prepared import expression_of
from ouroboros.safety.rules.values import ANY
from ouroboros.safety.sandbox.policy import real
from ouroboros.tools.builtin.permissions import REQUEST_PERMISSIONS, RequestPermissionsArguments
from ouroboros.tools.registry import canonical

_COMMANDS = frozenset({"shell", "exec_command", "python"})


class Granting:
    """Judges wishes of one session by its settings."""

    def __init__(
        self, settings: Settings, grounds: Grounds, *, rules: Rules, hosts: HostPolicy
    ) -> None:
        """``rules`` are those of the session; looks at the disk at the first wish."""
        self._settings, self._grounds = settings, grounds
        self._rules, self._hosts = rules, hosts

    def objection(self, wish: RequestPermissionsArguments) -> str:
        """Why the person is not asked; empty when they are."""
        problems = [self._of_network()] if wish.network else []
        problems += [self._of_place("read", Path(name)) for name in wish.read]
        problems += [self._of_place("write", Path(name)) for name in wish.write]
        problems += map(_of_rule, wish.rules)
        return next(filter(None, problems), "")

    def _of_network(self) -> str:
        wanted, web = self._settings.sandbox, self._settings.web
        if wanted.mode == "danger-full-access" or wanted.network == "on":
            return "commands reach the network already"
        if wanted.network == "proxy":
            return "commands reach the network already; the user is asked about each new place"
        denied = any(rule.decision == "forbidden" for rule in self._hosts.network)
        if web.deny or web.only_allowed or denied:
            return (
                "the network cannot be granted as a whole, since some hosts are denied; tell the "
                'user that sandbox.network = "proxy" opens it host by host'
            )
        return ""

    def _of_place(self, kind: Literal["read", "write"], path: Path) -> str:
        grounds = self._grounds
        for hidden in (*self._hidden, *real([grounds.home])):
            if path.is_relative_to(hidden):
                return f"{path} holds keys or our own state, which are not granted to a model"
        person = Path(grounds.environment.get("HOME", "/"))
        if kind == "write" and any(
            own.is_relative_to(path) for own in real([person, grounds.home])
        ):
            return f"{path} holds all that is the user's; name the folder that you need"
        rule = self._rules.denial(kind, path)
        return f"the rule {rule} denies it, and a grant does not change that" if rule else ""

    @cached_property
    def _hidden(self) -> tuple[Path, ...]:
        return hidden_of(self._settings.sandbox, self._grounds)


def _of_rule(written: str) -> str:
    tool, content = split_rule(written)
    if not tool:
        return f"{written!r} is no rule; write it like shell(npm test:*)"
    named = canonical(tool)
    if tool == "*" or content.strip() in ANY or named == REQUEST_PERMISSIONS:
        return f"{written} allows too much; say which commands or places"
    if named in _COMMANDS and (expression_of(content) is not None or _is_open(content)):
        return f"{written} would let through anything at all; name the command that you need"
    return ""


def _is_open(content: str) -> bool:
    """Whether a rule of commands begins like one that runs any other."""
    begins, _, _ = content.removesuffix("*").removesuffix(":").rstrip().partition(" *")
    words = read_shell(begins).simple
    is_prefix = content.rstrip().endswith("*")
    return words is None or "*" in words[0] or (is_prefix and tuple(words) in BANNED)
