"""What was said: the person's words, the model's replies, and a summary in the place of both."""

from ouroboros.core.events import AgentMessage, ContextCompacted, TurnStarted, UserMessage
from ouroboros.core.parts import looked_up
from ouroboros.core.state.growth import hear_queued, say, say_again, summarise
from ouroboros.core.state.present import OpenCall, Present


def apply(
    state: Present, event: UserMessage | AgentMessage | TurnStarted | ContextCompacted
) -> None:
    """Takes in one event of the conversation."""
    match event:
        case UserMessage():
            _apply_words(state, event)
        case AgentMessage():
            _apply_reply(state, event)
        case TurnStarted(turn=turn):
            state.turn = turn
            state.taint(state.unread)
            state.unread.clear()
            hear_queued(state)
            state.status = "running"
            state.final = "" if state.ended else state.final
            state.ended = ""
            state.finished_by_tool = False
        case ContextCompacted(history=history, usage=usage, cost=cost):
            kept = [call.id for message in history for call in message.calls]
            state.results = {id: state.results[id] for id in kept if id in state.results}
            summarise(state, history)
            state.told = dict(event.told)
            state.spent.add(usage, cost)
            state.measured_tokens = None
            state.measured_at = 0
            state.compactions += 1


def _apply_words(state: Present, event: UserMessage) -> None:
    if event.steered:
        state.queued.append(event.message)
        return
    # What was said earlier and not yet heard comes first.
    hear_queued(state)
    say(state, event.message)
    state.tree.nodes[state.tree.head].by_itself = state.goes_on
    if state.goes_on:
        state.files.undone.clear()
    state.goes_on = False
    state.told.update(event.told)
    if "files" in event.told or event.message.kind == "plain":
        state.files.back = None
    told = event.told.items()
    if foreign := [value for name, value in told if name.partition(" ")[0] == "project" and value]:
        state.taint(foreign)
    if event.message.kind == "plain":
        state.ended = state.final = state.stop_reason = ""
        state.iteration = state.iterated = state.sub_calls = state.silent = 0
        state.numbers.clear()
        state.began = len(state.history)
        state.files.undone.clear()
        state.later.pop(event.message.id, None)
        state.proposed = ""


def _apply_reply(state: Present, event: AgentMessage) -> None:
    message = event.message
    if state.history and state.history[-1].id == message.id:
        say_again(state, message)
    else:
        say(state, message)
    state.taint(looked_up(message))
    for call in message.calls:
        state.call_ids.add(call.id)
        if call.id not in state.results and call.id not in state.calls:
            state.calls[call.id] = OpenCall(name=call.name, arguments=call.arguments)
    if not state.finished_by_tool:
        state.final = message.text
    state.stop_reason = event.stop_reason
    if state.iteration:
        state.numbers[message.id] = state.iteration
    if message.calls:
        state.silent = 0
    elif not event.partial:
        state.silent += 1
    if not event.partial or event.usage is not None:
        state.spent.add(event.usage, event.cost)
    # Counts of a reply that broke off do not say how full the context is.
    if event.usage is not None and not event.partial:
        state.measured_tokens = event.usage.total
        state.measured_at = len(state.history)
