"""Secrets in addresses and on command lines: passwords of users, and hooks that need no other proof."""

import re
from collections.abc import Iterator

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_filler, is_password
from ouroboros.safety.secrets.values import Finding

_USER = Expression(
    r"://(?P<user>[^\s:/?#@\"'<>\\]{0,128}):(?P<password>[^\s/?#\"'<>\\@]{1,256})@(?=[\w\[])"
)
_SCHEME = Expression(r"[A-Za-z][A-Za-z0-9+.-]{1,30}\Z")
_DATABASES = Expression(
    r"postgres|mysql|maria|mongo|redis|amqp|mssql|sqlserver|oracle|cockroach|clickhouse|cassandra|"
    r"couchdb|neo4j|bolt|ldap|jdbc|snowflake|db2|kafka|nats|influx|elastic",
    re.IGNORECASE,
)
_STAND_IN = Expression(
    r"(?i)\A(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|user|username|admin|root|guest|postgres|test|foo|"
    r"bar|p|x+|\*+|\.+|-+|hidden|redacted|none|null|changeme|default|mypass(?:word)?|"
    r"db_?pass(?:word)?|my[-_]?password|some-?password|[A-Z_]*PASS(?:WORD)?)\Z"
    r"|[${}<>\[\]]|%[({]|%[sd](?![A-Za-z0-9])|%(?![0-9A-Fa-f]{2})\w{2,40}%|\*\*\*"
)
_HOOKS: tuple[tuple[str, bytes, Expression], ...] = tuple(
    (name, literal.encode(), Expression(re.escape(literal) + rest))
    for name, literal, rest in (
        ("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,90}"),
        ("discord-webhook", "discord.com/api/webhooks/", r"[0-9]{15,22}/[A-Za-z0-9_-]{50,90}"),
        ("discord-webhook", "discordapp.com/api/webhooks/", r"[0-9]{15,22}/[A-Za-z0-9_-]{50,90}"),
        ("teams-webhook", "webhook.office.com/webhookb2/", r"[A-Za-z0-9@-]{36,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}[\w/-]{0,60}"),
        ("zapier-webhook", "hooks.zapier.com/hooks/catch/", r"[0-9]{4,12}/[A-Za-z0-9]{5,12}"),
        ("feishu-webhook", "/open-apis/bot/v2/hook/", r"[a-f0-9-]{36}"),
        ("ifttt-webhook", "maker.ifttt.com/trigger/", r"\w{1,60}/with/key/[A-Za-z0-9_-]{20,60}"),
    )
)  # fmt: skip
_SIGNED: tuple[tuple[str, bytes, Expression], ...] = (
    ("azure-sas", b"sig=", Expression(r"sig=(?P<value>[A-Za-z0-9%+/]{38,90}(?:%3[Dd]|=))")),
    (
        "one-time-password-seed",
        b"otpauth://",
        Expression(r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=(?P<value>[A-Za-z2-7]{16,128})"),
    ),
)
_TYPED: tuple[tuple[bytes, Expression], ...] = (
    (b"-u ", Expression(r"-u[ ]{1,2}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{4,128})")),
    (b"--user ", Expression(r"--user[ ]{1,2}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{4,128})")),
    (b"sshpass -p", Expression(r"sshpass -p[ ]{0,2}[\"']?(?P<value>[^\s\"']{4,128})")),
    (b"redis-cli ", Expression(r"redis-cli [^\n]{0,80}?-a[ ]{1,2}[\"']?(?P<value>[^\s\"']{6,128})")),
    (b"mysql", Expression(r"mysql\w{0,10} [^\n]{0,80}?-p[\"']?(?P<value>[^\s\"'-][^\s\"']{5,128})")),
)  # fmt: skip


def in_addresses(text: str, data: bytes) -> Iterator[Finding]:
    """Passwords between user and host, and hooks whose address is the secret."""
    at = data.find(b"://")
    while at >= 0:
        found = _USER.match(text, at)
        if found and _is_given(found["user"], found["password"]):
            scheme = _SCHEME.search(text, max(0, at - 31), at)
            kind = (
                "database-url-password"
                if scheme and _DATABASES.search(scheme.group())
                else "url-password"
            )
            start, end = found.span("password")
            yield Finding(kind=kind, start=start, end=end)
        at = data.find(b"://", at + 3)
    for name, literal, expression in _SIGNED:
        at = data.find(literal)
        while at >= 0:
            found = expression.match(text, at)
            if found and not is_filler(found["value"]):
                start, end = found.span("value")
                yield Finding(kind=name, start=start, end=end)
            at = data.find(literal, at + len(literal))
    for name, literal, expression in _HOOKS:
        at = data.find(literal)
        while at >= 0:
            hook = expression.match(text, at)
            if hook and not is_filler(hook.group()[len(literal) :]):
                yield Finding(kind=name, start=_whole(text, at), end=hook.end())
            at = data.find(literal, at + len(literal))


def on_command_lines(text: str, data: bytes) -> Iterator[Finding]:
    """Passwords that are given to programs as words."""
    for literal, expression in _TYPED:
        at = data.find(literal)
        while at >= 0:
            found = expression.match(text, at)
            if found and is_password(found["value"]) and not _STAND_IN.search(found["value"]):
                start, end = found.span("value")
                yield Finding(kind="command-line-password", start=start, end=end)
            at = data.find(literal, at + len(literal))


def _whole(text: str, at: int) -> int:
    """Where the address begins that has this in it."""
    start = text.rfind("://", max(0, at - 80), at)
    scheme = _SCHEME.search(text, max(0, start - 31), start) if start >= 0 else None
    return (
        scheme.start()
        if (scheme and text[start + 3 : at].replace(".", "").isalnum())
        or (scheme and start + 3 == at)
        else at
    )


def _is_given(user: str, password: str) -> bool:
    if password.isdigit() and len(password) < 6:
        return False
    return password != user and not _STAND_IN.search(password) and not is_filler(password)
