"""Programs for the live view: all heads, one head, one query's row, the slope ladder."""

from alibi_viz.maths.slopes import SLOPE_RULES, rules_differ
from alibi_viz.ui.link.controls import AlibiSettings
from alibi_viz.ui.recipes import script

_BIASES = "alibi_viz.figures.biases"


def _program(settings: AlibiSettings, imports: dict[str, str], body: str) -> str:
    """Returns a program that computes the slopes, and draws them as `body` says."""
    rule = f', rule="{settings.rule}"' if rules_differ(settings.heads) else ""
    slopes = f"slopes = alibi_slopes({settings.heads}, {settings.exponent!r}{rule})"
    return script(
        {"alibi_viz.maths.slopes": "alibi_slopes"} | imports,
        f"{slopes}  # (head,), nats per token\n{body}\nfigure.show()",
    )


def all_heads_code(settings: AlibiSettings, *, colour: str, scale: str) -> str:
    """Returns a program for the maps of all heads.

    Args:
        settings: What the shared controls say.
        colour: What is coloured.
        scale: Whether all heads share their colours.
    """
    body = f"""\
figure = all_heads_figure(
    slopes, length={settings.length}, colour={colour!r}, scale={scale!r}
)"""
    return _program(settings, {_BIASES: "all_heads_figure"}, body)


def head_code(
    settings: AlibiSettings, head: int, cell: tuple[int, int], *, colour: str, scale: str
) -> str:
    """Returns a program for one head's map.

    Args:
        settings: What the shared controls say.
        head: The head, counted from 1.
        cell: The marked (query, key).
        colour: What is coloured.
        scale: Whether all heads share their colours.
    """
    body = f"""\
figure = head_map_figure(
    slopes,
    head={head},
    length={settings.length},
    colour={colour!r},
    scale={scale!r},
    cell={cell},
)"""
    return _program(settings, {_BIASES: "head_map_figure"}, body)


def row_code(settings: AlibiSettings, head: int, cell: tuple[int, int]) -> str:
    """Returns a program for one query's bias and weights; see `head_code`."""
    query, key = cell
    body = f"""\
figure = row_figure(
    slopes, head={head}, length={settings.length}, query={query}, key={key}
)"""
    return _program(settings, {_BIASES: "row_figure"}, body)


def ladder_code(settings: AlibiSettings, head: int) -> str:
    """Returns a program for the slope ladder; see `head_code`."""
    body = f"figure = slope_ladder_figure(slopes, head={head})"
    if rules_differ(settings.heads):
        (other,) = {*SLOPE_RULES} - {settings.rule}
        body = f"""\
others = alibi_slopes({settings.heads}, {settings.exponent!r}, rule="{other}")
figure = slope_ladder_figure(slopes, head={head}, other=({other!r}, others))"""
    return _program(settings, {"alibi_viz.figures.slopes": "slope_ladder_figure"}, body)


def state_code(settings: AlibiSettings, head: int, query: int, key: int) -> str:
    """Returns a few lines of Python for the numbers of the current state, without a figure.

    Args:
        settings: What the shared controls say.
        head: The chosen head, counted from 1.
        query: Position of the chosen query.
        key: Position of the chosen key, at most `query`.
    """
    body = f"""\
slopes = alibi_slopes({settings.heads}, {settings.exponent!r}, rule="{settings.rule}")  # (head,)
bias = bias_by_distance(slopes, {settings.length})  # (head, distance), nats
weights = attention_by_distance(slopes, {settings.length}, query={query})  # (head, distance)

head, distance = {head - 1}, {query - key}  # head {head}; query {query}, key {key}
print(slopes[head], bias[head, distance], weights[head, distance])"""
    imports = {
        "alibi_viz.maths.bias": "bias_by_distance",
        "alibi_viz.maths.decay": "attention_by_distance",
        "alibi_viz.maths.slopes": "alibi_slopes",
    }
    return script(imports, body)
