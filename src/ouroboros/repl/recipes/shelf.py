"""The recipes that are shipped, by name."""

from importlib.resources import files

NAMES = (
    "connection",
    "cookies",
    "cross-origin-iframes",
    "dialogs",
    "downloads",
    "drag-and-drop",
    "dropdowns",
    "iframes",
    "network-requests",
    "print-as-pdf",
    "screenshots",
    "scrolling",
    "shadow-dom",
    "tabs",
    "uploads",
    "viewport",
)


class Shelf:
    """Gives a recipe when it is asked for."""

    def names(self) -> tuple[str, ...]:
        """All there are."""
        return NAMES

    def text(self, name: str) -> str | None:
        """One of them as Markdown, None when there is none of that name; reads a file."""
        if name not in NAMES:
            return None
        return files("ouroboros.repl.recipes").joinpath(f"{name}.md").read_text("utf-8")
