"""What is known of a vendor before it is spoken to."""

from collections.abc import Mapping

from msgspec import Struct

from ouroboros.llm.auth.credential import AuthStyle
from ouroboros.llm.dialect import Dialect


class Variable(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A ``{name}`` in an address: the variables that may hold it, and what it is without them."""

    names: tuple[str, ...]
    default: str = ""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One vendor.

    Attributes:
        protocol: Wire format by name; ``script`` and ``echo`` speak none.
        title: Its name as people write it; the entry's own name where empty.
        base_url: What a protocol's path is appended to; empty when the person must give it.
        variables: What stands for each ``{name}`` in ``base_url``.
        keys: Variables that may hold the key, the first that is set wins.
        key_command: A command that prints a token that soon expires, where no key is set.
        base_url_variables: Variables that may replace ``base_url``.
        headers: Sent besides those of the wire format.
        models_path: Where the vendor lists its models, after ``base_url``; empty where it does not.
        catalogue: The vendor whose models the catalogue knows; the entry's own name where empty.
        prefixes: Beginnings of model names that mean this vendor when none is named.
        default_model: Used when the person chose none and this vendor's key is there.
        is_keyless: Works without a key.
    """

    name: str
    protocol: str
    title: str = ""
    base_url: str = ""
    variables: Mapping[str, Variable] = {}
    auth: AuthStyle = "bearer"
    keys: tuple[str, ...] = ()
    key_command: tuple[str, ...] = ()
    base_url_variables: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    models_path: str = "/models"
    catalogue: str = ""
    dialect: Dialect = Dialect()
    prefixes: tuple[str, ...] = ()
    default_model: str = ""
    is_keyless: bool = False
