"""The three ways to look at a trained model: one head, other slopes, two heads or models."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.figures.distance import READ_BACK_ROUNDING, slope_text
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.text.capture import Overview
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.ui.canvas.map import MapState, Panel, attention_map
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.link.numbers import choose
from alibi_viz.ui.recipes.trained import Origin
from alibi_viz.ui.trained import views, words
from alibi_viz.ui.trained.compare import have_same_tokens, moved_share
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
    open_model,
    overview_of,
    see,
    see_changed,
    verdict_is_ready,
    verdict_on,
)
from alibi_viz.ui.trained.take_away import take_maps_away
from alibi_viz.ui.trained.texts import ChosenText

DEFAULT_HEAD = (1, 3)
DEFAULT_OTHER = (1, 7)


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
        st.error(f"This model cannot be shown: {error}.")
    except ValueError as error:
        st.error(f"This text cannot be shown: {error}.")
    except MemoryError:
        st.error("The machine ran out of memory; choose a shorter text or a smaller model.")


def show(settings: Settings, text: ChosenText, names: Sequence[str]) -> None:
    """Shows what the controls ask for.

    Args:
        settings: What the first two rows of controls say.
        text: The chosen text.
        names: The models that can be chosen.
    """
    if not text.content:
        st.info("There is no text yet: type or paste one above.")
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
        seen = see(model, text.content)
        capture = seen.capture
        _caption(model, seen, text)
        place = _verdict_place(model)
        layer, head = chosen_head("layer_head", capture.n_layer, capture.n_head, DEFAULT_HEAD)
        panel, origin = Panel("", capture, layer, head), _origin(model, seen, text)
        left, right = st.columns([2, 3], gap="medium")
        # The map first: it needs one forward pass, the overview every weight of every head.
        with right:
            _map(settings, [panel], words.head_title(capture, layer, head))
        with left:
            overview = overview_of(seen)
            views.show_grid(seen, overview, settings.order, (layer, head))
        theory = views.theory_for(capture)
        look_for(words.attention_sentence(overview.measures, theory, capture.slopes))
        distance, windows = st.columns(2, gap="medium")
        with distance:
            st.markdown(
                f"How does the attention of layer {layer + 1}, head {head + 1} fall with distance?"
            )
            views.show_distances([panel], [overview], [origin])
        with windows:
            st.markdown(words.windows_question(capture))
            views.show_windows(capture, overview.measures, (layer, head), origin)
        take_maps_away([panel], [origin], _view(settings, [panel]), [overview])
        _save(settings, panel, overview)
        _verdict(model, place)


def show_what_if(settings: Settings, text: ChosenText) -> None:
    """Shows one head with the model's own slopes and with others, and what that costs."""
    with _told():
        model = open_model(settings.model)
        seen = see(model, text.content)
        capture = seen.capture
        if capture.slopes is None:
            st.info(words.no_slopes(capture, model.name))
            show_one(settings, text)
            return
        _caption(model, seen, text)
        place = _verdict_place(model)
        layer, head = chosen_head("layer_head", capture.n_layer, capture.n_head, DEFAULT_HEAD)
        change = what_if_controls(layer, head)
        changed, result = see_changed(model, text.content, seen, change)
        panels = [
            _panel(seen, layer, head, "unchanged"),
            _panel(changed, layer, head, "changed"),
        ]
        origins = [_origin(model, seen, text), _origin(model, seen, text, change)]
        title = f"layer {layer + 1} of {capture.n_layer}, head {head + 1} of {capture.n_head}"
        _map(settings, panels, title, difference="changed − unchanged")
        train_length = views.train_length_of(model)
        look_for(words.what_if_sentence(result, moved_share(*panels), train_length))
        grid, distance, loss = st.columns([3, 4, 4], gap="medium")
        overviews = views.overviews_of([seen, changed])
        with grid:
            views.show_grid(seen, overviews[0], settings.order, (layer, head), name=", unchanged")
        with distance:
            st.markdown("How does the attention of this head fall with distance?")
            views.show_distances(panels, overviews, origins)
        with loss:
            st.markdown("Where in the text does the change cost, or help?")
            views.show_loss(result, train_length, origins[1])
        view = _view(settings, panels)
        take_maps_away(panels, origins, view, overviews, "changed − unchanged")
        _save(settings, panels[1], overviews[1])
        _verdict(model, place)


