"""Two questions, answered in short, with the evidence one click away: who wins where; which one?"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from alibi_viz.charts.retrieval.contenders import Contender
from alibi_viz.charts.retrieval.task_map import AMONG_WORDS, RULE, TaskMapChart
from alibi_viz.claims.published_leaders import PublishedComparison, published_comparisons
from alibi_viz.published.cited import CitedNumber, cited_numbers
from alibi_viz.published.references import find_by_source, short_name
from alibi_viz.retrieval.task_map import Task
from alibi_viz.ui.claims.controls import AMONG
from alibi_viz.ui.frame.navigation import PAGES, address, entry
from alibi_viz.ui.link.settle import bound_control, show_notes
from alibi_viz.ui.show.figure import show_chart
from alibi_viz.words import listed

Leaders = Mapping[tuple[Task, int], tuple[Contender, ...]]

# What a cell of the map has in its place where many share the lead.
_NAMED = 3
# The page on which the measurements of a task are drawn.
_PAGE_OF: dict[Task, tuple[str, dict[str, str]]] = {
    "perplexity": ("extrapolation", {}),
    "perplexity in sliding windows": ("extrapolation", {"protocol": "sliding window"}),
    "recall": ("retrieval", {}),
    "copying": ("retrieval", {}),
}


@dataclass(frozen=True)
class Recommendation:
    """What to take in one situation."""

    situation: str
    """As a reader would say it of themselves."""
    advice: str
    """One or two sentences, as Markdown."""
    evidence: tuple[str, ...]
    """Links to what it rests on, as Markdown."""


def show_where_each_wins() -> None:
    """Shows the map of what was measured here and the table of what papers report."""
    among = bound_control(AMONG, st.container())
    show_notes(AMONG)
    chart = TaskMapChart(among)
    st.markdown(f"**Measured here**, among {AMONG_WORDS[among]}: {chart.sentence()}")
    show_chart(chart, with_table=True)
    st.caption(RULE)
    st.markdown(leader_table(chart.leaders))
    st.header("Published", anchor=False)
    st.markdown(published_table(published_comparisons()))
    st.caption(
        "Single runs: perplexities that differ by less than a quarter are level, and both lead."
    )


def leader_table(leaders: Leaders) -> str:
    """Returns the map as a table in Markdown, each cell a link to its measurements.

    Args:
        leaders: By task and length, the best mean first.
    """
    tasks = list(dict.fromkeys(task for task, _ in leaders))
    lengths = sorted({length for _, length in leaders})
    head = "| tokens | " + " | ".join(f"{length:,}" for length in lengths) + " |"
    rows = [head, "|---" * (len(lengths) + 1) + "|"]
    for task in tasks:
        cells = (_cell(task, leaders.get((task, length), ())) for length in lengths)
        rows.append(f"| **{task}** | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _cell(task: Task, first: tuple[Contender, ...]) -> str:
    if not first:
        return ""
    names = [one.label for one in first[:_NAMED]]
    more = len(first) - len(names)
    said = ", ".join(names) + (f" and {more} more" if more else "")
    page, state = _PAGE_OF[task]
    return _link(said, page, state) if _is_page(page) else said


def published_table(rows: Iterable[PublishedComparison]) -> str:
    """Returns published comparisons as a table in Markdown, each with its source."""
    lines = ["| task | leads | numbers | source |", "|---|---|---|---|"]
    for row in rows:
        source = _cited(next(iter(row.numbers.values())))
        lines.append(f"| {row.task} | **{' and '.join(row.leaders)}** | {row.said} | {source} |")
    return "\n".join(lines)


def show_which_one() -> None:
    """Shows the answers, each with its evidence."""
    st.markdown("Find your situation; each answer is followed by what it rests on.")
    for answer in recommendations(TaskMapChart("methods"), TaskMapChart("stretched")):
        with st.container(border=True):
            evidence = " · ".join(answer.evidence)
            st.markdown(f"**{answer.situation}**  \n{answer.advice}  \n:small[{evidence}]")


def recommendations(methods: TaskMapChart, stretched: TaskMapChart) -> tuple[Recommendation, ...]:
    """Returns what to take in each situation.

    Args:
        methods: Who leads among methods as trained, measured here.
        stretched: Who leads among variants and stretched models too.
    """
    cited = cited_numbers()
    at_length, far, farther, code, tasks = published_comparisons()
    return (
        Recommendation(
            "I use a checkpoint that exists.",
            "Keep the method that it was trained with, and check that it acts: a setting in the "
            "wrong place turns it off without a word.",
            (_link(entry("trained_attention").title, "trained_attention"),),
        ),
        Recommendation(
            "I train a language model and stay within its training length.",
            f"Perplexity hardly decides: {listed(at_length.leaders)} lead together. Take "
            "whichever your code supports best.",
            (_cited(cited["alibi_512_512"]), _claim("within-training-length"), _measured()),
        ),
        Recommendation(
            "I train on short texts and read long ones, to predict the next word.",
            f"Take **ALiBi** ({far.numbers['ALiBi']} at {cited['alibi_512_last'].eval_length:,} "
            f"tokens, {cited['alibi_512_512']} at 512), or a logarithmic bias: over "
            f"{cited['kerple_log_16384'].eval_length:,} tokens {farther.leaders[0]} leads with "
            f"{farther.numbers[farther.leaders[0]]} against ALiBi's {farther.numbers['ALiBi']}.",
            (_cited(cited["alibi_512_last"]), _cited(cited["kerple_log_16384"]), _measured()),
        ),
        _far_back(methods, stretched),
        Recommendation(
            "My tasks are small puzzles, longer in use than in training.",
            f"Try **{tasks.leaders[0]}**, no positions at all: mean reciprocal rank "
            f"{tasks.numbers[tasks.leaders[0]]}, ALiBi {tasks.numbers['ALiBi']}. As a language "
            f"model of code it loses: {code.said} at 2,560 tokens.",
            (_cited(cited["rank_nope"]), _claim("nope-best")),
        ),
        Recommendation(
            "I want a rotary model to read further.",
            "Stretch its angles and fine-tune. Squeezing positions without fine-tuning ends at a "
            f"perplexity of {cited['pi_before']}; 200 steps bring it to {cited['pi_after']}.",
            (_cited(cited["pi_after"]), _claim("interpolation-untrained"), _claim("ntk-beats-pi")),
        ),
        Recommendation(
            "Speed and memory decide.",
            "Take any method without a table of biases: at 1,024 tokens ALiBi trains on "
            f"{cited['train_speed_alibi_1024']} words a second, sinusoidal on "
            f"{cited['train_speed_sinusoidal_1024']}, T5 bias on {cited['train_speed_t5_1024']}.",
            (_cited(cited["train_speed_t5_1024"]), _claim("no-overhead"), _claim("t5-is-slow")),
        ),
    )


def _far_back(methods: TaskMapChart, stretched: TaskMapChart) -> Recommendation:
    """Returns what to take where the answer stands far back, by what was measured here."""
    cited = cited_numbers()
    said = (
        f"Stretching slopes unevenly took BLOOM-1b7 from {cited['retrieval_plain']} to "
        f"{cited['retrieval_ntk']} % of topics found, without training."
    )
    longest = max((length for task, length in methods.leaders if task == "recall"), default=0)
    if longest:
        place: tuple[Task, int] = ("recall", longest)
        first = methods.leaders[place]
        best = max(cell.value for cell in methods.cells if (cell.task, cell.length) == place)
        names = listed([one.label for one in first])
        has = "is" if any(one.method == "alibi" for one in first) else "is not"
        helped = [one for one in stretched.leaders[place] if one.method == "alibi"]
        more = f", {helped[0].label} is" if helped and has == "is not" else ""
        said = (
            f"In our recall test at {longest:,} tokens **{names}** lead, with at best "
            f"{100 * best:.0f} %; plain ALiBi {has} among them{more}. {said}"
        )
    evidence = [_link("Where each method wins", "claims", {"section": "where each wins"})]
    if _is_page("retrieval"):
        evidence.append(_link(entry("retrieval").title, "retrieval"))
    return Recommendation(
        "The answer stands far back: find a key, copy a passage.",
        said,
        (*evidence, _claim("ntk-alibi")),
    )


def _measured() -> str:
    return _link(entry("extrapolation").title, "extrapolation")


def _claim(key: str) -> str:
    return _link(f"claim: {key.replace('-', ' ')}", "claims", {"search": key})


def _link(text: str, page: str, state: Mapping[str, str] | None = None) -> str:
    return f"[{text}]({address(page, state)})"


def _is_page(name: str) -> bool:
    return name in {page.name for page in PAGES}


def _cited(number: CitedNumber) -> str:
    reference = find_by_source(number.source)
    assert reference is not None, f"no reference for {number.source}"
    place = re.sub(r"\(p(?=\d)", "(p. ", number.table).replace("[", r"\[").replace("]", r"\]")
    return f"[{short_name(reference)}, {place}]({reference['URL']})"
