"""``/repo``: repositories from elsewhere in this session."""

from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat
from ouroboros.faces.wording.words import one_line


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
        case ["map", *size] if len(size) <= 1 and all(map(str.isdecimal, size)):
            return await _map(seat, int("".join(size)[:6] or "1000"))
        case ["add", source, *ref] if len(ref) <= 1:
            asked = Asked(source=source, ref="".join(ref))
        case _:
            raise Misuse(
                "/repo takes nothing, add SOURCE, or map", hint="for example: /repo add o/r"
            )

    async def job() -> None:
        await seat.session.visit(asked, repos)

    return job


async def _map(seat: Seat, tokens: int) -> Control:
    from ouroboros.app.repos.standing import About, map_of

    async def job() -> None:
        about = About(tokens=max(50, tokens))
        home, environment = seat.loaded.home, seat.environment
        found = await map_of(seat.cwd, about, home=home, environment=environment)
        await seat.session.tell_map(found, seat.cwd)
        seat.say(f"told the model of {found.shown} symbols of {found.files:,} files")

    return job
