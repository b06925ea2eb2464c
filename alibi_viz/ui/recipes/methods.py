"""Programs for the page "Where position enters"."""

from alibi_viz.maths.precision import BiasForm
from alibi_viz.ui.recipes import literal, script


def pipeline_code(method: str, stage: str) -> str:
    """Returns a program for the diagram of attention.

    Args:
        method: Key of the position method.
        stage: The stage whose numbers are shown beside it.
    """
    body = f"""\
steps = pipeline_steps({method!r}, stage={stage!r})
figure = pipeline_figure(steps, method={method!r}, note=note({method!r}))
figure.show()"""
    imports = {
        "alibi_viz.exhibits.pipeline": "note, pipeline_steps",
        "alibi_viz.figures.pipeline": "pipeline_figure",
    }
    return script(imports, body)


def panels_code(method: str, stage: str, head: int) -> str:
    """Returns a program for the matrices of the worked example.

    Args:
        method: Key of the position method.
        stage: Which of its stages.
        head: Head, counted from 0.
    """
    body = f"""\
made = example({method!r})
print(made.logits[{head}])  # (query, key) in nats; made has every other stage too
figure = panels_figure(panels({method!r}, stage={stage!r}, head={head}))
figure.show()"""
    imports = {
        "alibi_viz.exhibits.pipeline": "example, panels",
        "alibi_viz.figures.panels": "panels_figure",
    }
    return script(imports, body)


def effect_code(method: str, window: int, times: int) -> str:
    """Returns a program for the logit by distance.

    Args:
        method: Key of the position method.
        window: Tokens in a training window.
        times: Tokens in the input, as a multiple of that.
    """
    body = f"""\
position, is_trained = bundled_position({method!r}, {window})
effect = logit_by_distance(position, {window * times})  # .mean: (head, distance), nats
spread = None if effect.depends_on_distance_only else (effect.low, effect.high)
figure = effect_figure(
    effect.mean, spread, method={method!r}, train_length={window}, eval_length={window * times}
)
figure.show()"""
    imports = {
        "alibi_viz.figures.effect": "effect_figure",
        "alibi_viz.model.bundled": "bundled_position",
        "alibi_viz.positions.effect": "logit_by_distance",
    }
    return script(imports, body)


def matrix_code(method: str, window: int, times: int) -> str:
    """Returns a program for the logits between positions; see `effect_code`."""
    body = f"""\
shown = views({method!r}, {window}, times={times})
# (query, key) logits in nats between the positions shown.places
figure = logit_map_figure(shown.matrix, shown.places, train_length={window})
figure.show()"""
    imports = {
        "alibi_viz.exhibits.compare": "views",
        "alibi_viz.figures.effect": "logit_map_figure",
    }
    return script(imports, body)


def novelty_code(method: str, window: int, times: int) -> str:
    """Returns a program for what a longer input brings that is new; see `effect_code`."""
    body = f"""\
shown = views({method!r}, {window}, times={times})
print(shown.new.told)
figure = novelty_figure(shown.new, method={method!r})
figure.show()"""
    imports = {
        "alibi_viz.exhibits.compare": "views",
        "alibi_viz.figures.novelty": "novelty_figure",
    }
    return script(imports, body)


def variant_code(
    variant: str, span: int, head: int, stretch: int, r: tuple[float, float], chosen: int
) -> str:
    """Returns a program for a variant's bias and weights by offset.

    Args:
        variant: One of `VARIANTS`.
        span: Tokens on each side of the query.
        head: The chosen head, counted from 0.
        stretch: Input over training length.
        r: r1 and r2 of KERPLE.
        chosen: Index of the chosen curve.
    """
    body = f"""\
shown = {_variant(variant, span, head, stretch, r)}
figure = offsets_figure(shown, chosen={chosen})
figure.show()"""
    imports = {
        "alibi_viz.exhibits.variants": "curves",
        "alibi_viz.figures.offsets": "offsets_figure",
    }
    return script(imports, body)


def variant_matrix_code(
    variant: str, span: int, head: int, stretch: int, r: tuple[float, float], chosen: int
) -> str:
    """Returns a program for a variant's matrix; see `variant_code`."""
    body = f"""\
shown = {_variant(variant, span, head, stretch, r)}
bias = matrix(shown, {chosen})  # (query, key) in nats, NaN where masked
figure = logit_map_figure(bias, places(bias), train_length=None)
figure.show()"""
    imports = {
        "alibi_viz.exhibits.variants": "curves, matrix, places",
        "alibi_viz.figures.effect": "logit_map_figure",
    }
    return script(imports, body)


def _variant(variant: str, span: int, head: int, stretch: int, r: tuple[float, float]) -> str:
    return f"curves({variant!r}, span={span}, head={head}, stretch={stretch}, r={literal(r)})"


def by_head_code(
    heads: int, length: int, chosen: int, *, curves: str, label: str, in_octaves: bool = False
) -> str:
    """Returns a program for what number types do to the bias of each head.

    Args:
        heads: Number of heads.
        length: Tokens in the sequence.
        chosen: Index of the chosen head.
        curves: The call that takes the curves from `made`.
        label: Name of the vertical axis.
        in_octaves: Whether its ticks stand at powers of two.
    """
    octaves = ", in_octaves=True" if in_octaves else ""
    body = f"""\
made = rounding(n_head={heads}, length={length})
curves = {curves}
figure = by_head_figure(curves, label={label!r}, chosen={chosen}{octaves})
figure.show()"""
    imports = {
        "alibi_viz.exhibits.precision": f"rounding, {curves.partition('(')[0]}",
        "alibi_viz.figures.precision": "by_head_figure",
    }
    return script(imports, body)


def rounded_code(heads: int, length: int, head: int, form: BiasForm) -> str:
    """Returns a program for one head's weights, exact and rounded.

    Args:
        heads: Number of heads.
        length: Tokens in the sequence.
        head: Head, counted from 0.
        form: "distance" or "key".
    """
    body = f"""\
exact, halves = nearest_weights({heads}, {length}, head={head}, form={form!r})
figure = rounded_weights_figure(exact, halves)
figure.show()"""
    imports = {
        "alibi_viz.exhibits.precision": "nearest_weights",
        "alibi_viz.figures.precision": "rounded_weights_figure",
    }
    return script(imports, body)
