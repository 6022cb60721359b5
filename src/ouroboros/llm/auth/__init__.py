"""Proving to a provider who asks: static keys, and proofs that are fetched, signed or renewed.

Refuses: other vendors' client identities, and showing a secret in any text of ours.
"""

from ouroboros.llm.auth.authorizer import Authorizer, KeyHeader, proofs
from ouroboros.llm.auth.credential import HIDDEN, AuthStyle, Credential, find

__all__ = ["HIDDEN", "AuthStyle", "Authorizer", "Credential", "KeyHeader", "find", "proofs"]
