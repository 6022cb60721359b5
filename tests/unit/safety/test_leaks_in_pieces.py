"""Secrets that arrive cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.safety.leaks import Leaks

SECRETS = st.text(alphabet="abc", min_size=8, max_size=12)


@given(secret=SECRETS, text=st.text(alphabet="abc", max_size=30), data=st.data())
def test_pieces_show_what_the_whole_text_would_show(
    secret: str, text: str, data: st.DataObject
) -> None:
    whole = f"{text}{secret}{text[::-1]}"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    leaks = Leaks({"KEY": secret})
    flow = leaks.flow()
    shown = "".join(
        flow.next(whole[start:end])
        for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)
    )
    shown += flow.rest()
    assert secret not in shown
    assert shown == leaks.redacted(whole)


def test_only_what_may_be_a_secret_waits() -> None:
    flow = Leaks({"KEY": "sk-abcdef123"}).flow()
    assert flow.next("this sk-abc") == "this "
    assert flow.next("xyz") == "sk-abcxyz"
    assert flow.rest() == ""


def test_without_secrets_nothing_waits() -> None:
    assert Leaks({}).flow().next("sk-") == "sk-"


@pytest.mark.deep
def test_of_a_very_long_secret_a_bounded_beginning_waits() -> None:
    secret = "".join(map(str, range(5_000)))
    flow = Leaks({"KEY": secret}).flow()
    assert flow.next(secret[:200]) == ""
    assert flow.next(secret[200:]) == "[REDACTED:KEY]"
