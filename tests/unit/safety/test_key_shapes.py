"""Keys are known by their shape, also in JSON and after an equals sign; ordinary words are not."""

import json
import re

import pytest

from ouroboros.safety.secrets.key_shapes import contains_key, without_keys
from tests.cases import every

MARK = "[REDACTED:x]"

KEYS = [
    "sk-ant-api03-" + "aB3_" * 10,
    "sk-proj-" + "x1Y2" * 8,
    "AKIAQ3EGRNJ5VZ7TUVKW",
    "AIza" + "Sy0-" * 8 + "abc",
    "ghp_" + "a1" * 18,
    "github_pat_" + "A1b2" * 6,
    "gsk_" + "a1" * 20,
    "hf_" + "aB" * 17,
    "xoxb-123456789012-abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.proves("G13")
@every("key", KEYS)
@every("frame", ["{}", "NAME={}\n", "'{}'", "a\n{}\nb", '"{}"', "Bearer {}", "({})"])
def test_a_key_goes_and_what_is_around_it_stays(key: str, frame: str) -> None:
    text = frame.format(key)
    assert contains_key(text)
    assert re.sub(r"\[REDACTED:[a-z-]+\]", MARK, without_keys(text)) == frame.format(MARK)
    encoded = re.sub(r"\[REDACTED:[a-z-]+\]", MARK, without_keys(json.dumps({"text": text})))
    assert json.loads(encoded) == {"text": frame.format(MARK)}


@every(
    "text",
    [
        "task-oriented-programming-in-large-projects",
        "the disk-usage-of-this-folder-is-large",
        "sk-short",
        "risk-assessment-and-mitigation-of-failures",
        "AKIA is a prefix",
        "AKIAIOSFODNN7EXAMPLE stands in the vendor's own documentation",
        "gAAAAABo" + "sk-aB3d" * 9,
        "ghp_ and hf_ are prefixes",
        "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----",
    ],
)
def test_ordinary_words_and_opaque_data_stay(text: str) -> None:
    assert not contains_key(text)
    assert without_keys(text) == text
