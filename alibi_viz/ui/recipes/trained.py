"""Programs for the page about trained models: load the model, run the text, measure, draw.

A bundled model and a text at hand are named; of what only the visitor or the server has, the
program says which file it needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from alibi_viz.inspection.text.what_if import Change
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.ui.recipes import block, literal, script
from alibi_viz.ui.trained.offered import FOLDER, HUB
from alibi_viz.ui.trained.texts import LIBRARY

# A longer text is read from a file.
LONGEST_TEXT = 4000


@dataclass(frozen=True)
class Origin:
    """Where a picture of a trained model comes from."""

    model: str
    """The model's name in the list."""
    text_name: str
    text: str
    change: Change | None = None
    """What was done with its slopes."""


@dataclass(frozen=True)
class Place:
    """One head of it."""

    name: str
    """What stands in the legend."""
    origin: Origin
    layer: int
    """Counted from 0, as `head` is."""
    head: int


Imports = dict[str, str]
_CAPTURE = {
    "alibi_viz.inspection.text.capture": "capture",
    "alibi_viz.inspection.loading": "load_model",
}


def _text_lines(origin: Origin) -> tuple[Imports, str]:
    if origin.text_name in LIBRARY:
        imports = {
            "alibi_viz.data.prepared": "load_validation",
            "alibi_viz.data.tokenizer": "load_tokenizer",
        }
        count = LIBRARY[origin.text_name]
        return imports, (
            "tokens, _ = load_validation()\n"
            f"text = load_tokenizer().decode(tokens[:{count}].tolist())\n"
        )
    if len(origin.text) <= LONGEST_TEXT:
        return {}, f"text = {block(origin.text)}\n"
    return {"pathlib": "Path"}, (
        'text = Path("text.txt").read_text(encoding="utf-8")  # save your text under this name\n'
    )


def _model_lines(name: str) -> tuple[Imports, str]:
    """Returns how a model is loaded, as an expression, with a remark where a file is needed."""
    if name.startswith(HUB):
        return {}, f"load_model({name.removeprefix(HUB)!r}, allow_hub=True)"
    if name.startswith(FOLDER) or ":" in name:
        folder = name.rpartition(":")[2]
        return {}, f'load_model("{folder}")  # the model\'s folder, copied beside this program'
    return {"alibi_viz.paths": "CHECKPOINTS"}, f'load_model(CHECKPOINTS / "{name}")'


def _change_text(change: Change) -> str:
    parts = [f"max_exponent={change.max_exponent!r}"] if change.max_exponent is not None else []
    parts += [f"rule={change.rule!r}"] if change.rule is not None else []
    parts += [f"scale={change.scale!r}"] if change.scale != 1 else []
    if change.off:
        listed = sorted(change.off, key=lambda place: (place[0] is not None, place))
        parts.append(f"off=frozenset({literal(listed)})")
    return f"Change({', '.join(parts)})"


def _captured(origins: Sequence[Origin]) -> tuple[Imports, str, dict[Origin, str]]:
    """Returns the lines that run the models, and the name of each origin's capture."""
    imports, lines = _text_lines(origins[0])
    imports |= _CAPTURE
    names: dict[Origin, str] = {}
    models: dict[str, str] = {}
    for origin in dict.fromkeys(origins):
        if origin.model not in models:
            adapter = "adapter" if not models else "other_adapter"
            more, expression = _model_lines(origin.model)
            imports |= more
            lines += f"{adapter} = {expression}\n"
            models[origin.model] = adapter
        adapter = models[origin.model]
        if origin.change is None:
            names[origin] = "seen" if "seen" not in names.values() else "other"
            lines += f"{names[origin]} = capture({adapter}, text)\n"
        else:
            imports["alibi_viz.inspection.text.what_if"] = "Change, what_if"
            names[origin] = "changed"
            lines += f"changed = what_if({adapter}, text, {_change_text(origin.change)}).changed\n"
    return imports, lines, names


def distance_code(places: Sequence[Place], *, has_slopes: Sequence[bool]) -> str:
    """Returns a program for mean attention against distance.

    Args:
        places: One head, or two to compare.
        has_slopes: Whether each has a slope, whose own curve is drawn beside.
    """
    imports, lines, names = _captured([place.origin for place in places])
    imports |= {"alibi_viz.figures.inspection": "DistanceCurve, by_distance_figure"}
    imports["alibi_viz.inspection.text.capture"] = "capture, overview"
    curves = ""
    for index, (place, sloping) in enumerate(zip(places, has_slopes, strict=True)):
        seen, at = names[place.origin], f"[{place.layer}, {place.head}]"
        colour = _colour(imports, index, places, sloping, seen)
        lines += f"measures = overview({seen}, mass={WINDOW_MASS}).measures  # axes: layer, head\n"
        name = place.name or "measured"
        curves = f"curves{' =' if not index else ' +='} [\n"
        curves += f"    DistanceCurve({name!r}, measures.mean_by_distance{at}, {colour}),\n"
        if sloping:
            imports["alibi_viz.inspection.text.measures"] = "slope_measures"
            alone = "slope alone" if len(places) == 1 else f"{name}: slope alone"
            lines += (
                f"slopes = {seen}.slopes[{place.layer}, {place.head} : {place.head + 1}].clip(0)\n"
                f"alone = slope_measures(slopes, {seen}.length, {WINDOW_MASS})"
                ".mean_by_distance[0]\n"
            )
            curves += f"    DistanceCurve({alone!r}, alone, {colour}, is_measured=False),\n"
        lines += curves + "]\n"
    return script(imports, f"{lines}figure = by_distance_figure(curves)\nfigure.show()")


