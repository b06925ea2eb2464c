"""The lessons as the page has them: texts as HTML, answers and known errors worked out."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES, PerplexityChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.methods.stretching import StretchingChart
from alibi_viz.charts.words import WordsChart
from alibi_viz.lessons.answers import ABOUT, SPELLINGS, UNIT, UNITS
from alibi_viz.lessons.course import lessons
from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.progress import code_of
from alibi_viz.lessons.questions import ChoiceQuestion, NumberQuestion, Question
from alibi_viz.onepage.controls import knob
from alibi_viz.onepage.markup import short_block, short_inline
from alibi_viz.onepage.measured import curves_data
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import RULES
from alibi_viz.positions.turns import turns_within

VIEWS = ("words", "phases", "biases", "decay", "windows", "perplexity", "stretching")
"""Views that the page has; in place of another one it says that the app has it."""

# What to look at where the page draws a view in another way than the app.
_LOOKS = {
    "stretching": "A line a pair or head, the fastest or steepest on top: open what it would reach "
    "unstretched, filled what it reaches stretched. The band is what training saw: a filled dot "
    "past its end is new to the model. Change the rule, then how far it stretches.",
}


def lesson_data() -> list[dict[str, Any]]:
    """Returns all lessons, in order."""
    return [_lesson(number, lesson) for number, lesson in enumerate(lessons(), 1)]


def typing_data() -> dict[str, Any]:
    """Returns how numbers may be typed; see `alibi_viz.lessons.answers`."""
    return {
        "about": ABOUT.pattern,
        "unit": UNIT.pattern,
        "units": UNITS,
        "spellings": list(SPELLINGS.items()),
    }


def _lesson(number: int, lesson: Lesson) -> dict[str, Any]:
    view, drawn = lesson.view, _drawn(lesson)
    return {
        "slug": lesson.slug,
        "title": f"{number}. {lesson.title}",
        "minutes": lesson.minutes,
        "goal": short_inline(lesson.goal),
        "opening": short_block(lesson.opening),
        "look": short_inline(_LOOKS.get(view.name, lesson.look)),
        "view": view.name,
        "controls": view.controls if view.name in VIEWS else (),
        "state": {**view.state, **({"methods": drawn} if drawn else {})},
        "options": {"methods": drawn} if drawn else {},
        "charts": _charts(lesson),
        "steps": lesson.steps,
        "codes": {item: code_of((lesson.slug, item)) for item in lesson.items},
        "questions": [_question(question) for question in lesson.questions],
        "task": short_block(lesson.action.task),
        "praise": short_block(lesson.action.praise),
        "done": done_states(lesson),
        "explanation": short_block(lesson.explanation),
    }


def _question(question: Question) -> dict[str, Any]:
    told = {
        "key": question.key,
        "prompt": short_block(question.prompt),
        "right": short_block(question.explained()),
        # What a number question reveals has its answer in it.
        "full": short_block(question.in_full().removesuffix(question.explained())),
    }
    if isinstance(question, NumberQuestion):
        mistakes = [(error.value(), short_block(error.feedback)) for error in question.mistakes]
        return told | {
            "kind": "number",
            "unit": question.unit,
            "tolerance": question.tolerance,
            "answer": question.answer(),
            "mistakes": mistakes,
            "hint": short_block(question.hint),
        }
    if isinstance(question, ChoiceQuestion):
        kind, options = "choice", [short_inline(option.text) for option in question.options]
    else:
        kind, options = "line", list(question.lines)
    says = [
        "" if place == question.right else short_block(question.check(place).feedback)
        for place in range(len(options))
    ]
    return told | {"kind": kind, "options": options, "place": question.right, "says": says}


class _Watched(dict[str, Any]):
    """A state that knows what was asked of it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


