"""What going back would do to files, in words."""

import pytest

from ouroboros.faces.wording.points import would_change


@pytest.mark.proves("V13")
@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 2, 0), "2 files change"),
        ((1, 1, 1), "1 file comes back, 1 file changes, 1 file goes"),
        ((3, 0, 2), "3 files come back, 2 files go"),
        ((0, 0, 0), "no file changes"),
    ],
)
def test_what_going_back_would_do_is_told_in_words(
    numbers: tuple[int, int, int], said: str
) -> None:
    assert would_change(*numbers) == said
