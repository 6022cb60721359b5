"""All page functions of a session, in the groups that a prompt shows them in."""

from ouroboros.repl.functions import act, files, keep, look, tabs, wait
from ouroboros.repl.functions.function import Function, Spec
from ouroboros.repl.functions.pages import Pages

GROUPS: tuple[tuple[str, tuple[Spec, ...]], ...] = (
    ("Tabs", tabs.SPECS),
    (
        'Read (tab, sel: CSS, a >>> b into frames and shadow roots, text=, label=, role=link[name="Next"])',
        look.SPECS,
    ),
    ("Act (real input)", act.SPECS),
    ("Wait", wait.SPECS),
    ("Dialogs and files", files.SPECS),
    ("Pictures, storage, logs", keep.SPECS),
)


def page_groups(pages: Pages) -> tuple[tuple[str, tuple[Function, ...]], ...]:
    """The functions by group; see ``repl.api.reference``."""
    return tuple((title, tuple(Function(spec, pages) for spec in specs)) for title, specs in GROUPS)


def page_functions(pages: Pages) -> tuple[Function, ...]:
    """All of them, for ``Repl``."""
    return tuple(function for _, group in page_groups(pages) for function in group)
