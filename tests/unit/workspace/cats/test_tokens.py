"""The estimate of tokens, held to what tokenizers of vendors count."""

import importlib.util
import random
from pathlib import Path

import pytest

from ouroboros.workspace.artifacts.tokens import tokens_of

HERE = Path(__file__).parents[4]
KINDS = {
    "python": ("src/ouroboros/*/*.py", 15),
    "markdown": ("docs/decisions/*.md", 12),
    "javascript": ("src/ouroboros/faces/web/static/js/**/*.js", 12),
    "css": ("src/ouroboros/faces/web/static/**/*.css", 5),
    "json": ("tests/wire/recorded/*/*.json", 12),
}


@pytest.mark.deep
@pytest.mark.proves("L21")
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_a_bundle_is_estimated_within_a_tenth_of_what_a_vendor_counts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tiktoken

    found = importlib.util.find_spec("litellm")
    assert found is not None
    assert found.submodule_search_locations
    shelf = Path(found.submodule_search_locations[0]) / "litellm_core_utils/tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(shelf))
    encoding = tiktoken.get_encoding(name)
    told: dict[str, float] = {}
    every = [0, 0]
    for kind, (pattern, most) in KINDS.items():
        paths = sorted(HERE.glob(pattern))
        texts = [
            path.read_text()[:20_000]
            for path in random.Random(1).sample(paths, min(most, len(paths)))
        ]
        counted = sum(len(encoding.encode(text, disallowed_special=())) for text in texts)
        guessed = sum(tokens_of(text.encode()) for text in texts)
        told[kind] = guessed / counted
        every = [every[0] + guessed, every[1] + counted]
    assert every[0] / every[1] == pytest.approx(1, abs=0.1), told
    assert told == {kind: pytest.approx(1, abs=0.2) for kind in KINDS}


def test_a_long_text_is_estimated_by_pieces_of_it() -> None:
    text = b"def f(x):\n    return x + 1\n" * 40_000
    short = tokens_of(text[: len(text) // 100])
    assert tokens_of(text) == pytest.approx(short * 100, rel=0.02)
    assert tokens_of(b"") == 0
    chinese = "这是一个测试文件".encode() * 100
    assert 500 < tokens_of(chinese) < 1_300
