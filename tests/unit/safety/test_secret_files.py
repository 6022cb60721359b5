"""Files where programs keep logins, and previews that end in the middle of a key."""

import pytest

from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.secrets.find import find
from tests.cases import every

KEPT = [
    ("localhost:5432:mydb:alice:Zk3#pQ9xLw\n", "Zk3#pQ9xLw"),
    ("*:*:*:postgres:hunterhunter\n", "hunterhunter"),
    ("# comment\ndb.acme.io:6432:*:app:k3yOfHouse\nnext\n", "k3yOfHouse"),
    ("machine api.acme.io\n  login bob\n  password Zk3pQ9xLw\n", "Zk3pQ9xLw"),
    ("machine github.com\nlogin bob\npassword correcthorsebattery\n", "correcthorsebattery"),
    ("machine h login bob password correcthorse\n", "correcthorse"),
    ("machine x login y password reset", "reset"),  # as words it would look no other
    ("https://bob:Zk3pQ9xLw77@github.com\n", "Zk3pQ9xLw77"),
    (
        "//r.acme.io/:_authToken=4f9a1c7e-5b2d-8046-9f1e-2a3b4c5d6e7f\n",
        "4f9a1c7e-5b2d-8046-9f1e-2a3b4c5d6e7f",
    ),
    ("//r.acme.io/:_password=WmszcFE5eEx3\n", "WmszcFE5eEx3"),
    ("_auth=Ym9iOlprM3BROXhMdzc3\n", "Ym9iOlprM3BROXhMdzc3"),
    ('{"auths":{"r.acme.io":{"auth":"Ym9iOlprM3BROXhMdzc3"}}}', "Ym9iOlprM3BROXhMdzc3"),
    ('{"auths":{"r":{"identitytoken":"Zk3pQ9xLw77aBcD0eF"}}}', "Zk3pQ9xLw77aBcD0eF"),
    (
        "    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB\n",
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB",
    ),
    ("users:\n- user:\n    password: Zk3pQ9xLw77\n", "Zk3pQ9xLw77"),
    (
        "bob:$apr1$hwqWDpJo$vtW4XHz9vLqtbiB0sAvqf.\n",
        "$apr1$hwqWDpJo$vtW4XHz9vLqtbiB0sAvqf.",
    ),
    ("bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n", "5en6G6MezRroT3XKqkdPOmY/BfQ="),
    (
        "root:$6$saltsalt$qFmFHbQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9:19000:0:99999:7:::\n",
        "$6$saltsalt$qFmFHbQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9",
    ),
    ('network={\n ssid="home"\n psk="Zk3pQ9xLw77"\n}\n', "Zk3pQ9xLw77"),
]


@pytest.mark.proves("safety-secrets")
@every(("text", "secret"), KEPT)
def test_a_login_that_a_program_keeps_is_found_whole(text: str, secret: str) -> None:
    assert [text[each.start : each.end] for each in find(text)] == [secret]


@pytest.mark.proves("safety-secrets")
@every(("text", "secret"), KEPT)
def test_any_cut_of_such_a_file_keeps_it_in(text: str, secret: str) -> None:
    detector = Detector()
    whole = detector.redacted(text)
    assert secret not in whole
    for size in range(1, len(text), 3):
        flow = detector.flow()
        pieces = [flow.next(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(pieces) + flow.rest() == whole


@every(
    "text",
    [
        "a:b:c:d:e",
        "12:30:45:06:07",
        "usr:x:1000:1000:Bob,,,:/home/bob:/bin/bash",
        "bob:x:19000:0:99999:7:::",
        "src/a.py:5432:20:error:missing",
        "localhost:5432:db:user:password",
        "*:*:*:*:*",
        "2020-01-01T10:20:30:40",
        "Foo::Bar::Baz:a:b",
        "curl --resolve example.com:443:10.0.0.1",
        "docker run -p 5432:5432 -v a:b:c:d:e",
        "machine learning login password reset page",
        "machine h login bob password YOUR_PASSWORD",
        "price:$100:each:of:them:all",
    ],
)
def test_what_only_looks_like_such_a_file_stays(text: str) -> None:
    assert find(text) == []


KEY = "ghp_" + "aB3dE5" * 6


@pytest.mark.proves("safety-secrets")
@every("size", range(8, 20))
@every("after", ["", "…"])
def test_a_preview_that_ends_in_a_key_nobody_told_us_of_shows_none_of_it(
    size: int, after: str
) -> None:
    leaks = Leaks({}, unknown=Detector())
    for key in (KEY, "sk-ant-api03-" + "Zk3pQ9xLw7" * 4, "AKIA" + "Q7ZK3P9XLW2B4C6D"):
        text = f"deploy with {key}"[: len("deploy with ") + size]
        assert leaks.redacted_cut(text + after) == f"deploy with [REDACTED:cut]{after}"


def test_a_preview_that_ends_in_a_given_secret_shows_none_of_it() -> None:
    leaks = Leaks({}, unknown=Detector())
    assert leaks.redacted_cut("export API_KEY=Zq9x…") == "export API_KEY=[REDACTED:cut]…"
    assert leaks.redacted_cut('{"password": "Zq9x…') == '{"password": "[REDACTED:cut]…'
    assert "MIIE" not in leaks.redacted_cut("-----BEGIN RSA PRIVATE KEY-----\nMIIE…")


@every(
    "text",
    [
        "Mend the password rese…",
        "look at the token count…",
        "skip the next test…",
        "ghost writer…",
        "print the key of the map…",
        "the session ended at 12:30:45:06…",
        "Authorization is checked befo…",
        "[REDACTED:github-pat]…",
    ],
)
def test_a_preview_of_words_stays(text: str) -> None:
    assert Leaks({}, unknown=Detector()).redacted_cut(text) == text
