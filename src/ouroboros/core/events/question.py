"""Questions that the model puts to the person, and what they say."""

from typing import ClassVar

from msgspec import Struct, field

from ouroboros.core.events.envelope import Event, Source


class Choice(Struct, frozen=True, kw_only=True):
    """One answer to choose: a few words, and what they mean."""

    label: str
    description: str


class Question(Struct, frozen=True, kw_only=True):
    """What is asked; the person may always answer in words of their own.

    Attributes:
        id: Its name in the answers, such as ``data_base``.
        header: A word or two for narrow screens.
    """

    id: str
    header: str
    question: str
    options: tuple[Choice, ...]


class UserAsked(Event, frozen=True, kw_only=True):
    """The model waits for the person's words."""

    type: ClassVar[str] = "user.asked"
    source: ClassVar[Source] = "agent"
    request_id: str
    call_id: str
    questions: tuple[Question, ...]


class UserAnswered(Event, frozen=True, kw_only=True):
    """The person answered, or did not want to: then there are no ``answers``."""

    type: ClassVar[str] = "user.answered"
    source: ClassVar[Source] = "user"
    request_id: str
    call_id: str
    answers: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
