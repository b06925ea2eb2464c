"""A lesson on paper: questions first, answers on the next page; and the teacher's notes.

Stand-alone HTML without scripts or anything to fetch: formulas are MathML, which browsers set
themselves. Always black on white, whatever the theme of the app.
"""

import html
from collections.abc import Sequence

from alibi_viz.lessons.lesson import Lesson
from alibi_viz.lessons.markup import block, inline
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
figure { float: right; margin: 0 0 1em 1.5em; width: 7.5em; font-size: .75em; text-align: center }
figure svg { width: 100%; height: auto }
table { border-collapse: collapse; width: 100%; font-size: .82em }
th, td { text-align: left; vertical-align: top; padding: .4em .6em; border-top: 1px solid #bbb }
tr { break-inside: avoid } .answers { break-before: page }
"""

# One page, across.
_NOTES_CSS = """
@page { size: landscape; margin: 9mm 12mm }
body { max-width: 82em; font-size: 9.5pt; line-height: 1.25 }
th, td { padding: .25em .5em }
@media print { body { margin: 0; padding: 0 } h1 { font-size: 1.2em } .meta { margin: .2em 0 } }
"""


def sheet(lesson: Lesson, number: int, code: str = "") -> str:
    """Returns a lesson as a page to print.

    Args:
        lesson: The lesson.
        number: Its number in the course.
        code: An SVG of a QR code that leads to the lesson; none if empty.
    """
    figure = f"<figure>{code}<figcaption>the lesson itself</figcaption></figure>" if code else ""
    questions = "".join(_question(question) for question in lesson.questions)
    answers = "".join(_answer(question) for question in lesson.questions)
    body = f"""{figure}
<h1>{number}. {inline(lesson.title)}</h1>
<p class="meta">ALiBi Viz · about {lesson.minutes} minutes</p>
<p><strong>Goal.</strong> {inline(lesson.goal)}</p>
<div class="who"><span>name</span><span>date</span></div>
{block(lesson.opening)}
<h2>Questions</h2>
<ol>{questions}</ol>
<h2>Your turn</h2>
{block(lesson.action.task)}
<section class="answers">
<h1>{number}. {inline(lesson.title)}: answers</h1>
<ol>{answers}</ol>
<h2>Why it is so</h2>
{block(lesson.explanation)}
</section>"""
    return _page(f"{number}. {lesson.title}", body)


def notes(lessons: Sequence[Lesson]) -> str:
    """Returns the teacher's notes of the whole course as a page to print."""
    rows = "".join(
        f"<tr><td>{number}</td><td><strong>{inline(lesson.title)}.</strong> "
        f"{inline(lesson.goal)}</td><td>{lesson.minutes}</td>"
        f"<td>{html.escape('; '.join(common_errors(lesson)))}</td>"
        f"<td>{inline(lesson.teaching)}</td></tr>"
        for number, lesson in enumerate(lessons, 1)
    )
    minutes = sum(lesson.minutes for lesson in lessons)
    body = f"""<h1>Teacher's notes</h1>
<p class="meta">ALiBi Viz · {len(lessons)} lessons, about {minutes} minutes in all</p>
<table><thead><tr><th>#</th><th style="width: 27%">lesson and goal</th><th>min</th>
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
