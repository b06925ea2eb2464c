"""What a lesson is: a goal, a prepared view, questions, something to do, and why it is so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from alibi_viz.lessons.questions import Question

# The values of a view's controls, by the names that they have in a link.
State: TypeAlias = Mapping[str, Any]

ViewName = Literal[
    "words", "phases", "biases", "decay", "windows", "perplexity", "trained", "stretching"
]


@dataclass(frozen=True)
class View:
    """A view of the app, prepared for a lesson and shown inside it."""

    name: ViewName
    """Which view."""
    page: str
    """The page that shows it in full, by its address."""
    controls: tuple[str, ...]
    """The controls that the lesson leaves to the student, by their names in a link."""
    state: State
    """The prepared values of all controls that differ from their defaults or are shown."""
    readings: tuple[str, ...] = ()
    """What the view says, besides, of the place that is chosen within its figure."""


@dataclass(frozen=True)
class Action:
    """Something to do with the view; the app notices when it is done."""

    task: str
    """What to do, as Markdown."""
    hint: str
    """Where to look for it, as Markdown."""
    done: Callable[[State], bool]
    """Whether a state of the view's controls and readings does it."""
    praise: str
    """What to say then, as Markdown."""
    solution: State
    """Values of the view's controls and readings that do it; the others stay as prepared."""


@dataclass(frozen=True)
class Lesson:
    """Five to ten minutes of the course."""

    slug: str
    """Name in a link."""
    title: str
    """Name on the page."""
    minutes: int
    """How long it takes a newcomer."""
    goal: str
    """What one can do afterwards, in a sentence."""
    opening: str
    """What one has to know before the view, as Markdown."""
    look: str
    """What to look at in the view, as Markdown."""
    view: View
    """The prepared view."""
    questions: tuple[Question, ...]
    """Asked in this order, each answered before its reveal."""
    action: Action
    """Done after the questions."""
    explanation: str
    """Why it is so, as Markdown."""
    teaching: str
    """Advice to the teacher, in a sentence or two."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The lesson's steps: look, one for each question, do, why."""
        return ("look", *(question.key for question in self.questions), "do", "why")

    @property
    def items(self) -> tuple[str, ...]:
        """What progress counts: the questions, and what there is to do."""
        return self.steps[1:-1]
