"""Lessons on paper: sheets for students, answers, a plan for the class, the teacher's notes.

Stand-alone HTML with nothing to fetch: formulas are MathML, which browsers set themselves, and
figures, where there are any, bring plotly's own script once. Always black on white, whatever the
theme of the app.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.markup import block, inline
from alibi_viz.lessons.plan import Plan
from alibi_viz.lessons.questions import ChoiceQuestion, NumberQuestion, Question

_CSS = """
@page { margin: 18mm 16mm }
body { font: 11pt/1.45 Georgia, "Source Serif Pro", serif; color: #111; background: #fff;
  max-width: 44em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.5em; margin: 0 0 .2em } h2 { font-size: 1.15em; margin: 1.6em 0 .4em }
h1, h2, th, .meta, figure { font-family: "Source Sans 3", "Segoe UI", sans-serif }
.meta { color: #444; font-size: .9em } .who { margin: 1.2em 0; display: flex; gap: 2em }
.who span { flex: 1; border-bottom: 1px solid #888; padding-bottom: .2em }
li.question { margin: 1.1em 0; break-inside: avoid } ul.options { list-style: none; padding: 0 }
ul.options li::before { content: "\\2610\\00a0\\00a0" } .blank { color: #444; margin-top: .6em }
.blank::after { content: ""; display: inline-block; width: 12em; border-bottom: 1px solid #888 }
pre { font: .82em/1.5 "Source Code Pro", Consolas, monospace; border: 1px solid #bbb;
  padding: .6em .8em; white-space: pre-wrap; break-inside: avoid }
code { font: .88em "Source Code Pro", Consolas, monospace }
figure { margin: 1em 0; break-inside: avoid } figcaption { font-size: .8em; color: #444 }
figure.code { float: right; margin: 0 0 1em 1.5em; width: 8.5em; text-align: center }
figure.code svg { width: 100%; height: auto } figcaption { overflow-wrap: anywhere }
article + article { break-before: page }
table { border-collapse: collapse; width: 100%; font-size: .82em }
th, td { text-align: left; vertical-align: top; padding: .4em .6em; border-top: 1px solid #bbb }
tr { break-inside: avoid } td.time { white-space: nowrap }
"""

# One page, across.
_NOTES_CSS = """
@page { size: landscape; margin: 9mm 12mm }
body { max-width: 82em; font-size: 9.5pt; line-height: 1.25 }
th, td { padding: .25em .5em }
@media print { body { margin: 0; padding: 0 } h1 { font-size: 1.2em } .meta { margin: .2em 0 } }
"""


@dataclass(frozen=True)
class Handout:
    """What a sheet shows besides the lesson's own text."""

    link: str = ""
    """The address of the lesson, printed and in the code; none if empty."""
    code: str = ""
    """An SVG of a QR code of that address."""
    figure: str = ""
    """The lesson's prepared view as HTML, and what it shows in words below it."""


def sheets(lessons: Sequence[Lesson], handouts: Sequence[Handout], script: str = "") -> str:
    """Returns lessons as one file for students to print: questions, and no answers.

    Args:
        lessons: The lessons, each on a page of its own.
        handouts: What stands beside each.
        script: What draws the figures.
    """
    pages = (_sheet(lesson, more) for lesson, more in zip(lessons, handouts, strict=True))
    title = lessons[0].title if len(lessons) == 1 else "Lessons"
    return _page(title, script + "".join(pages))


def answers(lessons: Sequence[Lesson]) -> str:
    """Returns the answers of lessons as one file, for the teacher."""
    title = f"{lessons[0].title}: answers" if len(lessons) == 1 else "Answers"
    return _page(title, "".join(_answers(lesson) for lesson in lessons))


def plan_sheet(plan: Plan, link: str = "", code: str = "") -> str:
    """Returns the plan of a class as a page to print.

    Args:
        plan: The plan.
        link: The address under which the class finds it; none if empty.
        code: An SVG of a QR code of that address.
    """
    rows = "".join(
        f'<tr><td class="time">{start} to {start + part.minutes}</td>'
        f"<td><strong>{inline(part.lesson.title)}.</strong> {inline(part.lesson.goal)}</td>"
        f"<td>{inline(part.lesson.teaching)}</td></tr>"
        for start, part in zip(plan.starts, plan.parts, strict=True)
    )
    body = f"""{_code(link, code)}<h1>Plan for a class</h1>
<p class="meta">ALiBi Viz · {len(plan.parts)} lessons, {plan.minutes} minutes</p>
<table><thead><tr><th>minutes</th><th>lesson and goal</th><th>in class</th></tr></thead>
<tbody>{rows}</tbody></table>"""
    return _page("Plan for a class", body)


def _sheet(lesson: Lesson, more: Handout) -> str:
    questions = "".join(_question(question) for question in lesson.questions)
    figure = f"<figure>{more.figure}</figure>" if more.figure else ""
    return f"""<article>{_code(more.link, more.code)}
<h1>{inline(lesson.title)}</h1>
<p class="meta">ALiBi Viz · about {lesson.minutes} minutes</p>
<p><strong>Goal.</strong> {inline(lesson.goal)}</p>
<div class="who"><span>name</span><span>date</span></div>
{block(lesson.opening)}
{figure}
<h2>Questions</h2>
<ol>{questions}</ol>
<h2>Your turn</h2>
{block(lesson.action.task)}
</article>"""


def _answers(lesson: Lesson) -> str:
    given = "".join(_answer(question) for question in lesson.questions)
    return f"""<article><h1>{inline(lesson.title)}: answers</h1>
<ol>{given}</ol>
<h2>Your turn</h2>
{block(lesson.action.hint)}
{block(lesson.action.praise)}
<h2>Why it is so</h2>
{block(lesson.explanation)}</article>"""


def _code(link: str, code: str) -> str:
    if not link:
        return ""
    return f'<figure class="code">{code}<figcaption>{html.escape(link)}</figcaption></figure>'


def notes(lessons: Sequence[Lesson]) -> str:
    """Returns the teacher's notes of the whole course as a page to print."""
    rows = "".join(
        f"<tr><td><strong>{inline(lesson.title)}.</strong> "
        f"{inline(lesson.goal)}</td><td>{lesson.minutes}</td>"
        f"<td>{html.escape('; '.join(common_errors(lesson)))}</td>"
        f"<td>{inline(lesson.teaching)}</td></tr>"
        for lesson in lessons
    )
    minutes = sum(lesson.minutes for lesson in lessons)
    body = f"""<h1>Teacher's notes</h1>
<p class="meta">ALiBi Viz · {len(lessons)} lessons, about {minutes} minutes in all</p>
<table><thead><tr><th style="width: 27%">lesson and goal</th><th>min</th>
<th style="width: 42%">common errors, each with its own feedback</th><th>in class</th></tr></thead>
<tbody>{rows}</tbody></table>"""
    return _page("Teacher's notes", body, _NOTES_CSS)


def common_errors(lesson: Lesson) -> tuple[str, ...]:
    """Returns the errors that the lesson's questions recognise, each once."""
    errors = (error for question in lesson.questions for error in question.errors())
    return tuple(dict.fromkeys(errors))


def _question(question: Question) -> str:
    prompt = block(question.prompt)
    if isinstance(question, NumberQuestion):
        unit = f" ({html.escape(question.unit)})" if question.unit else ""
        field = f'<p class="blank">answer{unit} </p>'
    elif isinstance(question, ChoiceQuestion):
        options = "".join(f"<li>{inline(option.text)}</li>" for option in question.options)
        field = f'<ul class="options">{options}</ul>'
    else:
        lines = (f"{n}  {line}" for n, line in enumerate(question.lines, 1))
        code = html.escape("\n".join(lines))
        field = f'<pre>{code}</pre><p class="blank">line </p>'
    return f'<li class="question">{prompt}{field}</li>'


def _answer(question: Question) -> str:
    return f'<li class="question">{block(question.in_full())}</li>'


def _page(title: str, body: str, more_css: str = "") -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="only light">'
        f"<title>{html.escape(title)}</title><style>{_CSS}{more_css}</style></head>\n"
        f"<body><main>{body}</main></body></html>\n"
    )
