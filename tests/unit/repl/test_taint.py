"""Where page data may be carried, and who is asked."""

import anyio
import pytest

from ouroboros.browser.guard.policy import Asked
from ouroboros.core.errors import Denied
from ouroboros.repl.following import Elsewhere
from ouroboros.repl.taint import Saved, Taint, patterns_of
from ouroboros.tools.tool import Effect
from tests.cases import every

SHOP = "https://shop.example"
EVIL = "https://evil.example/?secret=1"


class Person:
    """Says yes to some effects and remembers all questions."""

    def __init__(self, *yes: str) -> None:
        self.yes = yes
        self.asked: list[Effect] = []

    async def admit(self, effect: Effect) -> None:
        await anyio.lowlevel.checkpoint()
        self.asked.append(effect)
        if not any(word in effect.url for word in self.yes):
            raise Denied("no")


async def tainted(person: Person | None = None) -> Taint:
    confirms = frozenset({"submit", "cross-site-post"})
    taint = Taint(admit=person.admit if person else None, confirms=confirms)
    await taint.read(SHOP)
    return taint


async def test_before_anything_is_read_every_place_may_be_opened_and_is_known_then():
    taint, person = Taint(), Person()
    await taint.opening("https://a.example/x", person.admit)
    assert taint.reach == "nothing"
    await taint.read(SHOP)
    await taint.opening("https://a.example/y", person.admit)
    assert person.asked == []
    assert taint.by == (SHOP,)
    assert taint.reach == "documents"


@pytest.mark.proves("browser-new-origin")
async def test_after_reading_a_new_place_is_asked_about_once():
    person = Person("new.example")
    taint = await tainted(person)
    await taint.opening("https://new.example/?q=1", person.admit)
    await taint.opening("https://new.example/other", person.admit)
    (asked,) = person.asked
    assert (asked.kind, asked.url) == ("origin", "https://new.example/?q=1")
    assert "https://new.example" in asked.action
    assert SHOP in asked.action
    with pytest.raises(Denied):
        await taint.opening(EVIL, person.admit)
    assert not taint.knows(EVIL)


@every(
    "words, url, known",
    [
        ("compare https://a.example/x?y and b.example:8080", "https://a.example/z", True),
        ("compare https://a.example/x?y and b.example:8080", "http://b.example:8080/", True),
        ("compare https://a.example/x?y and b.example:8080", "http://b.example:81/", False),
        ("look at shop.example.", "https://www.shop.example/", True),
        ("look at https://shop.example.", "https://shop.example/", True),
        ("look at (https://shop.example)", "https://shop.example/", True),
        ("look at https://shop.example", "https://evil.shop.example.evil.com/", False),
        ("summarise report.pdf and setup.py", "https://setup.py/", False),
        ("write to me@mail.example", "https://mail.example/", False),
        ("nothing here", "about:blank", True),
        ("nothing here", "data:text/html,x", True),
        ("nothing here", "file:///etc/passwd", False),
        ("nothing here", "not an address", False),
    ],
)
async def test_places_that_the_person_names_are_known(words: str, url: str, known: bool):
    taint = await tainted()
    taint.hear(words)
    assert taint.knows(url) is known


async def test_places_of_the_settings_are_known():
    taint = Taint(known=["example.com", "*.shops.example", "no place at all"])
    await taint.read(SHOP)
    assert taint.knows("https://www.example.com/")
    assert taint.knows("https://a.shops.example/")
    assert not taint.knows("https://shops.example/")


async def test_the_browser_asks_before_a_reader_goes_on():
    order: list[str] = []

    async def enforce() -> None:
        await anyio.lowlevel.checkpoint()
        order.append("enforced")

    taint = Taint(enforce=enforce)
    await taint.read()
    await taint.read("file")
    assert not taint.is_tainted
    await taint.read(SHOP)
    order.append("read")
    await taint.read("https://b.example")
    assert order == ["enforced", "read"]


async def test_requests_of_a_clean_session_pass_and_are_remembered():
    taint = Taint()
    assert (
        await taint.judge(Asked(url="https://a.example/", is_document=True, is_main=True))
    ).allowed
    assert (await taint.judge(Asked(url="https://cdn.example/x.js", kind="script"))).allowed
    await taint.read(SHOP)
    assert taint.knows("https://a.example/")
    assert not taint.knows("https://cdn.example/x.js")


@every(
    "asked, allowed",
    [
        (Asked(url=f"{SHOP}/more", kind="fetch", touched=True), True),
        (Asked(url=EVIL, kind="fetch", touched=True), False),
        (Asked(url=EVIL, kind="image", touched=True), False),
        (Asked(url=EVIL, kind="websocket", touched=True), False),
        (Asked(url=EVIL, kind="ping", touched=True), False),
        (Asked(url=EVIL, is_document=True, touched=True), False),
        (Asked(url=EVIL, kind="image", touched=False), True),
        (Asked(url=EVIL, kind="image", touched=True, seen=True), True),
        (Asked(url=EVIL, is_document=True, touched=True, seen=True, is_submit=True), False),
        (Asked(url=EVIL, is_document=True, is_main=True), False),
        (Asked(url=EVIL, is_document=True, is_main=True, is_redirect=True), False),
        (Asked(url="data:text/html,x", is_document=True, is_main=True), True),
        (Asked(url="wss://shop.example/live", kind="websocket", touched=True), True),
    ],
)
async def test_what_pages_may_ask_after_reading(asked: Asked, allowed: bool):
    taint = await tainted(Person())
    verdict = await taint.judge(asked)
    assert verdict.allowed is allowed
    told = taint.blocked()
    assert bool(told) is not allowed
    assert taint.blocked() == ()
    if not allowed:
        assert "https://evil.example" in told[0]
        assert "secret" not in told[0]


