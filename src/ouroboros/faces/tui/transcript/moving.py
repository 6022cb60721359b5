"""Keys that look at another part of the conversation, or at it in another way."""

from ouroboros.faces.tui.transcript.view import Transcript


def looked_elsewhere(transcript: Transcript, action: str) -> bool:
    """Does what a key stands for, by the action's name; False for what does not move what is looked at."""
    match action:
        case "page_up" | "page_down":
            rows = max(transcript.size.height - 2, 1)
            transcript.scroll_relative(y=-rows if action == "page_up" else rows, animate=False)
        case "to_top":
            transcript.scroll_home(animate=False)
        case "to_bottom":
            transcript.to_end()
        case "unfold":
            transcript.show(unfolded=not transcript.look.unfolded)
        case "side_by_side":
            transcript.show(sides=not transcript.look.is_beside)
        case _:
            return False
    return True
