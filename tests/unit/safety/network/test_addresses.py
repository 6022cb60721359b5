"""What an address names, in the words that a person is told."""

import pytest

from ouroboros.safety.network.addresses import METADATA, refusal
from tests.cases import every

NAMED = (
    ("0.1.2.3", "this machine"),
    ("10.1.2.3", "a private network"),
    ("100.64.0.1", "a carrier's private network"),
    ("127.9.9.9", "this machine"),
    ("169.254.1.1", "the local link"),
    ("172.31.255.255", "a private network"),
    ("192.0.0.8", "a reserved range"),
    ("192.88.99.1", "a relay to another network"),
    ("198.19.255.255", "a test network"),
    ("203.0.113.9", "a range for documentation"),
    ("239.1.1.1", "a multicast group"),
    ("255.255.255.255", "a reserved range"),
    ("::1", "this machine"),
    ("::", "this machine"),
    ("100::1", "a range that discards"),
    ("2001:db8::1", "a range for documentation"),
    ("3fff::1", "a range for documentation"),
    ("64:ff9b:1::1", "a local translation to IPv4"),
    ("fc00::1", "a private network"),
    ("fdff::1", "a private network"),
    ("fe80::1%eth0", "the local link"),
    ("fec0::1", "a private network"),
    ("ff02::1", "a multicast group"),
    ("4000::1", "a reserved range"),
    ("::7f00:1", "this machine, written as IPv6 (127.0.0.1)"),
    ("::ffff:10.0.0.1", "a private network, written as IPv6 (10.0.0.1)"),
    ("::ffff:0:7f00:1", "this machine, written as IPv6 (127.0.0.1)"),
    ("64:ff9b::a00:1", "a private network, written as IPv6 (10.0.0.1)"),
    ("2002:7f00:1::1", "this machine, written as IPv6 (127.0.0.1)"),
    ("2001:0:7f00:1:0:0:f7f7:f7f7", "this machine, written as IPv6 (127.0.0.1)"),
    ("2001:0:808:808:0:0:80ff:fffe", "this machine, written as IPv6 (127.0.0.1)"),
    ("2606:4700::5efe:a00:1", "a private network, written as IPv6 (10.0.0.1)"),
    ("2606:4700::200:5efe:a00:1", "a private network, written as IPv6 (10.0.0.1)"),
    ("64:ff9b::a9fe:a9fe", "a cloud's metadata service, written as IPv6 (169.254.169.254)"),
)


@pytest.mark.proves("G07")
@every(("address", "named"), NAMED)
def test_a_place_that_is_not_public_is_named(address: str, named: str):
    assert refusal(address).endswith(f" is {named}")


@every(
    "address",
    ["8.8.8.8", "100.63.255.255", "172.32.0.1", "198.20.0.1", "2606:4700::1", "::ffff:8.8.8.8"],
)
def test_a_public_one_is_not(address: str):
    assert refusal(address) == ""


@pytest.mark.proves("G07")
def test_where_clouds_keep_keys_is_named_as_such():
    """Most lie in a range that is refused anyhow; a person is told what it was."""
    known = ("169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254")
    assert set(known) <= METADATA
    assert {refusal(one).partition(" is ")[2] for one in known} == {"a cloud's metadata service"}


def test_what_is_no_address_is_refused():
    assert refusal("example.com") == "'example.com' is no address"
