"""Programs for what was measured: our records, the papers' tables, training losses, own jobs."""

from collections.abc import Collection

from alibi_viz.positions import METHODS
from alibi_viz.ui.recipes import literal, script

_FIGURE = {"alibi_viz.figures.extrapolation": "extrapolation_figure"}


def own_code(
    methods: Collection[str],
    *,
    train_length: int,
    protocol: str,
    measure: str,
    records: str = "comparable",
) -> str:
    """Returns a program for our own measurements, from the committed records.

    Args:
        methods: Keys of the methods shown.
        train_length: Tokens in a training window.
        protocol: How it was measured.
        measure: One of `exhibits.measured.MEASURES`.
        records: Which of them: "comparable" or "same_text", as in `exhibits.measured`.
    """
    body = f"""\
records = {records}(load_records(Record))
curves = own_curves(
    records, train_length={train_length}, protocol={protocol!r}, measure={measure!r}
)
{_chosen(methods)}figure = extrapolation_figure(
    curves, train_length={train_length}, measure=measure_title({measure!r})
)
figure.show()"""
    return script(
        _FIGURE
        | {
            "alibi_viz.evaluation.records": "Record",
            "alibi_viz.evaluation.store": "load_records",
            "alibi_viz.exhibits.measured": ", ".join(
                sorted(("measure_title", "own_curves", records))
            ),
        },
        body,
    )


def by_position_code(methods: Collection[str], *, train_length: int) -> str:
    """Returns a program for perplexity by position, from the committed records.

    Args:
        methods: Keys of the methods shown.
        train_length: Tokens in a training window.
    """
    body = f"""\
curves = position_curves(comparable(load_records(Record)), train_length={train_length})
{_chosen(methods)}figure = extrapolation_figure(
    curves, train_length={train_length}, measure="perplexity per token", along="context"
)
figure.show()"""
    return script(
        _FIGURE
        | {
            "alibi_viz.evaluation.records": "Record",
            "alibi_viz.evaluation.store": "load_records",
            "alibi_viz.exhibits.measured": "comparable, position_curves",
        },
        body,
    )


def _chosen(methods: Collection[str]) -> str:
    if set(methods) >= set(METHODS):
        return ""
    return f"curves = [curve for curve in curves if curve.method in {literal(sorted(methods))}]\n"


def paper_code(
    choice: str, methods: Collection[str], *, train_length: int, protocol: str, measure: str
) -> str:
    """Returns a program for the paper's own numbers.

    Args:
        choice: Data set and training length, as "WikiText-103 512".
        methods: Keys of the methods shown.
        train_length: Tokens in a training window.
        protocol: How it was measured.
        measure: One of `exhibits.measured.MEASURES`.
    """
    wanted = list(METHODS) if set(methods) >= set(METHODS) else sorted(methods)
    body = f"""\
methods = {literal(wanted)}
published = paper_curves({choice!r}, {protocol!r}, methods)
curves = [as_method_curve(curve, {measure!r}) for curve in published]
figure = extrapolation_figure(
    curves,
    train_length={train_length},
    measure=measure_title({measure!r}, published=True),
)
figure.show()"""
    names = "as_method_curve, measure_title, paper_curves"
    return script(_FIGURE | {"alibi_viz.exhibits.measured": names}, body)


def losses_code(train_length: int) -> str:
    """Returns a program for the losses of the bundled models while they were trained."""
    return script(
        {
            "alibi_viz.exhibits.measured": "bundled_models, loss_curves",
            "alibi_viz.figures.losses": "losses_figure",
        },
        f"curves = loss_curves(bundled_models(), {train_length})\n"
        "figure = losses_figure(curves)\nfigure.show()",
    )


def live_code(file: str, *, train_length: int, command: str) -> str:
    """Returns a program for a visitor's own measurement, from its CSV.

    Args:
        file: Name of the CSV file.
        train_length: Tokens in a training window of most of the models.
        command: What measures the same again.
    """
    body = f"""\
# Measured by a job of the server. Save the CSV of the same menu beside this program, or measure
# again: {command}
table = pd.read_csv({file!r})
curves = []
for (label, method), rows in table.groupby(["model", "method"], sort=False):
    values = rows["perplexity"].to_numpy()
    lengths = rows["evaluation length, tokens"].to_numpy()
    n_seed = np.ones(len(rows), int)
    curves.append(MethodCurve(method, label, lengths, values, values, values, n_seed))
figure = extrapolation_figure(curves, train_length={train_length}, measure="perplexity")
figure.show()"""
    imports = {"numpy": "as np", "pandas": "as pd"}
    names = {"alibi_viz.figures.extrapolation": "MethodCurve, extrapolation_figure"}
    return script(imports | names, body)
