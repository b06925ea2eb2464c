"""Everything that a link can say to the page of lessons: place, progress, controls of views."""

from typing import Any

from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.positions.sentence import FIXED_METHODS, SENTENCES
from alibi_viz.ui.decay import controls as decay
from alibi_viz.ui.explore.controls import COLOUR, SCALE
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.link.heads import ALIBI, MAX_HEADS, MAX_LENGTH, cell_of, head_of
from alibi_viz.ui.link.parameter import Control, Words, choice
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.methods.controls import RULE, STRETCH, method_choice

_SLUGS = tuple(lesson.slug for lesson in lessons())
LESSON = Control("lesson", "lesson", ("", *_SLUGS), "", ", ".join(_SLUGS), kind="list")
DONE = Words(
    "done", "progress", "what this page has written there", r"~[a-z2-7]*|[0-9a-fA-F]*", 3000,
    is_offered=False,
)  # fmt: skip
PART = choice(
    "teach",
    "show",
    ("lessons", "plan", "agenda", "links", "sheets", "notes"),
    help="Lessons to learn from. For teachers: a plan for a class and its agenda for the "
    "projector, links to hand out, sheets to print, and notes.",
)
PLAN = Words(
    "plan", "lessons of the class", "lessons with their minutes, as in penalty.8",
    r"[a-z0-9.,\-]*", 600, is_offered=False,
)  # fmt: skip
POSITION = method_choice(
    "position",
    "position method",
    "nope",
    methods=FIXED_METHODS,
    help="Only methods that need no training: this head has had none.",
)
ORDER = choice("order", "order of the words", tuple(SENTENCES), allowed=" or ".join(SENTENCES))

IN_VIEWS: dict[str, Control[Any]] = {
    control.key: control
    for control in (
        *ALIBI,
        COLOUR,
        decay.TRAIN_LENGTH,
        decay.DISTANCE_AXIS,
        decay.WEIGHT_AXIS,
        extrapolation.PROTOCOL,
        POSITION,
        ORDER,
        RULE,
        STRETCH,
    )
}
"""What lessons can leave to a student, by name, besides the head and the methods."""
LOOKS: dict[str, Control[Any]] = {"colour": COLOUR, "scale": SCALE}


def step_of(*chosen: Lesson) -> Control[str]:
    """Returns the step of a lesson, or of one of several."""
    steps = tuple(dict.fromkeys(step for lesson in chosen for step in lesson.steps))
    return Control("step", "step", steps, steps[0], kind="list")


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    places = (head_of(MAX_HEADS), cell_of("cell", MAX_LENGTH), cell_of("pair", MAX_LENGTH))
    views = (*IN_VIEWS.values(), extrapolation.SHOWN_METHODS, *places)
    return PageParameters((LESSON, step_of(*lessons()), DONE, PART, PLAN, *views))
