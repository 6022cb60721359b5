"""``/repo``: repositories from elsewhere in this session."""

from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.conversation import Control
from ouroboros.faces.cli.render.words import one_line
from ouroboros.faces.cli.slashes.table import Seat


async def repo(seat: Seat, rest: str) -> Control:
    """Lists those that are here, or brings one into the session."""
    from ouroboros.app.repos.bringing import Asked, Repos

    repos = Repos(
        seat.loaded.settings, home=seat.loaded.home, cwd=seat.cwd, environment=seat.environment
    )
    match rest.split():
        case []:
            found = await to_thread.run_sync(repos.shelf.all)
            lines = [f"{one_line(each.name)}  {one_line(each.path, 300)}" for each in found]
            seat.say(*(lines or ["none is here yet; /repo add OWNER/REPO loads one"]))
            return "stay"
        case ["add", source, *ref] if len(ref) <= 1:
            asked = Asked(source=source, ref="".join(ref))
        case _:
            raise Misuse("/repo takes nothing, or add SOURCE", hint="for example: /repo add o/r")

    async def job() -> None:
        await seat.session.visit(asked, repos)

    return job
