"""The numbers of the attention map, made in the browser, beside those of the capture."""

import base64
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.inspection.adapters.records import Arithmetic, LayerRecord, PositionTerm
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.capture import capture
from alibi_viz.inspection.text.samples import LINE
from alibi_viz.ui.canvas import pack, read_files
from alibi_viz.ui.canvas.map import HERE, map_data
from tests import tiny_models

QUANTITIES = ("content", "position", "logit", "weight")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "alibi"
    tiny_models.save_own(folder)
    return capture(load_model(folder), LINE)


def record(kind, by, *, is_masked=False):
    generator = torch.Generator().manual_seed(5)
    length, width, heads = 37, 11, 3
    q, k = ((2 * torch.randn(heads, length, width, generator=generator)).to(kind) for _ in range(2))
    values = None
    if by is not None:
        steps = torch.arange(length) * (1 if by == "key" else -1)
        values = (torch.tensor([0.7, 0.11, 0.003])[:, None] * steps).to(kind).float()
    visible = None
    if is_masked:
        visible = torch.ones(length, length).tril().bool()
        # The first queries see nothing, as behind padding.
        visible[:, :5] = False
    term = None if values is None else PositionTerm(by, values)
    arithmetic = Arithmetic(kind, kind, torch.float32, "")
    return LayerRecord(q, k, width**-0.5, term, visible, arithmetic)


def made_by_browser(browser, seen, layer, head):
    """Returns all values of a head as the browser makes them, None where it says masked."""
    data = base64.b64encode(
        pack(*map_data([HeadOfRun(Run(seen=seen), layer + 1, head + 1)]))
    ).decode()
    script = read_files(HERE, ("../unpack.js", "rounding.js", "head.js"))
    page = browser.new_page()
    made = page.evaluate(
        f"""async (text) => {{
            {script}
            const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
            const {{ header, arrays }} = unpack(bytes);
            const {{ length }} = header;
            const Kind = header.panels[0].isGiven ? GivenHead : Head;
            const head = new Kind(header.panels[0], arrays, 0, length);
            const counted = Array.from({{ length: length * length }}, (_, at) => at);
            const cells = counted.map((at) => [Math.floor(at / length), at % length]);
            const all = (view) => !head.knows(view) ? null : cells.map(
              ([i, j]) => (head.isVisible(i, j) ? head[view](i, j) : null));
            return {{
              content: all("content"), position: all("position"), logit: all("logit"),
              weight: all("weight"), blind: cells.map(([i]) => head.seesNothing(i)),
            }};
        }}""",
        data,
    )
    page.close()
    return made


@pytest.mark.parametrize(
    ("kind", "by", "is_masked"),
    [
        (torch.float32, "distance", False),
        (torch.float32, None, False),
        (torch.float32, "distance", True),
        (torch.bfloat16, "key", False),
        (torch.float16, "key", True),
        (torch.float16, "distance", False),
    ],
)
def test_the_browser_makes_the_numbers_of_the_capture(browser, seen, kind, by, is_masked):
    layer = record(kind, by, is_masked=is_masked)
    tokens = tuple(seen.tokens[index % seen.length] for index in range(37))
    taken = replace(seen, layers=(layer,), tokens=tokens)
    ours = made_by_browser(browser, taken, 0, 1)
    theirs = taken.attention(0, 1)
    for name, expected in zip(
        QUANTITIES, (theirs.content, theirs.position, theirs.logits, theirs.weights), strict=True
    ):
        found = np.array(ours[name], np.float64).reshape(37, 37)
        assert (np.isnan(found) == ~theirs.visible).all()
        found, expected = found[theirs.visible], expected[theirs.visible]
        # Sums in another order may round a tie the other way, by one step of the type; rounding
        # at another place would move most numbers.
        np.testing.assert_allclose(found, expected, rtol=2 * torch.finfo(kind).eps, atol=2e-6)
        assert np.isclose(found, expected, rtol=1e-5, atol=2e-6).mean() > 0.99
    blind = np.array(ours["blind"]).reshape(37, 37)[:, 0]
    assert blind.tolist() == (~theirs.visible.any(1)).tolist()


def test_of_a_head_that_gives_its_weights_alone_the_browser_knows_just_these(browser, tmp_path):
    tiny_models.save_foreign(tmp_path / "model", "GPTNeo")
    seen = capture(load_model(tmp_path / "model"), LINE)
    ours = made_by_browser(browser, seen, 1, 2)
    assert [ours[name] for name in QUANTITIES[:3]] == [None] * 3
    theirs = seen.attention(1, 2)
    found = np.array(ours["weight"], np.float64).reshape(seen.length, seen.length)
    # Layer 2 looks back no further than 7 tokens.
    assert (np.isnan(found) == ~theirs.visible).all()
    assert theirs.visible.sum(1).max() == 7
    np.testing.assert_array_equal(found[theirs.visible], theirs.weights[theirs.visible])


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_precision_is_rounded_as_torch_rounds_it(browser, kind):
    ties = [1 + part * 2.0**-power for power in (8, 9, 11, 12) for part in (1, 3, 5, 7)]
    # Below 2^-14 float16 has steps of 2^-24; beyond 65,519 it has only infinity.
    small = [part * 2.0**-26 for part in (1, 2, 3, 5, 6, 7, 14, 1023)]
    values = [0.0, *ties, *small, 65504.0, 65519.0, 65520.0, 3.3e38, 0.1, 1e-30]
    values = torch.tensor([*values, *(-value for value in values)], dtype=torch.float32)
    page = browser.new_page()
    script = (HERE / "rounding.js").read_text()
    ours = page.evaluate(
        f"(values) => {{ {script}\nreturn values.map((value) => String(ROUND.{kind}(value))); }}",
        values.tolist(),
    )
    page.close()
    theirs = values.to(getattr(torch, kind)).double().tolist()
    assert [float(text.replace("Infinity", "inf")) for text in ours] == theirs
