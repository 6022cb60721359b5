"""Secrets that are known by the name they are given to: ``password = ...``, ``"api_key": "..."``."""

import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_key, is_password
from ouroboros.safety.secrets.values import Finding

_JUDGED = 256
"""So many characters of a value tell what it is."""

NEEDLES = (b"pass", b"pwd", b"secret", b"token", b"key", b"cred", b"auth", b"bearer", b"basic ", b"sess", b"sid=", b"sig=", b"identified by", b"jwt", b"bindpw")  # fmt: skip
_BEFORE = Expression(r"[A-Za-z0-9_.-]{1,48}\Z")
_QUOTE = r"\\{0,3}[\"'`]"
_AFTER = Expression(
    rf"""(?P<tail>[A-Za-z0-9_.-]{{0,40}})
    (?P<how>
      (?:{_QUOTE})?[ ]?:[ ]?(?:&?'?[A-Za-z][\w.\[\]<>|]{{0,24}})[ ]?=[ \t]{{0,4}}(?=[\w"'`\\])
     |(?:{_QUOTE})?\]?[ \t]{{0,24}}(?::=|=>|\?=|={{1,3}}|:{{1,2}}|%3[AaDd])[ \t]{{0,8}}
     |{_QUOTE}[ ]{{0,3}},[ ]{{0,3}}(?={_QUOTE})
     |(?:{_QUOTE})?(?:[ ]{{1,3}}[a-z-]{{2,16}}={_QUOTE}[^"'<>\n]{{0,40}}{_QUOTE}){{0,3}}[ ]{{1,3}}(?:value|content)[ ]?=[ ]?
     |(?:{_QUOTE})?[^<>\n"']{{0,40}}>
     |(?P<space>[ \t]{{1,8}})
    )
    (?:[brfu@]?(?P<quote>{_QUOTE}))?
    (?P<scheme>(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|Bot|Digest|SSWS|GenieKey)(?:[ ]|%20|\+){{1,2}})?
    """,
    re.VERBOSE,
)
_QUOTED = Expression(r"[^\s\"'`\\]{6,2048}")
_BARE = Expression(r"[^\s\"'`\\,;&<>(){}\[\]|]{6,2048}")
_IDENTIFIER = Expression(r"[A-Za-z_$][\w$]*(?:\.[\w$]+){0,12}\Z")

