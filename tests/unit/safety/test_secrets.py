"""Secrets of published formats are found in every frame, and what only looks like one stays."""

import re
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.safety.secrets import addresses, assignments, blocks, plausible, words
from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.find import find
from ouroboros.safety.secrets.words import kinds
from tests.cases import every
from tests.unit.safety.corpus.harmless import negatives
from tests.unit.safety.corpus.keys import FORMS, forms, made
from tests.unit.safety.corpus.secret_texts import positives

POSITIVES = positives()
NEGATIVES = negatives()


def is_found(text: str, secret: str) -> bool:
    """Whether all of the secret, but for what a frame may take of its ends, is in one finding."""
    begin = text.index(secret)
    end = begin + len(secret)
    return any(each.start <= begin + 3 and each.end >= end - 3 for each in find(text))


@pytest.mark.deep
@pytest.mark.proves("G09")
def test_of_the_corpus_95_percent_is_found_at_2_percent_false_alarms() -> None:
    missed = [(what, secret) for what, text, secret in POSITIVES if not is_found(text, secret)]
    alarms = [text for _, text in NEGATIVES if find(text)]
    assert len(POSITIVES) > 4_000
    assert len(NEGATIVES) > 400
    assert len(missed) <= 0.005 * len(POSITIVES), missed
    assert len(alarms) <= 0.005 * len(NEGATIVES), alarms


@pytest.mark.proves("G09")
def test_at_least_120_kinds_are_known() -> None:
    assert len(kinds()) >= 120


@pytest.mark.proves("G09")
@every(("name", "form"), forms(FORMS))
def test_a_key_is_found_wherever_it_stands_alone(name: str, form: str) -> None:
    random = Random(name)
    for _ in range(2):
        key = made(form, random)
        for text in (key, f'"{key}"', f"({key})", f"a {key}\n", f"x={key}&y=1", f"\\n{key}\\n"):
            assert is_found(text, key), text


@pytest.mark.proves("G11")
@settings(max_examples=200)
@given(data=st.data())
@pytest.mark.deep
def test_any_pieces_give_what_the_whole_gives(data: st.DataObject) -> None:
    picked = data.draw(st.lists(st.integers(0, len(POSITIVES) - 1), min_size=1, max_size=3))
    joint = data.draw(st.sampled_from(["\n", " ", "", ", "]))
    text = joint.join([
        *(POSITIVES[at][1] for at in picked),
        NEGATIVES[picked[0] % len(NEGATIVES)][1],
    ])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    detector = Detector()
    flow = detector.flow()
    shown = "".join(
        flow.next(text[start:end])
        for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)
    )
    assert shown + flow.rest() == detector.redacted(text)


