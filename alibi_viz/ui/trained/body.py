"""The three ways to look at a trained model: one head, other slopes, two heads or models."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.trained.maps import AttentionMapChart
from alibi_viz.charts.trained.measures import DistancesChart, ModelWindowsChart, TextLossChart
from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.figures.trained.token_map import Quantity
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.text.compare import have_same_tokens
from alibi_viz.ui.canvas.map import MapState, attention_map
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.frame.presentation import is_alone
from alibi_viz.ui.link.settle import choose
from alibi_viz.ui.show.figure import show_chart, shown_canvas
from alibi_viz.ui.show.plain import unmarked
from alibi_viz.ui.trained import words
from alibi_viz.ui.trained.controls import (
    COMPARE,
    WEIGHT_VIEWS,
    WHAT_IF,
    Settings,
    chosen_cell,
    chosen_head,
    other_model,
    what_if_controls,
)
from alibi_viz.ui.trained.files import save_row
from alibi_viz.ui.trained.models import (
    OpenModel,
    Seen,
    glanced,
    open_model,
    run_of,
    see,
    see_changed,
    verdict_is_ready,
    verdict_on,
)
from alibi_viz.ui.trained.texts import ChosenText
from alibi_viz.ui.trained.views import show_grid, show_verdict, take_maps_away
from alibi_viz.words import unmistakable


def show_no_models() -> None:
    """Says that there is nothing to look at, and what to do."""
    st.info(
        "No trained model is here yet. Train one on the page Train, or name a folder of models "
        "when you start the app: `ALIBI_VIZ_MODELS=~/models make run`."
    )


@contextmanager
def _told() -> Iterator[None]:
    """Tells a visitor why a model or text cannot be shown; the rest of the page stays."""
    try:
        yield
    except UnreadableModel as error:
        st.error(f"This model cannot be shown: {unmarked(str(error))}.")
    except ValueError as error:
        st.error(f"This text cannot be shown: {unmarked(str(error))}.")
    except MemoryError:
        st.error("The machine ran out of memory; choose a shorter text or a smaller model.")


@contextmanager
def _verdict_first(settings: Settings, models: Sequence[OpenModel]) -> Iterator[None]:
    """Keeps room at the top for what the probe says, whatever becomes of the text below."""
    # Of a figure that fills the screen nothing else stands beside it.
    shown = () if is_alone() else models
    with settings.figure:
        waiting = [(model, _verdict_place(model)) for model in shown]
    with _told():
        yield
    for model, place in waiting:
        _verdict(model, place)


def show_model(settings: Settings, text: ChosenText, names: Sequence[str]) -> None:
    """Shows what the controls ask for.

    Args:
        settings: What the first two rows of controls say.
        text: The chosen text.
        names: The models that can be chosen.
    """
    if not text.content:
        st.info("There is no text yet: type or paste one above.")
        with _told(), _verdict_first(settings, [open_model(settings.model)]):
            pass
    elif settings.mode == WHAT_IF:
        show_what_if(settings, text)
    elif settings.mode == COMPARE:
        show_comparison(settings, text, names)
    else:
        show_one(settings, text)


def show_one(settings: Settings, text: ChosenText) -> None:
    """Shows one head of one model: overview, map, distance, windows, verdict."""
    with _told():
        model = open_model(settings.model)
        with _verdict_first(settings, [model]):
            _show_head(settings, text, model)


def _show_head(settings: Settings, text: ChosenText, model: OpenModel) -> None:
    """Shows one head: all heads small, its map, distance and windows."""
    seen = see(model, text.content)
    capture = seen.capture
    chosen = chosen_head("layer_head", capture.n_layer, capture.n_head)
    head = _head(run_of(model, seen, text), chosen)
    left, right = settings.figure.columns([2, 3], gap="medium")
    # The map first: it needs one forward pass, the overview every weight of every head.
    with right:
        _map(settings, [head], head.full_name)
    head = replace(head, run=glanced(head.run, model, seen))
    with left:
        show_grid(head.run, settings.order, chosen)
    _caption(model, seen, text)
    windows = ModelWindowsChart(head)
    look_for(windows.sentence())
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(
            f"How does the attention of layer {head.layer}, head {head.head} fall with distance?"
        )
        show_chart(DistancesChart((head,)), with_table=True)
    with right:
        st.markdown(windows.question())
        show_chart(windows, with_table=True)
    take_maps_away([head], _view(settings, [head]))
    _save(settings, head)


def show_what_if(settings: Settings, text: ChosenText) -> None:
    """Shows one head with the model's own slopes and with others, and what that costs."""
    with _told():
        model = open_model(settings.model)
        with _verdict_first(settings, [model]):
            _show_change(settings, text, model)


