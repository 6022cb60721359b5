"""What is wrong with a call by itself, whatever the rules say."""

from pathlib import Path

import pytest

from ouroboros.safety.pipeline.calls import Issue, Validator
from tests.cases import every

ROOT = Path("/ws")
VAULT = Path("/home/me/.ouroboros/vault")


def issues(kind: str = "read", path: str = "", url: str = "", real: str = "") -> list[Issue]:
    spelled = (ROOT / path,) if path else ()
    paths = (Path(real),) if real else spelled
    return Validator(roots=(ROOT,), vault=(VAULT,)).issues(
        kind=kind, spelled=spelled, paths=paths, url=url
    )


@pytest.mark.proves("G04", "G08", "divergences-in-paths")
@every("kind", ["read", "write"])
@every("path", ["a/../../b", "../b", "../../etc/passwd", "a/b/../../../ws2/x"])
def test_climbing_out_is_critical_and_says_how_to_ask(kind: str, path: str) -> None:
    [issue] = issues(kind, path)
    assert (issue.rule, issue.severity) == ("path-traversal", "critical")
    assert "name the place itself" in issue.hint


@pytest.mark.proves("G04", "divergences-in-paths")
@every("path", ["a..b", "a/b", "...", "a/..b/c", "a/../b", "b..", "x/.../y"])
def test_dots_in_names_and_within_the_workspace_pass(path: str) -> None:
    assert issues("write", path) == []


@pytest.mark.proves("G05")
@every("kind", ["read", "write", "execute", "none"])
def test_the_store_of_secrets_is_nobodys(kind: str) -> None:
    assert [each.rule for each in issues(kind, real=f"{VAULT}/logins")] == ["vault"]
    assert [each.rule for each in issues(kind, real=str(VAULT))] == ["vault"]
    assert issues(kind, real=f"{VAULT}2/x") == []


@pytest.mark.proves("G07", "G08")
@every(
    ("url", "rule", "severity"),
    [
        ("file:///etc/passwd", "url-scheme", "critical"),
        ("FILE:///etc/passwd", "url-scheme", "critical"),
        ("data:text/html,<b>", "url-scheme", "critical"),
        ("javascript:alert(1)", "url-scheme", "critical"),
        ("http://127.0.0.1/x", "internal-address", "medium"),
        ("http://[::1]:8080/", "internal-address", "medium"),
        ("http://10.0.0.3/", "internal-address", "medium"),
        ("http://localhost/", "internal-address", "medium"),
        ("http://169.254.169.254/", "internal-address", "medium"),
        ("http://[::1/", "url", "high"),
    ],
)
def test_addresses(url: str, rule: str, severity: str) -> None:
    [issue] = issues("origin", url=url)
    assert (issue.rule, issue.severity) == (rule, severity)


@pytest.mark.proves("G07")
def test_a_public_address_passes() -> None:
    assert issues("origin", url="https://example.com/a/../b") == []
