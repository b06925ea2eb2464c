"""The controls of the page about trained models, and what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.figures.trained.token_map import QUANTITIES, Quantity
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE, HUB_VARIABLE, ModelsPolicy
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SLOPE_RULES, SlopeRule
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.policy import is_hub_name
from alibi_viz.ui.frame.stage import Stage
from alibi_viz.ui.link.heads import MAX_LENGTH, cell_of, linked_cell
from alibi_viz.ui.link.parameter import Control, Numbers, choice
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.link.settle import (
    bound_control,
    choose,
    control_row,
    linked,
    settle_links,
    show_notes,
)
from alibi_viz.ui.trained.offered import HUB, model_names, policy
from alibi_viz.ui.trained.texts import text_names

ONE, WHAT_IF, COMPARE = "one head", "what if", "compare"
MODES = (ONE, WHAT_IF, COMPARE)
WEIGHT_VIEWS: tuple[Quantity, ...] = ("log weight", "weight")
# A model of the hub that the link names and nobody has asked to fetch.
_OFFERED = "_offered_hub_model"
ORDERS = ("layer and head", "slope", "window", "entropy", "first token")

MODE = choice("mode", "look at", MODES)
VIEW = choice(
    "quantity",
    "colour",
    QUANTITIES,
    help="Logit = content + position. Content is q·k/√d, position the bias of the model; the "
    "weights are the softmax of the logits over the keys of a query.",
)
ORDER = Control(
    "sort",
    "heads by",
    ORDERS,
    ORDERS[0],
    kind="list",
    help=f"Window: nearest keys that hold {100 * WINDOW_MASS:.0f} % of the attention. First token: "
    "the share of the attention that goes to it, by the queries after it. Means over the queries "
    "of the text; the largest stand first.",
)

KEEP: Final = "the model's own"
NEW_SLOPES: Control[Literal["the model's own"] | SlopeRule] = choice(
    "new_slopes",
    "slopes by",
    (KEEP, *SLOPE_RULES),
    allowed=f"{KEEP}, geometric or interleaved",
    help="Geometric is the paper's closed form, interleaved the authors' code; they differ where "
    "the head count is no power of two.",
)
NEW_EXPONENT = Control(
    "new_exponent",
    "exponent of the new slopes",
    tuple(np.arange(0.5, 16.25, 0.5).tolist()),
    MAX_SLOPE_EXPONENT,
    "0.5 to 16 in steps of 0.5",
)
SCALE = Control(
    "slope_scale",
    "slopes times",
    (0.0, 0.0625, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0),
    1.0,
    "0, 0.0625, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 4 or 8",
    help="0 takes the bias off everywhere; below 1 all heads look further.",
)
NOBODY, THIS, EVERYWHERE = "no head", "this head", "this head in all layers"
OFF = choice(
    "bias_off",
    "bias off in",
    (NOBODY, THIS, EVERYWHERE),
    allowed=f"{NOBODY}, {THIS} or {EVERYWHERE}",
)
CHANGES: tuple[Control[Any], ...] = (NEW_SLOPES, NEW_EXPONENT, SCALE, OFF)
"""What can be done with the slopes."""

# (layer, head) that a link which says nothing means, counted from 1.
FIRST_HEAD, OTHER_HEAD = (2, 4), (2, 8)
_MOST_HEADS = 512
"""Layers or heads of the largest model that a link may name; the page knows those of its model."""


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    names = model_names(policy())
    models = (model_control(names),) if names else ()
    others = (other_model_control(names),) if names else ()
    head = head_of_model("layer_head", _MOST_HEADS, _MOST_HEADS)
    other = head_of_model("other_head", _MOST_HEADS, _MOST_HEADS)
    return PageParameters(
        (*models, text_control(), VIEW, ORDER, head, cell_of("pair", MAX_LENGTH)),
        MODE,
        {ONE: (), WHAT_IF: CHANGES, COMPARE: (*others, other)},
    )


@dataclass(frozen=True)
class Settings:
    """What the first two rows of controls say."""

    model: str
    sample: str
    mode: str
    view: Quantity
    order: str
    row: DeltaGenerator
    """Where the controls of a mode stand."""
    figure: DeltaGenerator
    """Where the verdict and the maps stand."""


def model_control(names: Sequence[str], key: str = "model", label: str = "model") -> Control[str]:
    """Returns the list of models.

    Args:
        names: What can be chosen; the first one is the default.
        key: Name in the URL.
        label: What stands above it.
    """
    return Control(
        key,
        label,
        names,
        names[0],
        "the models in the list",
        kind="list",
        help="Bundled models and those trained here. Whoever runs the app can open a folder of "
        f"model directories (BLOOM, MPT, Falcon ...) with {FOLDER_VARIABLE}=<folder>, and models "
        f"of the Hugging Face hub with {HUB_VARIABLE}=1; safetensors only.",
    )


def text_control() -> Control[str]:
    """Returns the list of texts."""
    names = text_names()
    return Control("sample", "text", names, names[0], "the texts in the list", kind="list")


def main_controls(names: Sequence[str], allowed: ModelsPolicy, place: Stage) -> Settings:
    """Shows a row of controls, model, text, mode and colour; folded away the order and the hub.

    Args:
        names: The models that can be chosen.
        allowed: What whoever runs the app allows.
        place: Where they stand.
    """
    _note_linked_hub_model(names, allowed)
    model, text = model_control(names), text_control()
    controls: tuple[Control[Any], ...] = (model, text, MODE, VIEW, ORDER)
    settle_links(*controls)
    row = place.controls.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    less = place.more.container(horizontal=True, vertical_alignment="bottom")
    settings = Settings(
        model=bound_control(model, row),
        sample=bound_control(text, row),
        mode=bound_control(MODE, row),
        view=bound_control(VIEW, row),
        order=bound_control(ORDER, less),
        row=place.controls,
        figure=place.figure,
    )
    with less:
        hub_field(allowed)
    _offer_linked_hub_model()
    show_notes(*controls)
    return settings


def hub_field(allowed: ModelsPolicy) -> None:
    """Asks for a name on the hub, where whoever runs the app allows that."""
    if not allowed.allow_hub:
        return
    with st.popover("a model of the Hugging Face hub"):
        name = st.text_input(
            "name on the hub", key="hub_name", placeholder="bigscience/bloom-560m",
            help="Fetched once and kept. Weights in safetensors only; no code of the model is run.",
        )  # fmt: skip
        st.button("open", on_click=_open_from_hub, args=(name,), disabled=not name)


def _note_linked_hub_model(names: Sequence[str], allowed: ModelsPolicy) -> None:
    """Takes a model of the hub out of a link that this session has not opened yet."""
    linked = st.query_params.get("model", "")
    name = linked.removeprefix(HUB)
    if name == linked or linked in names or not (allowed.allow_hub and is_hub_name(name)):
        return
    st.session_state[_OFFERED] = name
    del st.query_params["model"]


def _offer_linked_hub_model() -> None:
    """Shows the button for the link's model: a link alone makes the server fetch nothing."""
    if name := st.session_state.get(_OFFERED):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("The link asks for a model of the Hugging Face hub.", width="content")
            st.button(f"Open {name} from the hub", on_click=_open_from_hub, args=(name,))