def show_comparison(settings: Settings, text: ChosenText, names: Sequence[str]) -> None:
    """Shows two heads, of one model or of two, over the same text."""
    with _told():
        first_name = settings.model
        second_name = other_model([first_name, *(n for n in names if n != first_name)])
        models = [open_model(first_name), open_model(second_name)]
        different = {model.key: model for model in models}
        seen = [see(model, text.content) for model in models]
        for model in different.values():
            _caption(model, see(model, text.content), text)
        waiting = [(model, _verdict_place(model)) for model in different.values()]
        places = [
            chosen_head(key, one.capture.n_layer, one.capture.n_head, default)
            for key, one, default in zip(
                ("layer_head", "other_head"), seen, (DEFAULT_HEAD, DEFAULT_OTHER), strict=True
            )
        ]
        panels = [
            _panel(one, *place, _short_name(model, models, place))
            for model, one, place in zip(models, seen, places, strict=True)
        ]
        origins = [_origin(model, one, text) for model, one in zip(models, seen, strict=True)]
        _comparison_maps(settings, panels)
        overviews = views.overviews_of(seen)
        look_for(words.comparison_sentence(panels, overviews))
        left, right, distance = st.columns([3, 3, 4], gap="medium")
        for column, one, overview, place, key in zip(
            (left, right), seen, overviews, places, ("layer_head", "other_head"), strict=True
        ):
            with column:
                side = ", the first" if key == "layer_head" else ", the second"
                views.show_grid(one, overview, settings.order, place, key=key, name=side)
        with distance:
            st.markdown("How does the attention of the two fall with distance?")
            views.show_distances(panels, overviews, origins)
        view = _view(settings, panels)
        take_maps_away(panels, origins, view, overviews, "second − first")
        _save(settings, panels[0], overviews[0])
        for model, where in waiting:
            _verdict(model, where)


def _comparison_maps(settings: Settings, panels: list[Panel]) -> None:
    if have_same_tokens(*panels):
        _map(settings, panels, "two heads over the same text", difference="second − first")
        return
    st.info(
        "The two models cut this text differently, into "
        f"{panels[0].capture.length:,} and {panels[1].capture.length:,} tokens: "
        "their maps have no common axes, and so no difference."
    )
    for column, panel, key in zip(
        st.columns(2, gap="medium"), panels, ("attention_map", "other_map"), strict=True
    ):
        with column:
            _map(settings, [panel], panel.title, key=key)


def _map(
    settings: Settings,
    panels: Sequence[Panel],
    title: str,
    *,
    difference: str | None = None,
    key: str = "attention_map",
) -> None:
    view = _view(settings, panels)
    if view != settings.view:
        st.caption(f"Of this model the {settings.view} is not known; the {view} is shown.")
    state = MapState(
        view,
        chosen_cell(panels[0].capture.length),
        title,
        f"alibi-viz-{settings.model.replace(':', '-').replace('/', '-')}-{view}",
        {**_details(settings, panels), "colour": view},
    )
    attention_map(
        panels, state, difference=difference, key=key, on_cell=lambda cell: choose("pair", cell)
    )


def _view(settings: Settings, panels: Sequence[Panel]) -> str:
    """Returns what is coloured: of some models only the weights are known; the caption says why."""
    is_split = all(panel.capture.is_split for panel in panels)
    return settings.view if is_split or settings.view in WEIGHT_VIEWS else WEIGHT_VIEWS[0]


def _origin(model: OpenModel, seen: Seen, text: ChosenText, change: Change | None = None) -> Origin:
    return Origin(model.name, text.name, seen.capture.text, change)


def _details(settings: Settings, panels: Sequence[Panel]) -> dict[str, Any]:
    return {
        "model": settings.model,
        "text": settings.sample,
        "mode": settings.mode,
        "colour": settings.view,
        "heads": [[panel.layer + 1, panel.head + 1] for panel in panels],
    }


def _caption(model: OpenModel, seen: Seen, text: ChosenText) -> None:
    note = f" {text.note}" if text.note else ""
    st.caption(words.text_caption(seen.capture, model.label) + note)


def _panel(seen: Seen, layer: int, head: int, name: str) -> Panel:
    slopes = seen.capture.slopes
    slope = 0.0 if slopes is None else float(slopes[layer, head])
    title = (
        f"{name}, slope {slope_text(slope, READ_BACK_ROUNDING)}" if slope else f"{name}, no slope"
    )
    return Panel(title, seen.capture, layer, head, name)


def _short_name(model: OpenModel, models: Sequence[OpenModel], place: tuple[int, int]) -> str:
    """Returns the head's name, and the model's where there are two."""
    layer, head = place[0] + 1, place[1] + 1
    is_same = models[0].key == models[1].key
    return (
        f"layer {layer}, head {head}" if is_same else f"{model.name.split(':')[-1]}, {layer}·{head}"
    )


def _verdict_place(model: OpenModel) -> DeltaGenerator | None:
    """Returns where the verdict will stand; None where it is known and so stands there already."""
    place = st.empty()
    if verdict_is_ready(model):
        _verdict(model, place)
        return None
    place.caption(f"Reading the slopes back from {model.name} …")
    return place


def _verdict(model: OpenModel, place: DeltaGenerator | None) -> None:
    if place is None:
        return
    with _told():
        verdict = verdict_on(model)
        with place.container():
            views.show_verdict(verdict, model.name)


def _save(settings: Settings, panel: Panel, overview: Overview) -> None:
    capture = panel.capture
    table = views.heads_table(capture, overview.measures, views.theory_for(capture))
    query, _ = chosen_cell(capture.length)
    save_row(panel, query, table, _details(settings, [panel]))
