"""Episodes played by a model: the mind that writes code, with a browser that shows the task."""

import msgspec
from msgspec import Struct

from ouroboros.app.ouroboros import Session
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.waits import wait_for_load
from ouroboros.core.events import Envelope
from ouroboros.core.events.code import CodeGenerated
from tests.browser.chromium import Chromium
from tests.browser.miniwob.episodes import Ended
from tests.browser.miniwob.judge import cheats, is_honest, judging
from tests.browser.miniwob.pages import address, folder
from tests.browser.site import Site

TASK = """In the open tab at {url} is a small page with one task. The task: {goal}
The browser begins with the first call: if tabs is empty, call openTab() and look again.
Do it in that tab with the page functions; never navigate away. Then call setFinal("done")."""


class Played(Struct, frozen=True, kw_only=True):
    """How an episode came out, and what it has cost."""

    ended: Ended
    requests: int
    input_tokens: int
    output_tokens: int


async def play(
    session: Session, chromium: Chromium, tabs: Tabs, site: Site, task: str, seed: int
) -> Played:
    """One episode; ``session`` must drive ``chromium`` (mode remote), ``tabs`` opens its page there."""
    codes: list[str] = []

    def note(envelope: Envelope) -> None:
        if isinstance(envelope.data, CodeGenerated):
            codes.append(envelope.data.code)

    session.listen(note)
    before = msgspec.structs.replace(session.state.spent)
    url = site.url(address(task))
    tab = tabs.tab(await tabs.open(url))
    await wait_for_load(tab)
    async with judging(chromium, tab.target) as judge:
        goal = await judge.reset(seed)
        outcome = await session.run(TASK.format(url=url, goal=goal))
        verdict = await judge.verdict()
    await tabs.close(tab.id)
    foul = ", ".join(cheats(codes))[:300]
    if not foul and not is_honest(verdict.stacks, site.origin(), folder()):
        foul = "ended from outside the page"
    return Played(
        ended=Ended(
            task=task,
            seed=seed,
            raw=verdict.raw,
            done=verdict.done,
            foul=foul,
            error="" if outcome.exit_code == 0 else outcome.reason,
        ),
        requests=outcome.spent.requests - before.requests,
        input_tokens=outcome.spent.input_tokens - before.input_tokens,
        output_tokens=outcome.spent.output_tokens - before.output_tokens,
    )
