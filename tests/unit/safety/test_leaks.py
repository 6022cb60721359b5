import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.safety.leaks import Leaks
from tests.cases import every


@pytest.mark.proves("G13")
def test_each_value_is_replaced_by_its_name():
    leaks = Leaks({"OPENAI_API_KEY": "sk-abcdef123", "OTHER": "sk-abcdef123-longer"})
    assert leaks.redacted("a sk-abcdef123 b sk-abcdef123-longer c") == (
        "a [REDACTED:OPENAI_API_KEY] b [REDACTED:OTHER] c"
    )
    assert leaks.redacted_bytes(b"\xff sk-abcdef123") == b"\xff [REDACTED:OPENAI_API_KEY]"


def test_short_and_empty_values_are_not_looked_for():
    leaks = Leaks({"A": "", "B": "abc"})
    assert not leaks.contains("abc")
    assert leaks.redacted("abc") == "abc"
    assert leaks.redacted_bytes(b"abc") == b"abc"


SECRETS = st.text(
    alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=30
)


@pytest.mark.deep
@pytest.mark.proves("H20")
@given(secret=SECRETS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_form_of_a_secret_survives(secret: str, before: str, after: str):
    leaks = Leaks({"KEY": secret})
    for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe="")):
        text = f"{before}{form}{after}"
        assert leaks.contains(text)
        assert form not in leaks.redacted(text)
        data = text.encode("utf-8", "replace")
        assert leaks.contains(data)
        assert form.encode() not in leaks.redacted_bytes(data)


@pytest.mark.deep
@given(secret=SECRETS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_secret_hides_in_base64(secret: str, before: str, after: str):
    leaks = Leaks({"KEY": secret})
    for encode in (b64encode, urlsafe_b64encode):
        packed = encode(f"{before}{secret}{after}".encode()).decode()
        assert "[REDACTED:KEY]" in leaks.redacted(f"authorization: basic {packed}")
        assert leaks.contains(packed.encode())


def test_what_is_learned_later_is_looked_for_too():
    leaks = Leaks({"KEY": "sk-abcdef123"})
    flow = leaks.flow()
    assert flow.next("token-9") == "token-9"
    leaks.learn("key", "token-98765")
    leaks.learn("key", "short")
    assert leaks.redacted("token-98765 sk-abcdef123 short") == (
        "[REDACTED:key] [REDACTED:KEY] short"
    )
    assert [flow.next("token-9"), flow.next("8765!")] == ["", "[REDACTED:key]!"]


@pytest.mark.deep
def test_of_very_many_learned_secrets_the_latest_are_known():
    leaks = Leaks({"KEY": "sk-abcdef123"})
    for number in range(100):
        leaks.learn("key", f"token-number-{number:03}")
    assert leaks.contains("token-number-099 sk-abcdef123")
    assert leaks.contains("sk-abcdef123")
    assert not leaks.contains("token-number-001")


@every("shown", range(4, 20))
def test_the_beginning_of_a_secret_at_the_end_of_a_cut_text_is_hidden(shown: int) -> None:
    secret = "sk-fj38dk20sl19xm4"
    leaks = Leaks({"KEY": secret})
    for mark in ("", "…"):
        cut = f"sk-f is not {secret} but {secret[:shown]}{mark}"
        told = leaks.redacted_cut(cut)
        assert told == f"sk-f is not [REDACTED:KEY] but [REDACTED:KEY]{mark}"
    assert leaks.redacted_cut("it ends with sk-") == "it ends with sk-"
    assert leaks.redacted_cut("sk-sk-fj sk-") == "sk-sk-fj sk-"
    assert Leaks({}).redacted_cut("all…") == "all…"
