"""What the model asks the person: one question after the other, each with options or own words."""

from textual import events
from textual.content import Content

from ouroboros.app.text import plain
from ouroboros.core.commands import Answer
from ouroboros.core.events.question import UserAsked
from ouroboros.faces.tui.cards.card import Card
from ouroboros.faces.tui.parts.select import Pick
from ouroboros.faces.wording.words import one_line


class QuestionCard(Card):
    """Answers are given together, after the last question; Left goes back to the one before."""

    def __init__(self, asked: UserAsked) -> None:
        """Begins with the first question."""
        super().__init__(asked.request_id)
        self._questions = asked.questions
        self._answers: dict[str, tuple[str, ...]] = {}
        self._at = 0

    def draw(self) -> None:
        """The question that is answered now."""
        question = self._questions[self._at]
        many = len(self._questions)
        place = f" ({self._at + 1} of {many})" if many > 1 else ""
        header = (f"{one_line(question.header, 40)}{place}: ", "bold $text-accent")
        self.show(Content.assemble(header, plain(question.question)), lambda _: [])

    def begin(self) -> None:
        """Its options, and what else can be said."""
        question = self._questions[self._at]
        picks = [
            Pick(str(at), one_line(option.label), note=one_line(option.description))
            for at, option in enumerate(question.options)
        ]
        own = Pick("own", "In your own words", "w", short="own words")
        none = Pick("none", "Do not answer", "x", short="no answer")
        given = self._answers.get(question.id, ("",))[0]
        labels = [option.label for option in question.options]
        self.ask([*picks, own, none])
        if given in labels:
            self.answers.highlighted = labels.index(given)

    def take(self, step: str, name: str) -> None:
        """An option, or a way to words."""
        question = self._questions[self._at]
        match name:
            case "own":
                given = self._answers.get(question.id, ("",))[0]
                labels = {option.label for option in question.options}
                asking = "In your own words (Esc: back)"
                self.ask_words(asking, "" if given in labels else given, step="own")
            case "none":
                self.say(Answer(request_id=self.asked))
            case _:
                self._answered(question.options[int(name)].label)

    def take_words(self, step: str, text: str) -> None:
        """The person's own words."""
        if text.strip():
            self._answered(text.strip())

    def on_key(self, event: events.Key) -> None:
        """Back to the question before."""
        if event.key == "left" and self._at and self.answers.has_focus:
            event.stop()
            self._go(self._at - 1)
            return
        super().on_key(event)

    def _answered(self, words: str) -> None:
        self._answers[self._questions[self._at].id] = (words,)
        if self._at + 1 == len(self._questions):
            self.say(Answer(request_id=self.asked, answers=self._answers))
        else:
            self._go(self._at + 1)

    def _go(self, at: int) -> None:
        was_typing = self.has_class("-typing")
        self._at = at
        self.draw()
        self.begin()
        if was_typing:
            self.answers.focus()
