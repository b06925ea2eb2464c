"""What docs/findings.md says in numbers is what the committed records say."""

import math

import numpy as np
from safetensors.numpy import load_file

from alibi_viz.charts.measured.tables import MARK, measured_part
from alibi_viz.paths import CHECKPOINTS, PROJECT
from alibi_viz.positions.sinusoidal import EMBEDDING_STD

FINDINGS = (PROJECT / "docs" / "findings.md").read_text(encoding="utf-8")


def test_everything_below_the_mark_is_what_the_records_say():
    _, found, below = FINDINGS.partition(MARK)
    assert found
    assert below.strip() == measured_part().strip(), "python -m alibi_viz tables --into ..."


def test_token_embeddings_outgrow_sinusoids_as_the_page_says():
    # Sines and cosines have a root mean square of 1 / sqrt(2), times the amplitude.
    sinusoids = EMBEDDING_STD / math.sqrt(2)
    for folder in CHECKPOINTS.glob("sinusoidal-L128-s*"):
        embedding = load_file(folder / "model.safetensors")["embedding.weight"]
        ratio = float(np.sqrt(np.square(embedding.astype(np.float64)).mean())) / sinusoids
        assert 9 < ratio < 10
    assert "more than nine times the size of the sinusoids" in FINDINGS.replace("\n  ", " ")
