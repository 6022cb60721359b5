"""Texts that hold one secret, and texts that hold none but look like it."""

import json
from base64 import b64encode
from random import Random

from tests.unit.safety.corpus.keys import FORMS, NAMED, forms, made, private_key

FRAMES = {
    "env": "DEBUG=1\nSERVICE_TOKEN={}\nPORT=8080\n",
    "export": "export API_TOKEN='{}'\n",
    "yaml": "service:\n  name: billing\n  apiToken: {}\n  retries: 3\n",
    "json": '{{"name": "billing", "token": "{}", "retries": 3}}',
    "json-in-json": '{{"body": "{{\\"token\\":\\"{}\\",\\"n\\":1}}"}}',
    "diff": "@@ -1,3 +1,3 @@\n-token = 'old'\n+token = '{}'\n context\n",
    "diff-bare": "@@ -1 +1 @@\n+{}\n",
    "dom": '<input type="hidden" name="token" value="{}" id="t1">',
    "dom-text": "<code class=key>{}</code>",
    "cookie": "Set-Cookie: auth_token={}; Path=/; HttpOnly",
    "url": "GET https://api.example.com/v1/items?limit=5&access_token={}&page=2 HTTP/1.1",
    "traceback": "  File \"app.py\", line 7, in main\n    client = Client(token='{}')\nValueError: bad\n",
    "netrc": "machine api.acme.io login bot password {}\n",
    "docker": "FROM python:3.12\nENV SERVICE_TOKEN={}\nRUN pip install .\n",
    "header": "POST /v1 HTTP/1.1\nHost: api.acme.io\nAuthorization: Bearer {}\nAccept: */*\n",
    "header-key": "X-Api-Key: {}\r\nAccept: */*\r\n",
    "python": 'client = Client(api_token="{}", timeout=3)\n',
    "go": 'const token string = "{}"\n',
    "toml": 'token = "{}"\n',
    "xml": "<settings><token>{}</token></settings>",
    "shell": "curl -s -H 'Authorization: Bearer {}' https://api.acme.io/v1\n",
    "log": "2026-01-02T03:04:05Z INFO connected with token={} in 35 ms\n",
    "markdown": "Set the token to `{}` and start it.\n",
    "repr": "{{'token': '{}', 'n': 3}}",
    "escaped": '"line one\\n{}\\nline three"',
}
BARE = ("diff-bare", "dom-text", "markdown", "escaped")
"""Frames that do not say what stands in them."""


def positives(seed: int = 1) -> list[tuple[str, str, str]]:
    """What each is, the text, and the secret in it."""
    random = Random(seed)
    found: list[tuple[str, str, str]] = []
    for name, form in forms(FORMS):
        for frame, text in FRAMES.items():
            key = made(form, random)
            found.append((f"{name} in {frame}", text.format(key), key))
    for name, form in forms(NAMED):
        for frame, text in _named(name).items():
            value = made(form, random)
            found.append((f"{name} in {frame}", text.replace("@@", value), value))
    for kind in ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "):
        key = private_key(random, kind)
        found.append((f"{kind}key", f"see\n{key}\nend", key))
        found.append((
            f"{kind}key in JSON",
            json.dumps({"private_key": key}),
            json.dumps(key)[1:-1],
        ))
        yaml = key.replace("\n", "\n  ")
        found.append((f"{kind}key in YAML", f"tls: |\n  {yaml}\nnext: 1\n", yaml))
    return found + _connections(random)


def _named(name: str) -> dict[str, str]:
    camel = name.lower().split("_")
    camel_name = camel[0] + "".join(word.title() for word in camel[1:])
    return {
        "env": f"A=1\n{name}=@@\n",
        "export": f'export {name}="@@"',
        "yaml": f"env:\n  {name.lower()}: @@\n",
        "json": f'{{"{camel_name}": "@@", "n": 1}}',
        "python": f"{name} = '@@'\n",
        "call": f"connect(host='h', {name.lower()}='@@')",
        "diff": f"-{name}=\n+{name}=@@\n",
        "docker": f"ENV {name} @@\n",
        "repr": f"{{'{name.lower()}': '@@'}}",
        "xml": f'<add key="{name}" value="@@" />',
        "compose": f"      - {name}=@@\n",
        "property": f"spring.{name.lower().replace('_', '.')}=@@\n",
    }


def _connections(random: Random) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for scheme in (
        "postgres",
        "postgresql",
        "mysql",
        "mongodb+srv",
        "redis",
        "amqp",
        "https",
        "ftp",
        "mssql",
    ):
        for frame in ("DATABASE_URL={}", '"url": "{}"', "error: cannot reach {}", "- dsn: {}"):
            password = made("{A14}", random)
            url = f"{scheme}://app:{password}@db.acme.io:5432/main"
            found.append((f"{scheme} URL", frame.format(url), password))
    for _ in range(5):
        password, key = made("{A12}#{A3}", random), made("{b86}", random) + "=="
        packed = b64encode(f"deploy:{password}".encode()).decode()
        found += [
            ("basic", f"Authorization: Basic {packed}", packed),
            ("connection string", f"Server=db;User Id=app;Password={password};Encrypt=yes", password),
            ("azure", f"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={key};", key),
            ("npmrc", f"//registry.acme.io/:_authToken={key[:40]}", key[:40]),
            ("curl", f"curl -u deploy:{password} https://acme.io", password),
            ("sql", f"CREATE USER app IDENTIFIED BY '{password}';", password),
            ("pgpass", f"PGPASSWORD={password} psql -h db", password),
            ("switch", f"tool --password {password} --verbose", password),
            ("docker auth", f'{{"auths": {{"acme.io": {{"auth": "{packed}"}}}}}}', packed),
            ("session cookie", f"Cookie: lang=de; sessionid={key[:32].replace('+', 'p').replace('/', 's')}; a=b", key[:32].replace("+", "p").replace("/", "s")),
        ]  # fmt: skip
    return found
