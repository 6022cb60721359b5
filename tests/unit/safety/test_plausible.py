"""What makes a value a secret: each bound from both of its sides."""

import pytest

from ouroboros.safety.secrets.find import find
from ouroboros.safety.secrets.plausible import entropy, is_filler, is_key, is_password
from tests.cases import every


@every(
    ("value", "bits"),
    [("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("aabc", 1.5), ("abcdefgh", 3.0)],
)
def test_entropy_counts_bits_a_character(value: str, bits: float) -> None:
    assert entropy(value) == pytest.approx(bits)


@every(
    "value",
    [
        "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
        "$2y$12$abcdefghijklmnopqrstuv1234567890",
        "$6$rounds=5000$saltsalt$Xk29fjq",
        "$5$saltsalt$Xk29fjqZZ",
        "$y$j9T$F5Jx5fExrKuPp53xLKQ..1",
        "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ",
        "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ",
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvx",
        "$1$saltsalt$Xk29fjqZZ",
        "$apr1$saltsalt$Xk29fjqZZ",
        "sha1:8843d7f92416211de9ebb963ff4ce28125932878",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
        "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXc",
    ],
)
def test_a_hash_of_a_password_is_none(value: str) -> None:
    assert not is_password(value)
    assert not is_key(value, strict=False)


@every("value", ["sha1x8843d7f92416Zq", "x$2a$10N9qo8uLOq", "$9$Xk29fjqZ8q"])
def test_what_only_begins_like_a_hash_may_be_one(value: str) -> None:
    assert is_password(value) == (not value.startswith("$"))


@every(
    ("value", "is_one"),
    [
        ("3f9a1c7e5b2d8046", True),
        ("3F9A1C7E5B2D8046", True),
        ("0x3f9a1c7e5b2d8046", True),
        ("3f9a1c7e5b2d804", False),
        ("1212121212121212", False),
        ("a1b2c3da1b2c3da1", False),
        ("a1b2c3d4a1b2c3d4", True),
        ("1234567012345670", False),
        ("00112233445566770011223344556677", True),
        ("3f9a1c7e-5b2d-8046-9f1e-2a3b4c5d6e7f", True),
    ],
)
def test_numbers_of_base_16_are_keys_where_the_name_says_so(value: str, is_one: bool) -> None:
    assert is_key(value, strict=False) is is_one
    assert not is_key(value, strict=True)


@every(
    ("value", "loose", "strict"),
    [
        ("Zq9xW2kLp4", True, False),
        ("Zq9xW2kLp", False, False),
        ("Zq9xW2kLp4Vn7RtY3mBc", True, True),
        ("Zq9xW2kLp4Vn7RtY3mB", True, False),
        ("q1q1q1q1q1q1q1q1q1q1q1", False, False),
        ("q1w2e3q1w2e3q1w2e3q1w2e3", False, False),
        ("z1x2c3v4z1x2c3v4z1x2c3v4", True, False),
    ],
)
def test_a_key_is_long_and_has_many_letters(value: str, loose: bool, strict: bool) -> None:
    assert is_key(value, strict=False) is loose
    assert is_key(value, strict=True) is strict


@every(
    ("value", "is_one"),
    [
        ("k3y#Of", True),
        ("k3y#O", False),
        ("k3y#kk", False),
        ("k3y#ok", True),
        ("928374", False),
        ("92837x", True),
        ("hunter", False),
        ("correct-horse.battery_staple", False),
        ("xkcdqwrtplkzmnbv", True),
        ("xkcdqwrtplkzmnb", False),
        ("пароль-мой", False),
        ("${PASSWORD}", False),
        ("a{{ pass }}1", False),
        ("x$(pass)1", False),
        ("config.database.pass1", False),
        ("vault:kv/x1", False),
        ("./keys/prod1", False),
        ("changeme-9Z", False),
        ("P@ssw0rd1!", False),
    ],
)
def test_a_password_is_what_nobody_says(value: str, is_one: bool) -> None:
    assert is_password(value) is is_one


def test_a_stand_in_is_one_in_any_case() -> None:
    for body in ("EXAMPLE1a2b3c", "YourKey9x8y7z", "aaaa", "9fA7XXXXXq2", "Fake_Key77"):
        assert is_filler(body), body
    assert not is_filler("9fA7cQ2wLp")


@every(
    ("text", "kinds"),
    [
        ("password=k3y#OfHouse", ["password"]),
        ("password=k3y#OfHouse.", ["password"]),
        ("api_key=Zq9xW2kLp4Vn", ["generic-api-key"]),
        ("api_key=Zq9xW2kLp4V", []),
        ("stripe_blue_key=Zq9xW2kLp4V", ["stripe-api-key"]),
        ("MYKEY=Zq9xW2kLp4Vn7RtY3mBc", ["generic-api-key"]),
        ("mykey=Zq9xW2kLp4Vn7RtY3mBc", []),
        ("client_secret=Zq9xW2kLp4", ["generic-secret"]),
        ("public_key=Zq9xW2kLp4Vn", []),
        ("password=get_it(k3yOf)", []),
        ("password=$k3yOfHouse9", []),
        ("x: Bearer Zq9xW2kLp4V", []),
        ("authorization: Bearer Zq9xW2kLp4Vn", ["generic-token"]),
    ],
)
def test_the_name_says_what_its_value_is(text: str, kinds: list[str]) -> None:
    assert [each.kind for each in find(text)] == kinds


def test_what_a_value_is_elsewhere_says_nothing_of_a_quoted_one() -> None:
    code, quoted = "password=Bearer Tr0ubador_horse\n", 'password="Tr0ubador_horse"\n'
    assert find(code) == []
    assert [each.start for each in find(quoted)] == [10]
    between = "-" * 60 + "\n"
    assert [each.start for each in find(code + between + quoted)] == [len(code + between) + 10]


def test_a_value_is_taken_to_its_end_and_no_further() -> None:
    for size in (60, 256, 300, 2_048, 2_100):
        value = ("Zq9xW2kLp4Vn7RtY" * 200)[:size]
        (found,) = find(f"api_key={value}!, next")
        assert (found.start, found.end) == (8, 8 + min(size, 2_048))
    assert find("api_key=" + "Zq9xW2kLp4Vn7RtY" * 20 + "(1)") == []
