"""Secrets that are known by the name they are given to: ``password = ...``, ``"api_key": "..."``."""

import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Container, Iterator
from functools import lru_cache

from msgspec import Struct

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_key, is_password
from ouroboros.safety.secrets.values import Finding

_LONGEST = 2_048
"""A value is no longer."""

_AROUND = 48
"""So many characters before a name's telling part belong to it."""

_REACH = 560
"""So many characters from its telling part on hold the rest of an assignment, and what tells of its value."""

_POINTS = ".:!?#*\u2026"
"""What ends a sentence, and no value."""

_WORDY = 16
"""Shorter values of nothing but letters are words."""

NEEDLES = (b"pass", b"pwd", b"secret", b"auth", b"token", b"key", b"cred", b"bearer", b"basic ", b"sess", b"sid=", b"sig=", b"identified by", b"jwt", b"bindpw", b"psk")  # fmt: skip
_BEFORE = Expression(r"[A-Za-z0-9_.-]{1,48}")
"""Of the text read backwards."""

_QUOTE = r"\\{0,3}[\"'`]"
_LINE_END = r"[ \t]{0,4}(?:\r?\n|\\{1,2}n)[ \t]{0,40}"
_PAIRED = rf"""(?:{_QUOTE})?(?:
       [ ]?[,;]?(?:{_LINE_END}|[ ]?)(?:[+-][ \t]{{0,40}})?(?:{_QUOTE})?(?:[Vv]alue|VALUE)(?:{_QUOTE})?[ \t]{{0,8}}[:=][ \t]{{0,8}}
      |</[A-Za-z]{{1,16}}>(?:{_LINE_END})?<[A-Za-z]{{1,16}}>
      |[ ]?\{{{_LINE_END}default[ \t]{{0,16}}=[ \t]{{0,4}}
      |:[ ]?[|>][+-]?{_LINE_END})"""