def done_states(lesson: Lesson) -> dict[str, Any] | None:
    """Returns every choice of a lesson's controls that does what it asks for.

    Only those controls are tried out that the lesson looks at.

    Args:
        lesson: The lesson.

    Returns:
        "controls", their names, and "values", a list of their values for each such choice; None
        where the page does not have the lesson's view.
    """
    if lesson.view.name not in VIEWS:
        return None
    options = {name: _options(lesson, name) for name in lesson.view.controls}
    looked_at: set[str] = set()
    while True:
        names = [name for name in options if name in looked_at]
        done = []
        for values in itertools.product(*(options[name] for name in names)):
            state = _Watched({**lesson.view.state, **dict(zip(names, values, strict=True))})
            if lesson.action.done(state):
                done.append(values)
            if not state.asked & set(options) <= looked_at:
                looked_at |= state.asked & set(options)
                break
        else:
            return {"controls": names, "values": done}


def _options(lesson: Lesson, name: str) -> Sequence[Any]:
    """Returns the values that a control of a lesson can have."""
    if name == "head":
        heads = knob("heads").options if "heads" in lesson.view.controls else ()
        return range(1, (heads[-1] if heads else lesson.view.state["heads"]) + 1)
    if name == "methods":
        drawn = _drawn(lesson)
        return [
            chosen
            for size in range(1, len(drawn) + 1)
            for chosen in itertools.combinations(drawn, size)
        ]
    return knob(name).options


def _perplexity(lesson: Lesson, protocol: str) -> PerplexityChart | PublishedChart:
    key = next(key for key, name in PROTOCOL_NAMES.items() if name == protocol)
    methods = tuple(lesson.view.state["methods"])
    source = lesson.view.state["source"]
    ours = PerplexityChart(methods, protocol=key, on_sample=source == "ours, same text")
    return PublishedChart(methods=methods, protocol=key) if source == "paper" else ours


def _drawn(lesson: Lesson) -> tuple[str, ...]:
    """Returns the methods that have a line in the lesson's chart, where it has one of methods."""
    if lesson.view.name != "perplexity":
        return ()
    lines = {curve.method for curve in _perplexity(lesson, lesson.view.state["protocol"]).curves}
    return tuple(method for method in METHODS if method in lines)


def _charts(lesson: Lesson) -> dict[str, Any]:
    """Returns what the lesson's view draws, by what its controls say; {} where scripts know."""
    state = lesson.view.state
    if lesson.view.name == "perplexity":
        is_free = "protocol" in lesson.view.controls
        protocols = PROTOCOL_NAMES.values() if is_free else [state["protocol"]]
        return {protocol: curves_data(_perplexity(lesson, protocol)) for protocol in protocols}
    if lesson.view.name == "phases":
        # Two tokens lie one step apart.
        return {"perToken": turns_within(state["position"], 2).tolist()}
    if lesson.view.name == "words":
        pairs = itertools.product(knob("position").options, knob("order").options)
        return {
            f"{chart.position} {chart.order}": {
                "words": list(chart.table()["word"]),
                "weights": [float(f"{weight:.6g}") for weight in chart.table()["weight"]],
                "method": chart.position,
                "alt": chart.alt(),
            }
            for chart in (WordsChart(*pair) for pair in pairs)
        }
    if lesson.view.name == "stretching":
        return {rule.label: _stretched(rule.key, state["window"]) for rule in RULES.values()}
    return {}


def _stretched(rule: str, window: int) -> dict[str, Any]:
    """Returns a rule's rotations or penalties a token, as trained, and stretched so many times."""
    charts = [StretchingChart(rule, times, window) for times in knob("stretch").options]
    lanes = charts[0].lanes
    return {
        "title": charts[0].title,
        "part": lanes.part,
        "unit": lanes.unit,
        "method": charts[0].of.method,
        "before": [float(f"{rate:.5g}") for rate in lanes.before],
        "after": {
            chart.times: [float(f"{rate:.5g}") for rate in chart.lanes.after] for chart in charts
        },
    }