def _show_change(settings: Settings, text: ChosenText, model: OpenModel) -> None:
    """Shows one head with the model's own slopes and with others."""
    seen = see(model, text.content)
    capture = seen.capture
    if capture.slopes is None:
        st.info(unmarked(words.no_slopes(capture, model.name)))
        _show_head(settings, text, model)
        return
    chosen = chosen_head("layer_head", capture.n_layer, capture.n_head)
    with settings.row:
        change = what_if_controls(*chosen)
    changed = see_changed(model, text.content, seen, change)
    before = _head(run_of(model, seen, text), chosen, "unchanged")
    after = _head(run_of(model, changed, text, change), chosen, "changed")
    title = f"layer {before.layer} of {capture.n_layer}, head {before.head} of {capture.n_head}"
    with settings.figure:
        _map(settings, [before, after], title, difference="changed − unchanged")
    _caption(model, seen, text)
    loss = TextLossChart(after.run, before.run, model.model.train_length)
    look_for(loss.sentence_for(before))
    grid, distance, along = st.columns([3, 4, 4], gap="medium")
    heads = [
        replace(before, run=glanced(before.run, model, seen)),
        replace(after, run=glanced(after.run, model, changed)),
    ]
    with grid:
        show_grid(heads[0].run, settings.order, chosen, name=", unchanged")
    with distance:
        st.markdown("How does the attention of this head fall with distance?")
        show_chart(DistancesChart(tuple(heads)), with_table=True)
    with along:
        st.markdown("Where in the text does the change cost, or help?")
        if len(capture.nll):
            show_chart(loss, with_table=True)
    take_maps_away(heads, _view(settings, heads), "changed − unchanged")
    _save(settings, heads[1])


def show_comparison(settings: Settings, text: ChosenText, names: Sequence[str]) -> None:
    """Shows two heads, of one model or of two, over the same text."""
    with _told():
        first_name = settings.model
        with settings.row:
            second_name = other_model([first_name, *(n for n in names if n != first_name)])
        models = [open_model(first_name), open_model(second_name)]
        different = {model.key: model for model in models}
        with _verdict_first(settings, list(different.values())):
            _show_two(settings, text, models)


def _show_two(settings: Settings, text: ChosenText, models: Sequence[OpenModel]) -> None:
    """Shows two heads over the same text."""
    different = {model.key: model for model in models}
    seen = [see(model, text.content) for model in models]
    places = [
        chosen_head(key, one.capture.n_layer, one.capture.n_head)
        for key, one in zip(("layer_head", "other_head"), seen, strict=True)
    ]
    heads = [
        _head(run_of(model, one, text), place, _short_name(model, models, place))
        for model, one, place in zip(models, seen, places, strict=True)
    ]
    with settings.figure:
        _comparison_maps(settings, heads)
    for model in different.values():
        _caption(model, see(model, text.content), text)
    heads = [
        replace(head, run=glanced(head.run, model, one))
        for head, model, one in zip(heads, models, seen, strict=True)
    ]
    distances = DistancesChart(tuple(heads))
    look_for(distances.sentence())
    left, right, distance = st.columns([3, 3, 4], gap="medium")
    sides = (("layer_head", ", the first"), ("other_head", ", the second"))
    for column, head, (key, name) in zip((left, right), heads, sides, strict=True):
        with column:
            show_grid(head.run, settings.order, head.place, key=key, name=name)
    with distance:
        st.markdown("How does the attention of the two fall with distance?")
        show_chart(distances, with_table=True)
    take_maps_away(heads, _view(settings, heads), "second − first")
    _save(settings, heads[0])


