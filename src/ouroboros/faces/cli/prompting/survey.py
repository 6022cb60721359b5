"""What the model asked the person, answered line by line: a number, or words of their own."""

from ouroboros.core.commands import Answer
from ouroboros.core.events.question import Question, UserAsked


class Survey:
    """The questions of one call; each line answers the next one."""

    def __init__(self, asked: UserAsked) -> None:
        """Nothing is answered yet."""
        self.request_id = asked.request_id
        self._left = list(asked.questions)
        self._answers: dict[str, tuple[str, ...]] = {}

    @property
    def question(self) -> Question:
        """The one that the next line answers."""
        return self._left[0]

    @property
    def prompt(self) -> str:
        """What stands before the line."""
        count = len(self.question.options)
        numbers = "1" if count == 1 else f"1-{count}"
        return f"{self.question.header} ({numbers}, or your own words): "

    def take(self, line: str) -> Answer | None:
        """Takes an answer; all of them once the last question has one. A blank line answers nothing."""
        said = line.strip()
        if not said:
            return None
        question = self._left.pop(0)
        labels = [option.label for option in question.options]
        is_number = said.isascii() and said.isdigit() and 1 <= int(said) <= len(labels)
        self._answers[question.id] = (labels[int(said) - 1] if is_number else said,)
        if self._left:
            return None
        return Answer(request_id=self.request_id, answers=self._answers)

    def give_up(self) -> Answer:
        """The person does not want to answer."""
        return Answer(request_id=self.request_id)
