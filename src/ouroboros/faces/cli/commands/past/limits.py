"""`ouro limits`: what was spent today and this month, and what may be."""

import click

from ouroboros.faces.cli.invocation import Invocation, note, say, say_json


@click.command(name="limits")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Print what all sessions spent today and this month, and what they may.

    limits.daily_cost and limits.monthly_cost in the settings hold them to it.
    """
    from ouroboros.app.limits.watch import standings
    from ouroboros.core.clock import SystemClock
    from ouroboros.faces.wording import table

    limits = invocation.load().settings.limits
    found = standings(invocation.home(), limits, SystemClock().now())
    if as_json:
        say_json([
            {
                "name": each.period.name,
                "cost": each.total.cost,
                "limit": each.most,
                "requests": each.total.requests,
                "unpriced": each.total.unpriced,
                "tokens": each.total.tokens,
                "from": each.period.start,
                "until": each.period.end,
            }
            for each in found
        ])
        return
    across = table.columns()
    for each in found:
        most = f"of ${each.most:.2f}" if each.most is not None else "no limit"
        cells = [each.period.name, f"${each.total.cost:.4f}", most]
        cells += [f"{each.total.tokens:,} tokens", f"until {table.moment(each.period.end)}"]
        for line in table.lines(cells, across):
            say(line)
    unpriced = max((each.total.unpriced for each in found), default=0)
    if unpriced:
        note(f"{unpriced} requests have no known price and are not in this")
