"""Get the answer as a value of one's own type: the run fails if it does not fit."""

from pathlib import Path

import anyio
import msgspec

from ouroboros import Ouroboros


class Finding(msgspec.Struct, frozen=True):
    """One thing to mend."""

    file: str
    line: int
    problem: str


class Findings(msgspec.Struct, frozen=True):
    """All of them."""

    findings: list[Finding]


async def main(engine: Ouroboros) -> None:
    schema = msgspec.json.encode(msgspec.json.schema(Findings))
    async with engine.open(cwd=Path(), output_schema=schema) as session:
        outcome = await session.run("Which functions here have no docstring?")
    if outcome.exit_code:
        raise SystemExit(f"no answer: {outcome.reason}")
    for each in msgspec.json.decode(outcome.final, type=Findings).findings:
        print(f"{each.file}:{each.line}: {each.problem}")


anyio.run(main, Ouroboros.configured(Path(), mode="plan"))