def _comparison_maps(settings: Settings, heads: Sequence[HeadOfRun]) -> None:
    captures = [head.capture for head in heads]
    if have_same_tokens(*captures):
        _map(settings, heads, "two heads over the same text", difference="second − first")
        return
    st.info(
        "The two models cut this text differently, into "
        f"{captures[0].length:,} and {captures[1].length:,} tokens: "
        "their maps have no common axes, and so no difference."
    )
    columns = st.columns(2, gap="medium")
    for column, head, key in zip(columns, heads, ("attention_map", "other_map"), strict=True):
        with column:
            _map(settings, [head], head.title, key=key)


def _map(
    settings: Settings,
    heads: Sequence[HeadOfRun],
    title: str,
    *,
    difference: str | None = None,
    key: str = "attention_map",
) -> None:
    view = _view(settings, heads)
    if view != settings.view:
        st.caption(f"Of this model the {settings.view} is not known; the {view} is shown.")
    state = MapState(
        view,
        chosen_cell(heads[0].capture.length),
        title,
        f"alibi-viz-{unmistakable(settings.model.replace(':', '-'))}-{view}",
        {**_details(settings, heads), "colour": view},
    )
    with shown_canvas(key, AttentionMapChart(heads[0], view)) as is_shown:
        if is_shown:
            attention_map(
                heads,
                state,
                difference=difference,
                key=key,
                on_cell=lambda cell: choose("pair", cell),
            )


def _view(settings: Settings, heads: Sequence[HeadOfRun]) -> Quantity:
    """Returns what is coloured: of some models only the weights are known; the caption says why."""
    is_split = all(head.capture.is_split for head in heads)
    return settings.view if is_split or settings.view in WEIGHT_VIEWS else WEIGHT_VIEWS[0]


def _details(settings: Settings, heads: Sequence[HeadOfRun]) -> dict[str, Any]:
    return {
        "model": settings.model,
        "text": settings.sample,
        "mode": settings.mode,
        "colour": settings.view,
        "heads": [[head.layer, head.head] for head in heads],
    }


def _caption(model: OpenModel, seen: Seen, text: ChosenText) -> None:
    note = f" {text.note}" if text.note else ""
    st.caption(unmarked(words.text_caption(seen.capture, model.label)) + note)


def _head(run: Run, place: tuple[int, int], name: str = "") -> HeadOfRun:
    """Returns a head from its (layer, head) counted from 0."""
    return HeadOfRun(run, place[0] + 1, place[1] + 1, name)


def _short_name(model: OpenModel, models: Sequence[OpenModel], place: tuple[int, int]) -> str:
    """Returns the head's name, and the model's where there are two."""
    layer, head = place[0] + 1, place[1] + 1
    is_same = models[0].key == models[1].key
    if is_same:
        return f"layer {layer}, head {head}"
    return f"{unmistakable(model.name.partition(':')[2] or model.name)}, {layer}·{head}"


def _verdict_place(model: OpenModel) -> DeltaGenerator | None:
    """Returns where the verdict will stand; None where it is known and so stands there already."""
    place = st.empty()
    if verdict_is_ready(model):
        _verdict(model, place)
        return None
    place.caption(unmarked(f"Reading the slopes back from {model.name} …"))
    return place


def _verdict(model: OpenModel, place: DeltaGenerator | None) -> None:
    if place is None:
        return
    with _told():
        verdict = verdict_on(model)
        with place.container():
            show_verdict(verdict, model.name)


def _save(settings: Settings, head: HeadOfRun) -> None:
    if is_alone():
        return
    query, _ = chosen_cell(head.capture.length)
    save_row(head, query, ModelWindowsChart(head).table(), _details(settings, [head]))