"""A name, and what it is called to be worth further on: beside it, in the next line, or in a block."""
_AFTER = Expression(
    rf"""(?P<tail>[A-Za-z0-9_.-]{{0,40}})
    (?P<how>
      {_PAIRED}
     |(?:{_QUOTE})?[ ]?:[ ]?(?:&?'?[A-Za-z][\w.\[\]<>|]{{0,24}})[ ]?=[ \t]{{0,4}}(?=[\w"'`\\])
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
_QUOTED_HEAD = Expression(r"[^\s\"'`\\]{6,256}")
_BARE_HEAD = Expression(r"[^\s\"'`\\,;&<>(){}\[\]|]{6,256}")
_QUOTED_STOP = Expression(r"[\s\"'`\\]")
_BARE_STOP = Expression(r"[\s\"'`\\,;&<>(){}\[\]|]")
_LINE_HEAD = Expression(r"(?!\w{1,64}(?:\.\w{1,64}){0,8}[(\[])[^\s\"'`\\]{20,256}(?=\s|\Z)")
"""What a line of an environment file sets, signs and all, and is no call."""

_LINE_NAME = Expression(r"(?:^|\n)[+-]?(?:export[ ])?[A-Z][A-Z0-9_]{2,64}\Z")
_IDENTIFIER = Expression(r"[A-Za-z_$][\w$]*(?:\.[\w$]+){0,12}\Z")

_PASSWORD = Expression(
    r"pass(?:w(?:or)?ds?|phrase|code|wd|w)?(?![a-z])|pwd|identified by|bindpw|requirepass|(?<![a-z])psk(?![a-z])"
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
    r"(?:ENV|ARG|setenv|set(?:[ ]-[A-Za-z]{1,4})?|SET|export|machine[ ]\S{1,80}[ ]login[ ]\S{1,80}|login[ ]\S{1,80})[ ]{1,4}\Z"
)

_TOLD = Expression(
    r"(?i)(?:\btests?|\bchecks?|\bcases?|\bsuites?|\bbuilds?|\ball|\bthey|\bthem|\bit|\bboth|\bto|\bstill|\bnow|\bmust|"
    r"\bshould|\bwill|\b(?:does|do|did) ?n[o']t|\bcannot|\d)[ ]\Z"
)
"""What stands before a verb: tests pass, and they must."""


class _Name(Struct, frozen=True, kw_only=True):
    """What a name says of its value; ``whose`` is a vendor or nobody's."""

    low: str
    means: str
    whose: str
    least: int = 12
    is_strict: bool = False


def in_assignments(text: str, data: bytes, known: Container[int] = ()) -> Iterator[Finding]:
    """Values of names that say what they hold.

    Args:
        text: What is searched.
        data: The text, a byte for each character.
        known: Where values begin that need no second look.
    """
    low = data.lower()
    judge = _Judge(text)
    after = _AFTER.built.match
    seen: set[int] = set()
    for needle in NEEDLES:
        at = low.find(needle)
        size = len(needle)
        while at >= 0:
            found = None if judge.is_again(at) else after(text, at + size)
            if found and found.end() not in seen:
                seen.add(found.end())
                if found.end() not in known and (finding := judge.judged(at, at + size, found)):
                    yield finding
            at = low.find(needle, at + size)


class _Judge:
    """Judges the assignments of one text; what is the same is judged once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._size = len(text)
        self._backwards = text[::-1]
        self._values: dict[tuple[_Name, str, bool, bool], str] = {}
        self._refused: set[int] = set()
        self._spot = 0
        self._last = {True: (0, 0), False: (0, 0)}

    def is_again(self, at: int) -> bool:
        """Whether the very same stood somewhere before and was nothing."""
        if at < _AROUND:
            self._spot = 0
            return False
        self._spot = hash(self._text[at - _AROUND : at + _REACH])
        return self._spot in self._refused

    def judged(self, at: int, end: int, found: re.Match[str]) -> Finding | None:
        """The value of a name whose telling part is from ``at`` to ``end``, if it is a secret."""
        text, start = self._text, found.end()
        before = _BEFORE.built.match(self._backwards, self._size - at)
        first = self._size - before.end() if before else at
        name = _meaning(text[first:end] + found["tail"])
        if not (name.means or found["scheme"] or text.startswith(_DER, start)):
            self._refused.add(self._spot)
            return None
        quoted = found["quote"] is not None
        of_line = not quoted and found["how"] == "=" and self._is_line(first, start)
        head = of_line or (_QUOTED_HEAD if quoted else _BARE_HEAD).built.match(text, start)
        worth = head.group() if head else ""
        worth = worth if quoted else worth.rstrip(_POINTS)
        kind = self._kind(name, worth, found, first=first, quoted=quoted)
        if not kind or (not quoted and worth[:1] in "$@" and worth[1:2].isalpha()):
            return None
        if name.low == "pass" and _TOLD.search(text, max(0, first - 24), first):
            return None
        return self._whole(kind, start, quoted=quoted or bool(of_line))

    def _is_line(self, first: int, start: int) -> re.Match[str] | None:
        """The value of a line that begins with a name in capitals, as a shell reads it."""
        is_alone = _LINE_NAME.search(self._text, max(0, first - 9), start - 1)
        return _LINE_HEAD.match(self._text, start) if is_alone else None

    def _whole(self, kind: str, start: int, *, quoted: bool) -> Finding | None:
        text = self._text
        end = min(self._end(start, quoted=quoted), start + _LONGEST)
        if not quoted:
            if text[end : end + 1] in ("(", "["):
                return None
            end = start + len(text[start:end].rstrip(_POINTS))
        return Finding(kind=kind, start=start, end=end)

    def _end(self, start: int, *, quoted: bool) -> int:
        """Where the value ends; of values within one another it is looked for once."""
        begin, end = self._last[quoted]
        if not begin <= start < end:
            stop = (_QUOTED_STOP if quoted else _BARE_STOP).built.search(self._text, start)
            end = stop.start() if stop else self._size
            self._last[quoted] = (start, end)
        return end

    def _kind(
        self, name: _Name, worth: str, found: re.Match[str], *, first: int, quoted: bool
    ) -> str:
        scheme = (found["scheme"] or "").strip(" +").lower()
        if name.means == "basic" or scheme == "basic":
            return "basic-auth" if _is_basic(worth) else ""
        if worth.startswith(_DER):
            return "private-key" if any(each in worth[:80] for each in _PRIVATE_PEM) else ""
        if not worth or (len(worth) < _WORDY and worth.isalpha()):
            self._refused.add(self._spot)
            return ""
        asked = (name, worth, bool(scheme), quoted)
        kind = self._values.get(asked)
        if kind is None:
            kind = self._values[asked] = _named(name, worth, is_schemed=bool(scheme), quoted=quoted)
        if not kind:
            self._refused.add(self._spot)
            return ""
        is_bare = found["space"] and not scheme and name.low != "bearer"
        if is_bare and not _is_said(self._text, first, name.low, worth, quoted=quoted):
            return ""
        if name.means == "cookie":
            return _cookie(name.low, worth, self._text, first)
        return kind


@lru_cache(maxsize=2_048)
def _meaning(name: str) -> _Name:
    low = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("-_.")
    vendor = _VENDORS.search(low)
    whose = vendor.group() if vendor else "generic"
    means = _means(low)
    if means == "key" and not _KEY.search(low):
        is_meant = vendor or name.isupper()
        means = "key" if is_meant else ""
        return _Name(low=low, means=means, whose=whose, least=0, is_strict=not vendor)
    return _Name(low=low, means=means, whose=whose)


def _means(low: str) -> str:
    if low == "basic":
        return "basic"
    if low in ("sig", "sid") or low.endswith((".sid", "_sid")) or "sess" in low:
        return "cookie"
    if _PUBLIC.search(low):
        return "public"
    if _PASSWORD.search(low):
        return "password"
    if _SECRET.search(low):
        return "secret"
    if _TOKEN.search(low):
        return "token"
    return "key" if _KEY.search(low) or low.endswith("key") else ""


def _named(name: _Name, worth: str, *, is_schemed: bool, quoted: bool) -> str:
    match name.means:
        case "public":
            return ""
        case "cookie":
            return "cookie" if is_key(worth, strict=False) else ""
        case "password":
            if not is_password(worth):
                return ""
            is_code = not quoted and _IDENTIFIER.match(worth) and not is_key(worth, strict=False)
            return "" if is_code else "password"
        case "secret":
            return f"{name.whose}-secret" if is_key(worth, strict=False) else ""
        case means:
            return _keyed(name, means, worth, is_schemed=is_schemed)


def _keyed(name: _Name, means: str, worth: str, *, is_schemed: bool) -> str:
    is_token = is_schemed or means == "token"
    least, is_strict = (12, False) if is_token else (name.least, name.is_strict)
    if len(worth) < least or not is_key(worth, strict=is_strict):
        return ""
    return f"{name.whose}-{'token' if is_token else 'api-key'}"


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