_PASSWORD = Expression(
    r"pass(?:w(?:or)?ds?|phrase|code|wd|w)?(?![a-z])|pwd|identified by|bindpw|requirepass"
)
_SECRET = Expression(r"secret|credential|(?<![a-z])creds?(?![a-z])")
_TOKEN = Expression(
    r"token|bearer|(?:^|[^a-z])auth(?:orization|[_-]?key|_?data)?$|(?:^|[^a-z])jwt|proxy-authorization|x-[a-z-]*auth"
)
_KEY = Expression(
    r"(?:api|app|application|access|secret|private|priv|auth|encrypt(?:ion)?|crypt|sign(?:ing)?|account|storage|"
    r"master|service|consumer|client|licen[cs]e|admin|subscription|session|webhook|shared|sharedaccess|deploy|jwt|"
    r"hmac|aes|cookie|ingest(?:ion)?|integration|server|functions?|security|secure|host|root|write|user|personal|"
    r"merchant|gateway|x|sdk|rest|live|prod(?:uction)?|symmetric|data|instrumentation|project)[_.\- ]?keys?(?:[_-]?data)?$"
)
_VENDORS = Expression(
    r"aws|azure|google|gcp|firebase|heroku|datadog|twilio|cloudflare|algolia|mailgun|mailchimp|sendgrid|stripe|"
    r"github|gitlab|bitbucket|slack|discord|telegram|twitter|facebook|linkedin|okta|auth0|fastly|pagerduty|opsgenie|"
    r"newrelic|rollbar|sentry|codecov|travis|jenkins|sonar|splunk|sumo|zendesk|salesforce|hubspot|intercom|airtable|"
    r"asana|trello|jira|confluent|kafka|mongodb|redis|mysql|postgres|snowflake|linode|vultr|hetzner|digitalocean|"
    r"cohere|mistral|openai|anthropic|gemini|huggingface|pinecone|weaviate|shodan|virustotal|etsy|flickr|dropbox|"
    r"kraken|kucoin|binance|coinbase|bittrex|finnhub|openweather|mapbox|spotify|twitch|yandex|etherscan|infura|alchemy"
)
_PUBLIC = Expression(
    r"public|publish|pub_?key|(?:^|[_.-])p(?:ub)?k$|(?:key|token|secret|access|auth|pass)[_-]?(?:id|ids)$|_?id$|types?$|ur[il]s?$|endpoint$|"
    r"paths?$|files?(?:name)?$|(?<!user)names?$|len(?:gth)?$|count$|max|(?:^|_)min(?:_|$)|limit|size$|expir|ttl|hint|policy|polic|fields?$|"
    r"label$|placeholder|regex|pattern|valid|hash(?:ed)?$|digest|sha\d|checksum|finger|integrity|csrf|xsrf|tokeniz|"
    r"keyboard|monkey|version$|format$|algorithm|arn$|prefix$|suffix$|reset|forgot|strength|(?:^|_)next|(?:^|_)page(?:_|$)|continu|cursor|"
    r"primary|foreign|sort_?key|partition|cache|idempot|i18n|locale|manager$|provider$|ref$|refs$|store$|(?:^|_)has|(?:^|_)is_|"
    r"require(?!pass)|enabled?$|method$|status$|state$|header$|column|index|usage|cost|budget|used|author(?!iz)|error|message$|"
    r"budget|total|s_per|per_|input_|output_|prompt|eos|bos|pad_|special|test_?name|compass|bypass|passed|passing|passeng|passport|passive"
)
_DER = ("MII", "ssh-", "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "LS0tLS1CRUdJTi")
_PRIVATE_PEM = ("UFJJVkFUR", "BSSVZBVE", "QUklWQVRF")
_ENVIRONMENT = Expression(
    r"(?:ENV|ARG|setenv|set|SET|export|machine[ ]\S{1,80}[ ]login[ ]\S{1,80}|login[ ]\S{1,80})[ ]{1,4}\Z"
)


def in_assignments(text: str, data: bytes) -> Iterator[Finding]:
    """Values of names that say what they hold; ``data`` is the text, a byte for each character."""
    low = data.lower()
    seen: set[int] = set()
    for needle in NEEDLES:
        at = low.find(needle)
        size = len(needle)
        while at >= 0:
            found = _AFTER.match(text, at + size)
            if found and found.end() not in seen:
                seen.add(found.end())
                if finding := _judged(text, at, at + size, found):
                    yield finding
            at = low.find(needle, at + size)


def _judged(text: str, at: int, end: int, found: re.Match[str]) -> Finding | None:
    start = found.end()
    quoted = found["quote"] is not None
    value = (_QUOTED if quoted else _BARE).match(text, start)
    if value is None:
        return None
    worth = value.group()
    if not quoted:
        worth = worth.rstrip(".:!?#*\u2026")
        if text[value.end() : value.end() + 1] in ("(", "[") or (
            worth[:1] in "$@" and worth[1:2].isalpha()
        ):
            return None
    before = _BEFORE.search(text, max(0, at - 48), at)
    name = (text[before.start() : at] if before else "") + text[at:end] + found["tail"]
    first = before.start() if before else at
    kind = _kind(name, worth[:_JUDGED], text=text, first=first, found=found, quoted=quoted)
    return Finding(kind=kind, start=start, end=start + len(worth)) if kind else None


def _kind(  # the order of the tests is that of their cost
    name: str, worth: str, *, text: str, first: int, found: re.Match[str], quoted: bool
) -> str:
    low = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("-_.")
    scheme = (found["scheme"] or "").strip(" +").lower()
    if low == "basic" or scheme == "basic":
        return "basic-auth" if _is_basic(worth) else ""
    if worth.startswith(_DER):
        return "private-key" if any(each in worth[:80] for each in _PRIVATE_PEM) else ""
    if (
        found["space"]
        and not scheme
        and low != "bearer"
        and not _is_said(text, first, low, worth, quoted=quoted)
    ):
        return ""
    if low in ("sig", "sid") or low.endswith((".sid", "_sid")) or "sess" in low:
        return _cookie(low, worth, text, first)
    if _PUBLIC.search(low):
        return ""
    return _named(low, worth, scheme=scheme, quoted=quoted, upper=name.isupper())


def _named(low: str, worth: str, *, scheme: str, quoted: bool, upper: bool) -> str:
    vendor = _VENDORS.search(low)
    if _PASSWORD.search(low):
        if not quoted and _IDENTIFIER.match(worth) and not is_key(worth, strict=False):
            return ""
        return "password" if is_password(worth) else ""
    whose = vendor.group() if vendor else "generic"
    if _SECRET.search(low):
        return f"{whose}-secret" if is_key(worth, strict=False) else ""
    if scheme or _TOKEN.search(low):
        return f"{whose}-token" if len(worth) >= 12 and is_key(worth, strict=False) else ""
    if _KEY.search(low):
        return f"{whose}-api-key" if len(worth) >= 12 and is_key(worth, strict=False) else ""
    if low.endswith("key") and (vendor or upper):
        return f"{whose}-api-key" if is_key(worth, strict=vendor is None) else ""
    return ""


def _cookie(low: str, worth: str, text: str, first: int) -> str:
    if low == "sig":
        return "azure-sas" if len(worth) >= 40 and is_key(worth, strict=False) else ""
    line = text[max(text.rfind("\n", 0, first) + 1, first - 400) : first].lower()
    if "cookie" in line and len(worth) >= 16 and is_key(worth, strict=False):
        return "session-cookie"
    secret = low.endswith(("_key", "-key", "secret", "token"))
    return "session-secret" if secret and is_key(worth, strict=False) else ""


def _is_said(text: str, first: int, low: str, worth: str, *, quoted: bool) -> bool:
    """Whether a name and a value with only a space between them belong together."""
    line = text[max(text.rfind("\n", 0, first) + 1, first - 200) : first]
    mixed = any(c.isdigit() for c in worth) and any(c.isalpha() for c in worth)
    if line.endswith("--") or _ENVIRONMENT.search(line) or low == "identified by":
        return True
    if not line.strip(" \t+-") and _PASSWORD.search(low):
        return mixed
    if quoted:
        return mixed and bool(_PASSWORD.search(low))
    signs = any(not c.isalnum() for c in worth) or any(c.isupper() for c in worth)
    return mixed and signs and len(worth) >= 10 and any(c.islower() for c in worth)


def _is_basic(worth: str) -> bool:
    try:
        held = b64decode(worth.rstrip("=") + "=" * (-len(worth.rstrip("=")) % 4), validate=True)
    except NoBase64:
        return False
    user, colon, password = held.partition(b":")
    return bool(
        colon and user.isascii() and len(password) >= 4 and held.decode("latin-1").isprintable()
    )