async def test_a_page_that_goes_somewhere_new_is_asked_about_once_also_after_a_no():
    person = Person("new.example")
    taint = await tainted(person)
    new = Asked(url="https://new.example/a", is_document=True, is_main=True, touched=True)
    assert (await taint.judge(new)).allowed
    assert (await taint.judge(new)).allowed
    evil = Asked(url=EVIL, is_document=True, is_main=True, touched=True)
    assert not (await taint.judge(evil)).allowed
    assert not (await taint.judge(evil)).allowed
    assert len(person.asked) == 2


@pytest.mark.proves("browser-new-origin")
async def test_where_nobody_can_be_asked_it_is_blocked():
    taint = await tainted()
    assert not (await taint.judge(Asked(url=EVIL, is_document=True, is_main=True))).allowed


async def test_a_person_who_thinks_holds_up_no_known_place():
    class Thinker(Person):
        async def admit(self, effect: Effect) -> None:
            self.asked.append(effect)
            await anyio.sleep_forever()

    person = Thinker()
    taint = await tainted(person)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(taint.judge, Asked(url=EVIL, is_document=True, is_main=True))
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(60):
            assert (await taint.judge(Asked(url=f"{SHOP}/x", kind="fetch"))).allowed
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("initiator", "risk"), [(SHOP, "submit"), ("https://other.example", "cross-site-post")]
)
async def test_a_form_that_code_in_a_page_sends_is_confirmed_once(initiator: str, risk: str):
    person = Person("shop.example")
    taint = await tainted(person)
    form = Asked(
        url=f"{SHOP}/order",
        method="POST",
        is_document=True,
        is_main=True,
        is_submit=True,
        touched=True,
        initiator=initiator,
    )
    assert (await taint.judge(form)).allowed
    assert (await taint.judge(form)).allowed
    (asked,) = person.asked
    assert (asked.kind, asked.risk) == ("risk", risk)


async def test_a_form_whose_click_was_confirmed_is_not_asked_about_again():
    person = Person()
    taint = await tainted(person)
    taint.confirmed(Effect(kind="risk", risk="submit", action="Submit", url=f"{SHOP}/cart"))
    form = Asked(url=f"{SHOP}/order", is_submit=True, touched=True, initiator=SHOP, is_main=True)
    assert (await taint.judge(form)).allowed
    assert person.asked == []


async def test_forms_are_not_asked_about_where_the_settings_say_so():
    taint = Taint(admit=Person().admit)
    await taint.read(SHOP)
    form = Asked(url=f"{SHOP}/order", is_submit=True, touched=True, initiator=SHOP, is_main=True)
    assert (await taint.judge(form)).allowed


async def test_a_resumed_session_knows_what_it_had_read():
    taint = await tainted()
    await taint.opening("https://shop.example/", Person().admit)
    later = Taint()
    await later.restore(taint.saved())
    assert later.by == taint.by == (SHOP,)
    assert later.knows(SHOP)
    assert not later.knows(EVIL)
    taint.allow(*patterns_of("agreed.example"))
    await later.restore(taint.saved())
    assert later.knows("https://www.agreed.example/")
    again = Taint()
    await again.restore(later.saved())
    assert again.knows("https://www.agreed.example/")
    clean = Taint()
    await clean.restore(Saved())
    assert not clean.is_tainted


@every(
    "domain, url, opens",
    [
        ("shop.example", "https://www.shop.example/a", True),
        ("shop.example:8443", "http://shop.example:8443/", True),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("localhost:9", "http://localhost:9/", True),
        ("localhost:9", "http://localhost:10/", False),
        ("com", "https://evil.com/", False),
        ("*", "https://evil.com/", False),
        ("*.example", "https://evil.example/", False),
        ("shop.example/@evil.com", "https://evil.com/", False),
        ("shop.example@evil.com", "https://evil.com/", False),
        ("shop.example evil.com", "https://evil.com/", False),
    ],
)
def test_a_yes_to_a_domain_opens_that_domain(domain: str, url: str, opens: bool):
    taint = Taint()
    taint.know(*patterns_of(domain))
    assert taint.knows(url) is opens


@pytest.mark.proves("permissions-design-2-8")
@every(
    "effect, sources, by",
    [
        (
            Effect(kind="fetch", action="", url="https://read.example/a?b"),
            [],
            ("https://read.example",),
        ),
        (Effect(kind="read", action=""), ["file /w/a"], ("file /w/a",)),
        (Effect(kind="act", action=""), ["page https://seen.example"], ()),
        (Effect(kind="none", action=""), [], ()),
    ],
)
async def test_what_other_tools_read_counts_for_the_browser_too(
    effect: Effect, sources: list[str], by: tuple[str, ...]
):
    taint = Taint()
    await Elsewhere(taint, lambda: sources, is_new=True).admitted(effect)
    assert taint.by == by


async def test_pages_of_an_earlier_program_count_as_read():
    taint = Taint()
    await Elsewhere(taint, lambda: ["page https://seen.example"], is_new=False).admitted(
        Effect(kind="none", action="")
    )
    assert taint.by == ("https://seen.example",)
