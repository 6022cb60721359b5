"""What fills the model's context, and what was spent: by a session, by model, in a day and a month."""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.limits.watch import Standing, standings
from ouroboros.app.past.costs import Used, by_model
from ouroboros.core.context import Meter
from ouroboros.core.state import Spent
from ouroboros.faces.web.panels.asking import Ground, on_ground
from ouroboros.faces.web.routing import Described, described, reply
from ouroboros.faces.web.site import Site


class Bound(Struct, frozen=True, kw_only=True):
    """A limit over all sessions; ``most`` is None where there is none."""

    name: str
    cost: float
    tokens: int
    requests: int
    unpriced: int
    most: float | None
    until: float


class Spending(Struct, frozen=True, kw_only=True):
    """What a session uses.

    Attributes:
        meter: What the next request would hold; None while the session is not open.
        spent: In all, by this session; None while it is not open.
        turn_limits: How far one run may go: turns, dollars; None without a limit.
    """

    meter: Meter | None
    spent: Spent | None
    models: tuple[Used, ...]
    limits: tuple[Bound, ...]
    max_turns: int | None
    max_cost: float | None


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described(
            "GET",
            "/sessions/{session}/meter",
            seat.meter,
            "What fills the context, and what was spent.",
            answer=Spending,
        )
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def meter(self, request: Request) -> Response:
        now = self._site.clock.now()

        def job(
            ground: Ground,
        ) -> tuple[tuple[Used, ...], list[Standing], int | None, float | None]:
            home, limits = ground.site.home, ground.loaded().settings.limits
            used = by_model(home, ground.kept.id)
            return used, standings(home, limits, now), limits.max_turns, limits.max_cost

        used, standing, turns, cost = await on_ground(self._site, request, job)
        room = self._site.hub.room(request.path_params["session"])
        return reply(
            Spending(
                meter=room.session.meter() if room is not None else None,
                spent=room.state.spent if room is not None else None,
                models=used,
                limits=tuple(_bound(each) for each in standing),
                max_turns=turns,
                max_cost=cost,
            )
        )


def _bound(standing: Standing) -> Bound:
    return Bound(
        name=standing.period.name,
        cost=standing.total.cost,
        tokens=standing.total.tokens,
        requests=standing.total.requests,
        unpriced=standing.total.unpriced,
        most=standing.most,
        until=standing.period.end,
    )
