"""JSON for programs."""

import msgspec
import pytest

from ouroboros.core.errors import ModelUnknown
from ouroboros.core.events import ModelDelta, TaskCompleted
from ouroboros.core.events.schema import decode
from ouroboros.core.state import Spent, fold
from ouroboros.faces.cli.render.machine import ReportFace, StreamFace, refusal
from ouroboros.faces.cli.render.outlet import BEHIND_BYTES, Outlet
from tests.unit.cli.render_events import ANSWER, a_failure, a_run, enveloped, spoken
from tests.unit.cli.render_stage import Ended, carried, pipe


async def report_of(events: str) -> object:
    envelopes = enveloped(a_run() if events == "run" else a_failure())
    state = fold(envelopes)
    with pipe() as (fd, written):
        outlet = Outlet(fd)
        face = ReportFace(outlet, outlet)
        face.begin()
        for envelope in envelopes:
            face.take(envelope)
        face.finish(Ended(state.spent, state.ended, state.final), "ses_1")
        await carried(outlet)
        text = written()
    assert text.count("\n") == 1
    return msgspec.json.decode(text)


async def test_a_report_is_one_object_with_everything_a_program_asks_for() -> None:
    assert await report_of("run") == {
        "session": "ses_1",
        "reason": "completed",
        "final": ANSWER,
        "turns": 2,
        "usage": {
            "input_tokens": 3200,
            "cached_tokens": 200,
            "output_tokens": 100,
            "requests": 3,
        },
        "cost": 0.03,
        "cache_hit_rate": 0.1667,
        "exit_code": 0,
        "unapproved": 0,
    }


@pytest.mark.proves("V09")
async def test_a_report_of_a_failure_names_the_error() -> None:
    report = msgspec.convert(await report_of("failure"), dict[str, object])
    assert report["error"] == {
        "kind": "auth",
        "message": "openai refused the key (401).",
        "hint": "Check OPENAI_API_KEY.",
        "status": 401,
    }
    assert report["exit_code"] == 1


def test_a_run_that_cannot_start_is_reported_in_the_same_shape() -> None:
    report = msgspec.json.decode(refusal(ModelUnknown("no model 'x'", hint="say another")))
    assert report["error"] == {
        "kind": "ModelUnknown",
        "message": "no model 'x'",
        "hint": "say another",
    }
    assert (report["reason"], report["exit_code"], report["final"]) == ("failed", 2, "")


async def test_an_unknown_price_is_null_and_not_zero() -> None:
    with pipe() as (fd, written):
        outlet = Outlet(fd)
        ReportFace(outlet, outlet).finish(Ended(Spent(cost=None)), "ses_1")
        await carried(outlet)
        assert '"cost":null' in written()
        assert '"cache_hit_rate":null' in written()


async def test_each_line_of_the_stream_is_an_event_that_reads_back() -> None:
    envelopes = enveloped(a_run())
    with pipe() as (fd, written):
        outlet = Outlet(fd)
        face = StreamFace(outlet, outlet)
        for envelope in envelopes:
            face.take(envelope)
        await carried(outlet)
        lines = written().splitlines()
    assert [decode(line.encode()) for line in lines] == envelopes


async def test_a_reader_far_behind_loses_deltas_and_no_fact() -> None:
    facts = enveloped([TaskCompleted(reason="completed", final="x")])
    with pipe() as (fd, written):
        outlet = Outlet(fd)
        outlet.write(b" " * (BEHIND_BYTES + 1) + b"\n")
        face = StreamFace(outlet, outlet)
        for envelope in [*enveloped(spoken("Lost words.")), *facts]:
            face.take(envelope)
        await carried(outlet)
        lines = written().splitlines()[1:]
    kept = [decode(line.encode()).data for line in lines]
    assert kept == [
        ModelDelta(phase="start", part=0),
        ModelDelta(phase="end", part=0),
        TaskCompleted(reason="completed", final="x"),
    ]
