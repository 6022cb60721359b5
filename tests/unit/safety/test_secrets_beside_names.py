"""A secret whose name stands apart from it: beside it, in the line above, in capitals before signs."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.safety.secrets.detector import Detector
from tests.cases import every
from tests.unit.safety.corpus.keys import made

CHANCE = Random(7)
PASSWORD, KEY, HEX = (made(form, CHANCE) for form in ("{A4}#{A9}", "{b40}", "{h40}"))
SIGNS = "!iqb8a=yip4*_daan0&o6_%ptd6p(c-ywb9t22g)hx!7r_@#yytk"

FOUND = [
    (f"env:\n  - name: DB_PASSWORD\n    value: {PASSWORD}\n  - name: PORT\n", PASSWORD),
    (f"- name: AWS_SECRET_ACCESS_KEY\n  value: '{KEY}'\n", KEY),
    (f"  name: API_TOKEN\r\n  value: {HEX}\r\n", HEX),
    (json.dumps({"environment": [{"name": "DB_PASSWORD", "value": PASSWORD}]}), PASSWORD),
    (json.dumps([{"name": "AUTH_TOKEN", "value": HEX}], indent=2), HEX),
    (json.dumps({"Key": "CLIENT_SECRET", "Value": HEX}, separators=(",", ":")), HEX),
    (json.dumps(json.dumps({"name": "API_TOKEN", "value": HEX})), HEX),
    (f"<name>db.password</name>\n  <value>{PASSWORD}</value>", PASSWORD),
    (f"<property><name>db.password</name><value>{PASSWORD}</value></property>", PASSWORD),
    (f'variable "db_password" {{\n  default = "{PASSWORD}"\n}}', PASSWORD),
    (f"client_secret: |\n  {HEX}\nnext: 1\n", HEX),
    (f"+  - name: API_TOKEN\n+    value: {HEX}\n", HEX),
    (f'curl -H "Authorization: token {HEX}" https://api.acme.io', HEX),
    (f"set -x API_TOKEN {HEX}\n", HEX),
    (f"DEBUG=1\nSECRET_KEY={SIGNS}\nPORT=1\n", SIGNS),
    (f"export SECRET_KEY={SIGNS}", SIGNS),
    (f'SECRET_KEY = "{SIGNS}"\n', SIGNS),
    (f"mysql://app:{HEX[:12]}%21@10.0.0.3/x", f"{HEX[:12]}%21"),
]
NOT = [
    "- name: DB_PASSWORD_FILE\n  value: /run/secrets/db_password\n",
    "- name: SECRET_NAME\n  value: production-database-credentials\n",
    "- name: LOG_TOKEN_COUNT\n  value: 'true'\n",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-credentials-production\n",
    '{"name": "API_TOKEN", "value": "${API_TOKEN}"}',
    '{"name": "password", "type": "string", "value": ""}',
    "<name>password</name>\n<value>Enter your password</value>",
    'variable "db_password" {\n  default = null\n}',
    "secret: |\n  The secret of good bread is time.\n",
    "SECRET_KEY=get_random_secret_key(length=50,chars=ALLOWED)\n",
    "SECRET_KEY=os.environ['DJANGO_SECRET_KEY_OF_PRODUCTION']\n",
    "mysql://user:%(password)s@host/x mysql://user:%PASSWORD%@host/x",
    "password: '#password-reset-form' token: '@types/token-of-things' secret: '!vault'",
]


@pytest.mark.proves("G09")
@every(("text", "secret"), FOUND)
def test_a_value_is_found_apart_from_its_name(text: str, secret: str) -> None:
    clean = Detector().redacted(text)
    assert secret not in clean
    assert "[REDACTED:" in clean
    assert len(clean) >= len(text) - len(secret)


@pytest.mark.proves("G09")
@every("text", NOT)
def test_what_only_stands_apart_from_such_a_name_is_none(text: str) -> None:
    assert Detector().redacted(text) == text


@pytest.mark.deep
@pytest.mark.proves("G09")
@settings(max_examples=60)
@given(picked=st.lists(st.sampled_from([*FOUND, *((each, "") for each in NOT)]), max_size=3), data=st.data())  # fmt: skip
def test_any_pieces_of_them_give_what_the_whole_gives(
    picked: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(["\n", " "])).join(each for each, _ in picked)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    flow = Detector().flow()
    pairs = zip([0, *cuts], [*cuts, len(text)], strict=True)
    shown = "".join(flow.next(text[start:end]) for start, end in pairs)
    assert shown + flow.rest() == Detector().redacted(text)
