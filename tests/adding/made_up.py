"""A method that nobody published, added while the program runs; and every place it has to be in.

Run as a program, in an interpreter of its own: what is made of the list of methods is made when a
module is first imported. Prints what went wrong in each place, as JSON.
"""

import argparse
import json
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np

from alibi_viz.maths.arrays import as_float32, counting_up
from alibi_viz.positions import METHODS
from alibi_viz.positions.base import PositionConfig, PositionMethod
from alibi_viz.positions.novelty import growing_penalties

ROOT = Path(__file__).parents[2]
KEY, LABEL = "made_up", "Made up"


class MadeUp(PositionMethod):
    """A penalty of a trained strength times the root of the distance."""

    key = KEY
    label = LABEL
    paper = "Nobody, 2026, https://example.org"
    acts_on = "logit"
    equation = r"\frac{q_i \cdot k_j}{\sqrt d} - s_h \sqrt{i - j}"
    formula = "q · k / √d  <b>− s √(i − j)</b>"
    learns = "its strength in each head"
    style = "navy"
    probed_as = "nonlinear"
    learning_rate_factor = 3.0

    def start(self, draws):
        return {"strength": 0.1 + draws.random((self.config.n_head,))}

    def bias_by_distance(self, length):
        strength = as_float32(self.learned["strength"])[:, None]
        return strength * (0 - counting_up(strength, length) ** 0.5)

    def beyond(self, train_length, eval_length):
        return growing_penalties(self, train_length, eval_length)


def in_the_choices_of_every_page():
    from alibi_viz.ui.extrapolation import shown
    from alibi_viz.ui.methods import controls
    from alibi_viz.ui.train import controls as train

    for control in (controls.METHOD, controls.OTHER, train.METHOD):
        assert LABEL in control.options
    assert shown.LABELS[LABEL] == KEY


def in_the_link_builder():
    from alibi_viz.ui.link.parameters import page_parameters

    options = {
        (page, control.key): control.options
        for page, part in (("methods", "pipeline"), ("methods", "compare"), ("train", None))
        for control in page_parameters(page).of(part)
        if control.key in ("method", "beside")
    }
    assert len(options) == 3
    assert all(LABEL in labels for labels in options.values())
    assert LABEL in page_parameters("extrapolation").by_key()["methods"].options


def on_the_command_line():
    from alibi_viz.training import cli, experiment

    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    cli.add_parser(subparsers)
    experiment.add_parser(subparsers)
    assert parser.parse_args(["train", "--position", KEY]).position == KEY
    assert KEY in parser.parse_args(["sweep"]).methods
    assert KEY in parser.parse_args(["experiment"]).methods


def page(name, **query):
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(ROOT / "pages" / f"{name}.py", default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [error.value for error in app.exception]
    assert not app.warning, [warning.value for warning in app.warning]
    return app


def alts(app):
    return " ".join(chart.proto.alt for chart in app.get("plotly_chart"))


def on_the_page_of_methods_step_by_step():
    assert LABEL in alts(page("methods", method=KEY))


def on_the_page_of_methods_beside_another_and_in_its_costs():
    app = page("methods", part="compare", method=KEY, beside="KERPLE")
    assert alts(app).count(LABEL) == 3
    assert any(MadeUp.equation in text.value for text in app.markdown)
    assert any(LABEL in frame.value.to_string() for frame in app.dataframe)


def on_the_page_that_trains():
    assert f"--position {KEY} " in page("train", method=KEY).code[0].value


def on_the_page_of_measurements_once_it_is_measured():
    assert LABEL in " ".join(text.value for text in page("extrapolation").markdown)


def record(method):
    from alibi_viz.evaluation.records import Record
    from tests.made_up_records import made_up

    return Record(**made_up(method, 128, 9.0))


def in_curves_and_sentences_of_its_records():
    from alibi_viz.charts.measured.curves import own_curves
    from alibi_viz.claims.experiment import Experiment, at_training_length
    from alibi_viz.figures.measured.extrapolation import extrapolation_figure

    records = [record("alibi"), record(KEY)]
    curves = own_curves(records, train_length=128, protocol="nonoverlapping", measure="perplexity")
    assert [curve.label for curve in curves] == ["ALiBi", LABEL]
    figure = extrapolation_figure(curves, train_length=128, measure="perplexity per token")
    assert LABEL in {trace.name for trace in figure.data}
    assert LABEL.lower() in at_training_length(Experiment(records)).lower()


def in_costs():
    from alibi_viz.model.config import ModelConfig
    from alibi_viz.model.cost import position_cost

    assert position_cost(ModelConfig(KEY, n_head=4), 8).parameters == 4


def with_a_style_that_no_other_method_has():
    from alibi_viz.figures.theme import method_style

    others = [method_style(key) for key in METHODS if key != KEY]
    assert method_style(KEY) not in others


def in_the_measurements_of_recall():
    from alibi_viz.retrieval.plan import RECALL_VARIANTS, stretchings_of

    assert KEY in RECALL_VARIANTS
    stretchings_of(KEY)


def in_training_and_in_a_look_inside():
    import torch

    from alibi_viz.__main__ import main
    from alibi_viz.inspection.loading import load_model
    from alibi_viz.inspection.probe import probe
    from alibi_viz.model.checkpoint import load_checkpoint
    from alibi_viz.positions import build_position

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text("Whoever reads this text reads it twice. " * 400, encoding="utf-8")
        sizes = "--heads 2 --layers 1 --width 16 --train-length 16 --batch-size 2 --tokens 64"
        place = ["--run", f"{folder}/run", "--text", str(text), "--device", "cpu"]
        assert main(["train", "--position", KEY, *sizes.split(), *place]) == 0
        checkpoint = Path(folder) / "run" / "checkpoint"
        model, about = load_checkpoint(checkpoint)
        start = build_position(KEY, model.config)
        start.draw(torch.Generator().manual_seed(about["seed"]))
        assert about["training"]["position_learning_rate_factor"] == 3.0
        assert not torch.equal(model.position.strength, start.strength)
        verdict = probe(load_model(checkpoint), long_length=60)
        assert verdict.found == ("nonlinear",)
        assert verdict.agrees, verdict.findings


def as_numbers_without_torch():
    assert "torch" not in sys.modules
    position = MadeUp(PositionConfig(n_head=2), {"strength": np.array([1.0, 2.0])})
    assert position.bias_by_distance(5)[1, [0, 1, 4]].tolist() == [0.0, -2.0, -4.0]
    assert position.novelty(5, 17).is_new.all()


PLACES = (
    as_numbers_without_torch,
    in_the_choices_of_every_page,
    in_the_link_builder,
    on_the_command_line,
    in_costs,
    with_a_style_that_no_other_method_has,
    in_curves_and_sentences_of_its_records,
    on_the_page_of_methods_step_by_step,
    on_the_page_of_methods_beside_another_and_in_its_costs,
    on_the_page_that_trains,
    on_the_page_of_measurements_once_it_is_measured,
    in_the_measurements_of_recall,
    in_training_and_in_a_look_inside,
)


def fault(place):
    try:
        place()
    except Exception:
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    METHODS[KEY] = MadeUp
    print(json.dumps({place.__name__: fault(place) for place in PLACES}))