def _open_from_hub(name: str) -> None:
    st.session_state.pop(_OFFERED, None)
    st.session_state["_hub_model"] = name.strip()
    st.session_state["model"] = f"{HUB}{name.strip()}"


def head_of_model(key: str, n_layer: int, n_head: int) -> Numbers:
    """Returns the chosen layer and head of a model, counted from 1.

    Args:
        key: Name in the URL: "layer_head", or "other_head" for a second one.
        n_layer: Layers of the model.
        n_head: Heads in each.
    """
    layer, head = FIRST_HEAD if key == "layer_head" else OTHER_HEAD
    return Numbers(
        key,
        "layer and head",
        ("layer", "head"),
        (min(layer, n_layer), min(head, n_head)),
        (n_layer, n_head),
        f"layer.head with layers 1 to {n_layer} and heads 1 to {n_head}",
    )


def chosen_head(key: str, n_layer: int, n_head: int) -> tuple[int, int]:
    """Returns the chosen (layer, head), counted from 0; see `head_of_model`."""
    layer, head = linked(head_of_model(key, n_layer, n_head))
    return layer - 1, head - 1


def choose_head(key: str, layer: int, head: int) -> None:
    """Remembers the chosen head, counted from 0."""
    choose(key, (layer + 1, head + 1))


def chosen_cell(length: int) -> tuple[int, int]:
    """Returns the (query, key) that is read out, kept in the URL."""
    return linked_cell(cell_of("pair", length, at=(0.8, 0.72)))


def what_if_controls(layer: int, head: int) -> Change:
    """Shows what can be done with the slopes, and returns what is chosen.

    Args:
        layer: Layer of the chosen head, counted from 0.
        head: The chosen head, counted from 0.
    """
    rule, exponent, scale, off = control_row(CHANGES, [3, 2, 2, 3.2]).values()
    heads: dict[str, list[tuple[int | None, int]]] = {
        NOBODY: [],
        THIS: [(layer, head)],
        EVERYWHERE: [(None, head)],
    }
    return Change(
        max_exponent=None if rule == KEEP else exponent,
        rule=None if rule == KEEP else rule,
        scale=scale,
        off=frozenset(heads[off]),
    )


def other_model_control(names: Sequence[str]) -> Control[str]:
    """Returns the list of models to compare with; as for `model_control`."""
    return model_control(names, "other_model", "the other model")


def other_model(names: Sequence[str]) -> str:
    """Shows the list for the other model, and returns what is chosen; the same one is the default.

    Args:
        names: The models that can be chosen, the default first.
    """
    (chosen,) = control_row([other_model_control(names)]).values()
    return str(chosen)