def _colour(imports: Imports, index: int, places: Sequence[Place], sloping: bool, seen: str) -> str:
    """Returns the colour of a head's curves as the page chooses it, as an expression."""
    theme = "alibi_viz.figures.theme"
    if len(places) > 1:
        imports[theme] = "LIGHT, read_by_colour"
        return "read_by_colour()" if index else "LIGHT.accent"
    if not sloping:
        imports[theme] = "reads_colour"
        return "reads_colour()"
    imports[theme] = "colours_by_slope"
    layer, head = places[0].layer, places[0].head
    return f"colours_by_slope({seen}.slopes[{layer}].tolist())[{head}]"


def windows_code(place: Place, *, has_slopes: bool) -> str:
    """Returns a program for the measured windows of all heads.

    Args:
        place: The head brought forward.
        has_slopes: Whether the model has slopes.
    """
    imports, lines, _ = _captured([place.origin])
    imports |= {"alibi_viz.figures.inspection": "MeasuredWindows, measured_windows_figure"}
    imports["alibi_viz.inspection.text.capture"] = "capture, overview"
    lines += f"measured = overview(seen, mass={WINDOW_MASS}).measures.window  # (layer, head)\n"
    if has_slopes:
        imports["alibi_viz.inspection.text.measures"] = "slope_measures"
        lines += (
            "alone = slope_measures("
            f"seen.slopes.ravel().clip(0), seen.length, {WINDOW_MASS}).window\n"
            "alone = alone.reshape(seen.slopes.shape)\n"
        )
    else:
        lines += "alone = None  # this model has no slopes\n"
    lines += f"""\
data = MeasuredWindows(measured, seen.slopes, alone, {WINDOW_MASS}, seen.length)
figure = measured_windows_figure(data, chosen=({place.layer}, {place.head}))
figure.show()"""
    return script(imports, lines)


def loss_code(origin: Origin, train_length: int | None) -> str:
    """Returns a program for the loss along the text, unchanged and changed.

    Args:
        origin: Of the changed model.
        train_length: Tokens that the model was trained on, if known.
    """
    unchanged = Origin(origin.model, origin.text_name, origin.text)
    imports, lines, _ = _captured([unchanged, origin])
    imports |= {
        "alibi_viz.figures.text_loss": "TextLoss, text_loss_figure",
        "alibi_viz.figures.theme": "LIGHT, read_by_colour",
    }
    lines += f"""\
curves = [
    TextLoss("unchanged", seen.nll, LIGHT.accent),
    TextLoss("changed", changed.nll, read_by_colour()),
]
figure = text_loss_figure(curves, train_length={train_length})
figure.show()"""
    return script(imports, lines)


def attention_part(quantity: str) -> str:
    """Returns the attribute of `HeadAttention` that holds what is coloured.

    Args:
        quantity: One of `trained_controls.VIEWS`.
    """
    return {"weight": "weights", "log weight": "weights", "logit": "logits"}.get(quantity, quantity)


def map_code(places: Sequence[Place], quantity: str) -> str:
    """Returns a program for the map of one head, or of the second head minus the first.

    Args:
        places: One head, or two over the same tokens.
        quantity: What is coloured.
    """
    imports, lines, names = _captured([place.origin for place in places])
    imports |= {"alibi_viz.figures.token_map": "token_map_figure", "numpy": "as np"}
    part = attention_part(quantity)
    for index, place in enumerate(places):
        shown = "values" if not index else "others"
        lines += f"""\
attention = {names[place.origin]}.attention({place.layer}, {place.head})  # layer, head from 0
{shown} = np.where(attention.visible, attention.{part}, np.nan)  # (query, key)
"""
    if len(places) > 1 and quantity == "log weight":
        lines += "values, others = np.log(values), np.log(others)\n"
    difference = ", is_difference=True" if len(places) > 1 else ""
    shown = "others - values" if difference else "values"
    lines += f"""\
tokens = [token.text for token in {names[places[0].origin]}.tokens]
figure = token_map_figure({shown}, tokens, quantity={quantity!r}{difference})
figure.show()"""
    return script(imports, lines)


def heads_code(origin: Origin, size: int) -> str:
    """Returns a program for the small maps of all heads.

    Args:
        origin: Of the model.
        size: Rows and columns of a small map.
    """
    imports, lines, names = _captured([origin])
    imports |= {"alibi_viz.figures.token_map": "heads_figure"}
    imports["alibi_viz.inspection.text.capture"] = "capture, overview"
    seen = names[origin]
    return script(
        imports,
        f"{lines}small = overview({seen}, size={size}).thumbnails  # (layer, head, row, column)\n"
        f"figure = heads_figure(small, {seen}.slopes)\nfigure.show()",
    )
