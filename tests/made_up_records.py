"""Records that were never measured, as their files hold them."""

import base64
import math
from types import SimpleNamespace

import numpy as np

from alibi_viz.evaluation.by_position import bands_up_to
from alibi_viz.retrieval.records import CopyRecord, RecallRecord

CORPUS = "python-stdlib 3.11.14 sha256:" + "95be" * 16


def made_up(method, eval_length, perplexity, *, seed=0, stride=None, **changes):
    """A row of `Record`: with a stride of a sliding window on a sample, else of all targets."""
    nll = math.log(perplexity)
    train_length = changes.get("train_length", 128)
    return {
        "method": method,
        "variant": "",
        "seed": seed,
        "train_length": train_length,
        "text": "code",
        "sample": 8192 if stride else None,
        "eval_length": eval_length,
        "protocol": "sliding_window" if stride else "nonoverlapping",
        "stride": stride,
        "tokens_scored": 8192 if stride else 32768,
        "nll": nll,
        "perplexity": perplexity,
        "bits_per_byte": nll / (math.log(2) * 2.9),
        "blocks": encoded([nll] * 4),
        "bands": [],
        "checkpoint": f"assets/checkpoints/{method}-L{train_length}-s{seed}",
        "corpus": CORPUS,
        "targets": "sample" if stride else "all",
        "command": "python -m alibi_viz evaluate",
    } | changes


def encoded(losses):
    """Losses of blocks as a record holds them."""
    return base64.b64encode(np.asarray(losses, "<f4").tobytes()).decode()


def made_up_stretch(text, sample=None):
    """What those records scored: four blocks of two files, in the place of `named_stretch`."""
    return SimpleNamespace(
        fingerprint="all" if sample is None else "sample",
        blocks=np.arange(4),
        block_tokens=np.full(4, 512),
        file_of=np.array([0, 0, 1, 1]),
    )


def by_context(eval_length, nll):
    """Bands of a record: nine targets each, with the loss that `nll(last)` gives."""
    return [[first, last, 9, nll(last)] for first, last in bands_up_to(eval_length)]


def recalled(variant, seed, length, right, stretching="as-trained"):
    """Answers in eight windows of 16 questions, `right` of them right give or take one in all."""
    swing = np.array([1, -1, 0, 0, 1, -1, 0, 0])
    of_windows = tuple((right + np.roll(swing, seed)).clip(0, 16).tolist())
    depths = tuple([right] * 8)
    return RecallRecord(
        variant, seed, stretching, length, 16, of_windows, depths, (16,) * 8, "typed"
    )


def copied(name, seed, distance, gain, kind="real", *, stretching="as-trained", loss=3.0):
    """Losses of eight pairs of copies, whose gains are `gain` on average."""
    swing = 0.05 * np.array([1, -1, 2, -2, 0, 0, 1, -1])
    same = loss - gain + swing
    return CopyRecord(
        checkpoint=f"assets/checkpoints/{name}-s{seed}",
        method=name.split("-")[0],
        seed=seed,
        train_length=128,
        stretching=stretching,
        tuned_length=0,
        text="code",
        corpus=CORPUS,
        command="typed",
        kind=kind,
        distance=distance,
        same=tuple(same.tolist()),
        other=(loss,) * 8,
    )
