"""Secrets are taken out of what a reader sees: one with a colour or a hidden sign within is one too."""

from collections.abc import Callable

from ouroboros.app.text import plain

type Clean = Callable[[str], str]


def visible(clean: Clean) -> Clean:
    """A text as it is shown, and then without its secrets."""
    return lambda text: clean(plain(text))


def whole(clean: Clean) -> Clean:
    """A text as it is kept, unless what is shown of it holds a secret: then only that, without it."""

    def cleaned(text: str) -> str:
        kept = clean(text)
        shown = plain(kept)
        if shown == kept:
            return kept
        again = clean(shown)
        return kept if again == shown else again

    return cleaned
