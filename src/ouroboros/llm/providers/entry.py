"""What is known of a vendor before it is spoken to."""

from collections.abc import Mapping

from msgspec import Struct, convert, to_builtins

from ouroboros.llm.auth.credential import AuthStyle
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.dialect import Dialect


class Variable(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A ``{name}`` in an address.

    Attributes:
        names: Variables that may hold its value, the first that is set wins.
        default: Its value without them; empty where the person must say it.
        form: How the value stands in the address, itself at ``{}``.
        spelled: Values that stand there in a form of their own.
    """

    names: tuple[str, ...] = ()
    default: str = ""
    form: str = "{}"
    spelled: Mapping[str, str] = {}


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One vendor.

    Attributes:
        protocol: Wire format by name; ``script``, ``echo`` and ``litellm`` speak none.
        also: What people call it besides; hints know these names.
        title: Its name as people write it; the entry's own name where empty.
        base_url: What a protocol's path is appended to; empty when the person must give it.
        variables: What stands for each ``{name}`` in ``base_url``.
        keys: Variables that may hold the key, the first that is set wins.
        key_command: A command that prints a token that soon expires, where no key is set.
        oauth: Where a person may log in and be given a key.
        base_url_variables: Variables that may replace ``base_url``.
        headers: Sent besides those of the wire format.
        models_path: Where the vendor lists its models, after ``base_url`` or as a whole address;
            empty where it does not.
        catalogue: The vendor whose models the catalogue knows; the entry's own name where empty,
            ``makers`` for a reseller whose models are called ``maker/model``.
        families: Members of the dialect that differ for models whose names, or whose names after
            a ``/`` or ``.``, begin with one of the words; of several beginnings the longest counts.
        prefixes: Beginnings of model names that mean this vendor when none is named.
        default_model: Used when the person chose none and this vendor's key is there.
        is_keyless: Works without a key.
        limit_counts: A reply's limit counts against the rate limit as if it had been used up, so
            none is asked for unless the person says one.
    """

    name: str
    protocol: str
    also: tuple[str, ...] = ()
    title: str = ""
    base_url: str = ""
    variables: Mapping[str, Variable] = {}
    auth: AuthStyle = "bearer"
    keys: tuple[str, ...] = ()
    key_command: tuple[str, ...] = ()
    oauth: OAuthClient = OAuthClient()
    base_url_variables: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    models_path: str = "/models"
    catalogue: str = ""
    dialect: Dialect = Dialect()
    families: Mapping[str, Mapping[str, object]] = {}
    prefixes: tuple[str, ...] = ()
    default_model: str = ""
    is_keyless: bool = False
    limit_counts: bool = False

    def dialect_of(self, model: str) -> Dialect:
        """The dialect that counts for one model."""
        closest, changes = "", None
        for words, members in self.families.items():
            for word in words.split():
                if len(word) > len(closest) and _belongs(model, word):
                    closest, changes = word, members
        return revised(self.dialect, changes) if changes else self.dialect


def _belongs(model: str, family: str) -> bool:
    return model.startswith(family) or f"/{family}" in model or f".{family}" in model


def revised(dialect: Dialect, changes: Mapping[str, object]) -> Dialect:
    """The dialect with some members replaced; ``msgspec.ValidationError`` for a wrong one."""
    return convert({**to_builtins(dialect), **changes}, Dialect)
