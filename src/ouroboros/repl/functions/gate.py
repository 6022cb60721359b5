"""What an act would set off, asked about before it is done: sending, paying, files, another place."""

from ouroboros.browser.page.facts import Facts
from ouroboros.repl.functions.pages import Admit, Pages
from ouroboros.safety.origins import origin_of
from ouroboros.tools.tool import Effect

LABEL_CHARS = 80
_PLACE_CHARS = 300
_METHODS = {"get", "post", "dialog"}


def risk_of(facts: Facts, risks: frozenset[str]) -> str:
    """The gravest of the risks that the person wants to hear of; empty when there is none. Pure."""
    goes_elsewhere = bool(facts.action) and origin_of(facts.action) != origin_of(facts.page)
    found = {
        "payment": facts.is_payment,
        "cross-site-post": facts.is_submit and goes_elsewhere and facts.method.lower() == "post",
        "submit": facts.is_submit and (goes_elsewhere or not facts.is_search),
        "upload": facts.is_upload,
        "download": facts.is_download,
    }
    return next((risk for risk, holds in found.items() if holds and risk in risks), "")


def effect_of(facts: Facts, risk: str, tab: str) -> Effect:
    """The question that is put to the rules and the person; the label is page text. Pure."""
    label = " ".join(facts.label.split())[:LABEL_CHARS]
    name = f'"{label}"' if label else f"a {facts.tag}"
    where = facts.action if facts.is_submit else facts.href
    place = origin_of(where or facts.page) or "this page"
    match risk:
        case "payment":
            action = f"Press {name} on {place}, which may pay or order"
        case "cross-site-post":
            action = f"Send a form of {origin_of(facts.page)} to {place} by {name}"
        case "submit":
            action = f"Send a form to {place} by {name}"
        case "upload":
            action = f"Choose a file to upload in {tab} by {name}"
        case _:
            action = f"Download a file from {place} by {name}"
    about = about_of(facts, tab)
    return Effect(kind="risk", risk=risk, url=where or facts.page, action=action, about=about)


def about_of(facts: Facts, tab: str) -> tuple[str, ...]:
    """What a person who looks at the page sees of it: the page, and where the act leads. Pure."""
    lines = [f"page: {_place(facts.page)} ({tab})"]
    if facts.is_submit and facts.action:
        # A page may write any words there; browsers take those for GET.
        method = facts.method.upper() if facts.method.lower() in _METHODS else "GET"
        lines.append(f"sends the form to: {_place(facts.action)} by {method}")
    elif facts.href:
        lines.append(f"leads to: {_place(facts.href)}")
    return tuple(lines)


def _place(address: str) -> str:
    line = " ".join(address.split())
    return line if len(line) <= _PLACE_CHARS else f"{line[:_PLACE_CHARS]}…"


async def admitted(pages: Pages, facts: Facts, tab: str, admit: Admit) -> None:
    """Returns when the act may be done.

    Raises:
        Denied: A rule, a hook or the person said no.
    """
    risk = risk_of(facts, pages.risks)
    if risk:
        await admit(effect_of(facts, risk, tab))
    leads = facts.action if facts.is_submit else facts.href
    if leads and origin_of(leads) not in {"", origin_of(facts.page)}:
        await pages.watch.opening(leads, admit)
