"""Puts the fixed prompt together from its pieces and the reference of the functions there are."""

import re
from pathlib import Path

from ouroboros.agent.prompts.pieces import Prompts
from ouroboros.agent.prompts.pieces import load as load_pieces

_BROWSER = re.compile(r"<<(.*?)>>", re.DOTALL)


class Words:
    """The pieces of the REPL mind's prompt."""

    def __init__(self, pieces: Prompts) -> None:
        """``pieces`` by name."""
        self._pieces = pieces

    @property
    def leaf(self) -> str:
        """What a model that reads data plainly is told."""
        return self._pieces["leaf"].text

    @property
    def versions(self) -> dict[str, str]:
        """Of every piece, for the record."""
        return {f"rlm_{name}": piece.version for name, piece in self._pieces.items()}

    def system(self, api: str, *, can_ask: bool, is_child: bool = False) -> str:
        """The fixed prompt for a REPL with these functions.

        Args:
            api: The reference of the functions there are.
            can_ask: ``llm_query`` and its kin are among them.
            is_child: Another run's code has started this one.
        """
        has_browser = "openTab(" in api
        names = {
            "examples_browser": has_browser,
            "examples_asking": can_ask,
            "examples_data": not (has_browser or can_ask),
        }
        examples = [name for name, is_shown in names.items() if is_shown]
        identity = "identity_child" if is_child else "identity"
        fields = {
            "identity": self._worded(identity, has_browser=has_browser),
            "asking": f" {self._pieces['asking'].text}" if can_ask else "",
            "pages": f"\n{self._pieces['pages'].text}" if has_browser else "",
            "api": api.strip(),
            "examples": "\n\n".join(self._pieces[name].text for name in examples),
        }
        text = self._worded("system", has_browser=has_browser)
        for name, value in fields.items():
            before, _, after = text.partition(f"{{{name}}}")
            text = f"{before}{value}{after}"
        return text

    def _worded(self, name: str, *, has_browser: bool) -> str:
        """A piece with, or without, what stands in ``<<...>>``: words about the browser."""
        return _BROWSER.sub(r"\1" if has_browser else "", self._pieces[name].text)


def load() -> Words:
    """Reads the pieces; blocking."""
    return Words(load_pieces(Path(__file__).parent))
