"""`ouro models`: list models, their limits and their prices."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.providers.model_list import Model

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="models")
def command() -> None:
    """List models, their limits and their prices.

    Prices are US dollars per million tokens, input and output; what nobody says is unknown.
    """


@command.command("list", short_help="Print what could be used now.")
@click.option("--provider", metavar="NAME", default="", help="Only the models of one provider.")
@click.option("--refresh", is_flag=True, help="Ask the vendors again, however fresh their lists.")
@as_json
@click.pass_obj
def list_all(invocation: Invocation, provider: str, *, refresh: bool, as_json: bool) -> int:
    """Print the models of every provider that could be used now.

    Vendors are asked for their lists, which are kept for 300 s.
    """
    from functools import partial

    import anyio

    from ouroboros.app.providers import model_list
    from ouroboros.core.clock import SystemClock

    ask = partial(model_list.listed, provider=provider, refresh=refresh)
    found = anyio.run(ask, invocation.load(), invocation.environment, SystemClock())
    for warning in found.warnings:
        note(f"warning: {warning}")
    if as_json:
        say_json(found.models)
        return 0 if found.models else 1
    _print(found.models)
    if not found.models:
        nothing = "no provider is ready: set a key, or see `ouro providers list`"
        note(f"none is known; write the name yourself: {provider}/MODEL" if provider else nothing)
        return 1
    return 0


@command.command("show", short_help="Print what is known of one.")
@click.argument("model")
@as_json
@click.pass_obj
def show(invocation: Invocation, model: str, *, as_json: bool) -> None:
    """Print all that is known of MODEL, such as openai/gpt-5; asks nobody."""
    from ouroboros.app.providers import model_list

    found = model_list.shown(invocation.load(), invocation.environment, model)
    if as_json:
        say_json(found)
        return
    for name, value in _details(found):
        say(f"{name}: {value}")


@command.command("search", short_help="Find models by words.")
@click.argument("words", nargs=-1, required=True)
@as_json
@click.pass_obj
def search(invocation: Invocation, words: tuple[str, ...], *, as_json: bool) -> int:
    """Print the models of any provider whose names hold all WORDS; asks nobody."""
    from ouroboros.app.providers import model_list

    found = model_list.searched(invocation.load(), invocation.environment, words)
    if as_json:
        say_json(found)
        return 0 if found else 1
    _print(found)
    if not found:
        note("no model is called that; `ouro models list --refresh` asks the vendors")
        return 1
    return 0


def _print(models: "Iterable[Model]") -> None:
    from ouroboros.faces.wording import table

    records: list[tuple[str, ...]] = []
    for model in models:
        known = model.known
        can = [
            word for word, is_so in (("tools", known.tools), ("thinks", known.reasoning)) if is_so
        ]
        ending = f"until {known.retires}" if known.retires else ""
        cells = (model.name, _count(known.window), " ".join([*can, *known.inputs]))
        records.append((*cells, _price(model), ending))
    for line in table.block(records, table.columns()):
        say(line)


def _details(model: "Model") -> list[tuple[str, str]]:
    known = model.known
    origins = {
        "listed": "the vendor's own list",
        "snapshot": "the shipped snapshot",
        "settings": "settings",
        "nobody": "nobody",
    }
    rows = [
        ("model", model.name),
        ("known from", origins[model.origin]),
        ("window", _tokens(known.window)),
        ("largest reply", _tokens(known.max_output)),
        ("takes", ", ".join(["text", *known.inputs])),
        ("calls tools", _yes(known.tools)),
        ("thinks", _yes(known.reasoning)),
        ("effort", ", ".join(known.efforts) or "unknown"),
    ]
    return [*rows, *_prices(model), ("retires", known.retires or "unknown")]


def _prices(model: "Model") -> list[tuple[str, str]]:
    price = model.known.price
    if price is None:
        return [("price", "unknown")]
    rows = [
        ("input", _dollars(price.input)),
        ("cache read", _dollars(price.cache_read)),
        ("cache write", _dollars(price.cache_write)),
        ("output", _dollars(price.output)),
    ]
    for tier in price.tiers:
        above = f"above {tier.above:,} tokens"
        rows.append((above, f"{_dollars(tier.input)} input, {_dollars(tier.output)} output"))
    return rows


def _price(model: "Model") -> str:
    price = model.known.price
    return f"${price.input:g} / ${price.output:g}" if price else "price unknown"


def _dollars(value: float | None) -> str:
    return "as input" if value is None else f"${value:g} per million tokens"


def _count(tokens: int | None) -> str:
    if tokens is None:
        return "? tokens"
    return f"{tokens / 1_000_000:g}M" if tokens >= 1_000_000 else f"{tokens // 1_000}k"


def _tokens(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,} tokens"


def _yes(value: bool | None) -> str:
    return "unknown" if value is None else ("yes" if value else "no")
