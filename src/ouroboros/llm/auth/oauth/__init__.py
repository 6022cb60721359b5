"""Logging in where somebody else asks for the password: OAuth 2 for a program on a person's machine.

Pure: what is asked and what the answers mean (``messages``, ``discovery``, ``pkce``). Doing: the page
the browser comes back to (``callback``), the whole login (``flow``), what is kept of it
(``login_file``), and proving with it (``login``).

Refuses: secrets of a client, other products' client ids, and addresses without TLS off this machine.
"""

from ouroboros.llm.auth.oauth.login import Login
from ouroboros.llm.auth.oauth.login_file import LoginFile
from ouroboros.llm.auth.oauth.messages import Tokens

__all__ = ["Login", "LoginFile", "Tokens"]