@pytest.mark.proves("G11")
def test_every_cut_of_a_text_keeps_the_secret_in() -> None:
    key = "ghp_" + "aB3dE5" * 6
    text = f"export A=1\nexport GITHUB_TOKEN={key}\npassword: k3y#Of!House\nnext line"
    detector = Detector()
    whole = detector.redacted(text)
    assert "[REDACTED:github-pat]" in whole
    assert "[REDACTED:password]" in whole
    for size in range(1, len(text)):
        flow = detector.flow()
        pieces = [flow.next(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(pieces) + flow.rest() == whole


def test_only_what_may_be_a_secret_waits() -> None:
    flow = Detector().flow()
    assert flow.next("Hello, how are ") == "Hello, how are "
    assert flow.next("you? ghp_") == "you? "
    assert flow.next("is a beginning.\n") == "ghp_is a beginning.\n"


@pytest.mark.proves("G11")
def test_of_an_endless_word_only_a_bounded_part_waits() -> None:
    flow = Detector().flow()
    shown = "".join(flow.next("A" * 4_096) for _ in range(32))
    assert len(shown) > 90_000
    assert set(shown + flow.rest()) == {"A"}


@pytest.mark.proves("G09")
def test_a_kind_may_only_warn() -> None:
    key = "ghp_" + "aB3dE5" * 6
    detector = Detector({"github-pat": "warn"})
    assert detector.redacted(key) == key
    assert [each.action for each in detector.find(key)] == ["warn"]
    other = "glpat-" + "aB3dE5f7H9" * 2
    assert detector.redacted(f"{key} {other}") == f"{key} [REDACTED:gitlab-pat]"
    flow = detector.flow()
    assert flow.next(key) + flow.rest() == key


@pytest.mark.proves("G09")
def test_a_private_key_that_was_cut_off_is_found() -> None:
    body = "MIIEowIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy"
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n"
    assert Detector().redacted(text) == "[REDACTED:rsa-private-key]\n"


def test_what_was_redacted_is_no_secret_any_more() -> None:
    detector = Detector()
    for _, text, _ in POSITIVES[::17]:
        once = detector.redacted(text)
        assert detector.redacted(once) == once


HOSTILE = [
    "a" * 10_000,
    "sk-" * 3_000,
    "password=" * 1_000,
    'password="' * 1_000,
    "token:" * 1_000,
    "eyJ" + "a" * 5_000 + ".",
    "eyJaaaaaaaaaa." * 700,
    "-----BEGIN PRIVATE KEY-----" * 400,
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 5_000 + " " * 2_000,
    "://a:" * 2_000,
    "://" + "a" * 7_000,
    "key " * 2_000,
    "secret" + " " * 10_000,
    "mysql " + "-p" * 5_000,
    "xoxb-" + "1-" * 5_000,
    "AAAAAAAAAAAAAAAAAAAAA" * 700,
    ("a" * 36 + ".") * 300,
    "1/" * 5_000,
    '"auth" name="' * 700,
    "glpat-" + "." * 7_000,
]


@pytest.mark.deep
@pytest.mark.proves("G14")
@every("text", HOSTILE, ids=range(len(HOSTILE)))
def test_work_grows_with_the_text_and_no_faster(text: str) -> None:
    """Doubling the text may double what is asked of expressions; counted, not timed."""
    find(f"{text * 2} ")  # what is compiled for it is compiled once
    assert asked(text * 2) <= 3 * asked(text) + 2_000


def asked(text: str) -> int:
    """Calls and lines that a search takes."""
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        find(text)
    finally:
        sys.setprofile(before)
    return steps


@pytest.mark.proves("G14")
def test_no_expression_repeats_what_repeats() -> None:
    """A repeat without a bound inside another is what makes an expression exponential."""
    sources = [rest for known in words.formats().values() for _, _, rest in known]
    sources += [source for _, source in words.SHAPES]
    modules = (addresses, assignments, blocks, plausible, words)
    held: list[object] = [each for module in modules for each in vars(module).values()]
    sources += [each.built.pattern for each in held if isinstance(each, Expression)]
    assert len(sources) > 150
    for source in sources:
        assert not re.search(r"[+*]\)[+*]|\}\)[+*]", source), source


@every(
    ("kind", "text", "secret"),
    [
        (
            "azure-sas",
            "https://acme.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig={}&se=2030",
            "VXJEBHG8a7gO55Jef6TDu5Ki0SH2WjT%2FANN5EovFrmu%3D",
        ),
        (
            "one-time-password-seed",
            "otpauth://totp/Acme:bob?secret={}&issuer=Acme",
            "FWROY4ZMPENKQBO76A76RYFVMU3QZBOK",
        ),
    ],
)
def test_signed_addresses_and_seeds_are_found(kind: str, text: str, secret: str) -> None:
    whole = text.format(secret)
    assert [(each.kind, whole[each.start : each.end]) for each in find(whole)] == [(kind, secret)]


@every(
    "text",
    [
        "All tests pass: `python3 -m pytest -q`.",
        "* tests pass: pytest-8.2",
        "to pass: 'abc123def4'",
    ],
)
def test_to_pass_is_a_verb_too(text: str) -> None:
    assert Detector().redacted(text) == text
    assert "abc123def4" not in Detector().redacted("bob pass: 'abc123def4'")
