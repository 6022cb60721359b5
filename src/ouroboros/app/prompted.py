"""Words that a short command stands for; they are said as if the person had typed them."""

from ouroboros.agent.prompts import task


def security_review(focus: str) -> str:
    """Has the changes of a folder looked at for ways in; ``focus`` is what to look at most. Blocking."""
    wish = f"Look at this most: {focus}" if focus else ""
    return task("security-review").text.format(focus=wish)
