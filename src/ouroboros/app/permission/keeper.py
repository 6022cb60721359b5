"""Writes remembered answers into settings files, and keeps a trusted folder trusted by it."""

from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.app.config import trust, write
from ouroboros.app.permission.policies import alone
from ouroboros.core.commands import Scope
from ouroboros.core.errors import ConfigBroken, OuroborosError
from ouroboros.safety.origins import address
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.values import Protocol
from ouroboros.tools.approval import Kept

_FILES: dict[Scope, str] = {
    "local": ".ouroboros/config.local.toml",
    "project": ".ouroboros/config.toml",
}
_SECONDS = 20.0
_ALLOW = ("permissions", "allow")


class FileKeeper:
    """The settings files of one folder, and the person's own."""

    def __init__(self, home: Path, cwd: Path, book: Book) -> None:
        """Reads nothing yet."""
        self._home, self._cwd, self._book = home, cwd, book

    async def scopes(self) -> tuple[Scope, ...]:
        """The person's own file, and the folder's where what is in them counts."""
        return await to_thread.run_sync(self._scopes)

    async def keep(self, scope: Scope, rules: tuple[str, ...], amendment: tuple[str, ...]) -> Kept:
        """Adds rules to the file of a scope, or the amendment to the policy file."""
        with anyio.move_on_after(_SECONDS):
            try:
                if scope == "policy":
                    await self._amend(amendment)
                    return Kept(place=str(self._home / "rules" / "default.rules"))
                place = await to_thread.run_sync(self._write, scope, rules, abandon_on_cancel=True)
                return Kept(place=str(place))
            except OuroborosError as failed:
                return Kept(problem=failed.message)
        return Kept(problem=f"the file for {scope} could not be written in time")

    async def _amend(self, amendment: tuple[str, ...]) -> None:
        """A beginning of commands, or an address that stands for its host."""
        found = address(amendment[0]) if len(amendment) == 1 else None
        if found is None or "://" not in amendment[0]:
            await self._book.allow(amendment)
            return
        # What goes through a tunnel is not read, so whichever way it was opened is the same.
        tunnels: tuple[Protocol, ...] = ("https", "socks5_tcp")
        for protocol in ("http",) if amendment[0].startswith("http://") else tunnels:
            await self._book.decide_host(found.host, protocol, "allow")

    def _scopes(self) -> tuple[Scope, ...]:
        try:
            inert = trust.read(self._project, self._home)
            may_count = trust.standing(self._home, inert).verdict in {"nothing", "trusted"}
        except (OuroborosError, OSError):
            may_count = False
        return ("local", "project", "user") if may_count else ("user",)

    @property
    def _project(self) -> Path:
        return trust.project_folder(self._cwd, self._home)

    def _write(self, scope: Scope, rules: tuple[str, ...]) -> Path:
        relative = _FILES.get(scope)
        if relative is None:
            target = self._home / "config.toml"
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(self._home):
                write.add_values(target, _ALLOW, rules, private=True)
            return target
        project = self._project
        target = project / relative
        with alone(project):
            before = trust.read(project, self._home)
            verdict = trust.standing(self._home, before).verdict
            if verdict not in {"nothing", "trusted"}:
                raise ConfigBroken(f"{project} is not trusted, so its files do not count")
            text = write.add_values(target, _ALLOW, rules, private=False)
            self._trust_again(before, relative, text)
        return target

    def _trust_again(self, before: trust.Inert, changed: str, text: bytes) -> None:
        """Trusts what was trusted and the line that was added, and nothing else that came meanwhile."""
        now = trust.read(before.folder, self._home)
        if now.files == {**before.files, changed: text}:
            trust.grant(self._home, now)
