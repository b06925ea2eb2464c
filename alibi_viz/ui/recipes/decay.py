"""Programs for the decay page: the curves of attention by distance, and the windows."""

from alibi_viz.exhibits.decay import MASSES, SEED
from alibi_viz.ui.link.controls import AlibiSettings
from alibi_viz.ui.recipes import literal, script


def _drawn(
    settings: AlibiSettings, n_key: int, *, strength: float, train_length: int, even: bool
) -> str:
    """Returns the lines that compute what both figures draw."""
    content = (
        f"{strength!r} * content_draws({n_key}, seed={SEED})  # (distance, draw), nats"
        if strength
        else f"np.zeros(({n_key}, 1))  # (distance, draw), nats: equal content"
    )
    also = (train_length - 1, train_length)
    return f"""\
slopes = alibi_slopes({settings.heads}, {settings.exponent!r}, rule="{settings.rule}")  # (head,)
content = {content}
distances = distance_grid({n_key}, also={also}, even={even})
drawn = attention_over_draws(slopes, content, distances, masses={literal(MASSES)})
"""


def _imports(strength: float, figures: dict[str, str]) -> dict[str, str]:
    """Returns what both programs import, and the figure's own."""
    content = "attention_over_draws, distance_grid, spread"
    shared = {"alibi_viz.maths.slopes": "alibi_slopes"}
    if strength:
        return shared | figures | {"alibi_viz.maths.content": f"{content}, content_draws"}
    return shared | figures | {"alibi_viz.maths.content": content, "numpy": "as np"}


def decay_code(
    settings: AlibiSettings,
    n_key: int,
    *,
    strength: float,
    train_length: int,
    chosen: int,
    log_distance: bool,
    log_weight: bool,
) -> str:
    """Returns a program for the curves of all heads.

    Args:
        settings: What the shared controls say.
        n_key: Keys of the query.
        strength: Standard deviation of the content logits, in nats.
        train_length: Tokens a sequence had in training.
        chosen: Index of the head brought forward.
        log_distance: Whether the distance axis is logarithmic.
        log_weight: Whether the weight axis is.
    """
    drawn = _drawn(
        settings, n_key, strength=strength, train_length=train_length, even=not log_distance
    )
    imports = {
        "alibi_viz.figures.decay": "decay_figure",
        "alibi_viz.figures.decay_lines": "DecayCurves",
    }
    body = f"""\
{drawn}
curves = DecayCurves(
    slopes,
    drawn.distances,
    spread(drawn.weights),
    spread(drawn.held),
    length={settings.length},
    train_length={train_length},
)
figure = decay_figure(
    curves, chosen={chosen}, log_distance={log_distance}, log_weight={log_weight}
)
figure.show()
"""
    return script(_imports(strength, imports), body)


def windows_code(
    settings: AlibiSettings, n_key: int, *, strength: float, train_length: int, chosen: int
) -> str:
    """Returns a program for the windows of all heads; see `decay_code`."""
    drawn = _drawn(settings, n_key, strength=strength, train_length=train_length, even=False)
    body = f"""\
{drawn}
windows = HeadWindows(slopes, {literal(MASSES)}, spread(drawn.windows), n_key={n_key})
figure = windows_figure(windows, chosen={chosen})
figure.show()
"""
    imports = {"alibi_viz.figures.windows": "HeadWindows, windows_figure"}
    return script(_imports(strength, imports), body)
