"""Made-up results and descriptions of checkpoints for tests, in the shape of the real ones."""

import json

import numpy as np

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import add_records
from alibi_viz.evaluation.stretch import SAMPLE_TOKENS, named_stretch
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.retrieval.records import StretchedRecord
from tests.made_up_records import encoded, made_up

# Perplexities of seed 0; seed 1 is 2 % above.
NONOVERLAPPING = {
    "alibi": {64: 14.1, 128: 13.3, 256: 12.8, 512: 12.4, 2048: 12.25, 4096: 12.2},
    "sinusoidal": {64: 15.6, 128: 14.9, 256: 31.0, 512: 66.2, 2048: 110.0, 4096: 129.9},
    "learned": {64: 15.9, 128: 15.2},
    "rope": {64: 14.4, 128: 13.6, 256: 21.0, 512: 58.9, 2048: 140.0, 4096: 189.6},
    "t5": {64: 13.4, 128: 12.6, 256: 12.0, 512: 11.7, 2048: 12.6, 4096: 13.8},
    "nope": {64: 15.1, 128: 14.2, 256: 15.8, 512: 24.0, 2048: 77.0, 4096: 121.0},
}
SLIDING = {"alibi": {128: 12.3, 256: 12.25, 512: 12.2, 2048: 12.25}}


def records(*, seeds=2, sliding=True):
    made = [
        made_up(method, length, value * (1 + 0.02 * seed), seed=seed)
        for method, points in NONOVERLAPPING.items()
        for length, value in points.items()
        for seed in range(seeds)
    ]
    if sliding:
        made += [
            made_up(method, length, value, stride=32)
            for method, points in SLIDING.items()
            for length, value in points.items()
        ]
    return made


# Perplexities of seed 0 by stretching and tuned length; seed 1 is 2 % above.
STRETCHED = {
    ("alibi", "as-trained", 0): {128: 14.0, 512: 12.7, 2048: 12.1},
    ("alibi", "slopes-pi", 0): {512: 26.9, 2048: 73.3},
    ("rope", "as-trained", 0): {128: 13.7, 512: 39.2, 2048: 99.6},
    ("rope", "yarn-coded", 0): {512: 13.9, 2048: 33.0},
    ("rope", "as-trained", 512): {128: 14.2, 512: 13.0, 2048: 24.0},
    ("rope", "yarn-coded@4", 512): {128: 14.1, 512: 11.8, 2048: 50.0},
}


def write_stretched(path, *, seeds=2, more=None):
    """Adds made-up records of stretched models, on the targets that charts take."""
    sample = named_stretch(FIRST_TEXT, SAMPLE_TOKENS)
    made = []
    for (method, stretching, tuned_length), points in (more or STRETCHED).items():
        for length, value in points.items():
            for seed in range(seeds):
                perplexity = value * (1 + 0.02 * seed)
                # Blocks differ in the same way for every model.
                harder = np.linspace(-0.1, 0.1, len(sample.blocks))
                harder -= np.average(harder, weights=sample.block_tokens)
                losses = np.log(perplexity) + harder
                row = made_up(method, length, perplexity, seed=seed)
                row |= {"targets": sample.fingerprint, "blocks": encoded(losses)}
                row |= {"stretching": stretching, "tuned_length": tuned_length}
                made.append(StretchedRecord(**row))
    add_records(made, path)


def write_results(path, made):
    path.write_text(json.dumps({"schema": Record.schema, "records": made}))
    return path


def write_checkpoint(folder, method, *, seed=0, train_length=128, final=2.6):
    path = folder / f"{method}-L{train_length}-s{seed}"
    path.mkdir(parents=True)
    about = {
        "schema": 1,
        "model": {"position": method, "train_length": train_length},
        "training": {"learning_rate": 0.002, "position_learning_rate_factor": 1.0},
        "seed": seed,
        "tokens": 8_192_000,
        "seconds": 754.3,
        "parameters": 921_000,
        "final_validation_loss": final,
        "command": f"python -m alibi_viz train --position {method}",
    }
    (path / "config.json").write_text(json.dumps(about))
    steps = [(512_000 * step, final + 1.5 * (1 - step / 16) ** 2) for step in range(1, 17)]
    (path / "curve.json").write_text(json.dumps({"train": steps, "validation": steps}))
    return path
