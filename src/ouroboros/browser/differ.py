"""What changed about the tabs between two looks. Pure."""

from msgspec import Struct

from ouroboros.browser.tab import TabFacts


class TabChange(Struct, frozen=True, kw_only=True):
    """One difference between two snapshots.

    Attributes:
        field: ``opened``, ``closed``, ``url``, ``title``, ``status`` or ``dialog``.
    """

    tab: str
    field: str
    old: str = ""
    new: str = ""


def changes(before: tuple[TabFacts, ...], after: tuple[TabFacts, ...]) -> tuple[TabChange, ...]:
    """What differs between two snapshots, in the order of the tabs. Pure."""
    was = {facts.id: facts for facts in before}
    now = {facts.id: facts for facts in after}
    found = [
        TabChange(tab=facts.id, field="closed", old=facts.url)
        for facts in before
        if facts.id not in now
    ]
    for facts in after:
        old = was.get(facts.id)
        if old is None:
            found.append(TabChange(tab=facts.id, field="opened", new=facts.url))
            continue
        found.extend(
            TabChange(tab=facts.id, field=field, old=before_, new=after_)
            for field, before_, after_ in (
                ("url", old.url, facts.url),
                ("title", old.title, facts.title),
                ("status", old.status, facts.status),
                ("dialog", old.dialog, facts.dialog),
            )
            if before_ != after_
        )
    return tuple(found)
