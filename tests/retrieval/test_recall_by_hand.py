"""The committed recall models, read by loops and numpy in float64, written without our model."""

import json
import math

import numpy as np
import pytest
from safetensors.numpy import load_file

from alibi_viz.evaluation.store import load_records
from alibi_viz.paths import RECALL_MODELS
from alibi_viz.retrieval.needles import needle_windows
from alibi_viz.retrieval.records import RecallRecord

HEADS, CHANNELS, TRAINED = 8, 8, 128
WINDOWS = 6

erf = np.vectorize(math.erf, otypes=[float])


def normalised(x, gain):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain


def frequencies(way, times):
    """Radians per token of each pair, and what logits are multiplied by."""
    k = np.arange(CHANNELS // 2)
    own = 10_000.0 ** (-2 * k / CHANNELS)
    if way == "pi":
        return own / times, 1.0
    if way == "ntk":
        base = 10_000 * times ** (CHANNELS / (CHANNELS - 2))
        return base ** (-2 * k / CHANNELS), 1.0
    if way == "yarn":
        turns = TRAINED * own / (2 * math.pi)
        kept = np.clip((turns - 1) / (32 - 1), 0, 1)
        return own * (kept + (1 - kept) / times), (0.1 * math.log(times) + 1) ** 2
    return own, 1.0


def rotated(x, angles):
    """Turns neighbouring channels: (token, head, channel) by (token, pair)."""
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    turned = np.empty_like(x)
    turned[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    turned[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return turned


def slopes_of(model, way, times):
    if model["position"] != "alibi":
        return np.zeros(HEADS)
    biased = HEADS - model["free_heads"]
    steps = model["max_exponent"] / biased
    slopes = np.array(
        [2.0 ** (-steps * h) for h in range(1, biased + 1)] + [0.0] * (HEADS - biased)
    )
    if way == "slopes-pi":
        return slopes / times
    return slopes / times ** (np.arange(HEADS) / (HEADS - 1)) if way == "slopes-ntk" else slopes


def answers(weights, model, way, tokens, places):
    """What the model predicts after each question of one window."""
    length = len(tokens)
    times = max(1.0, length / TRAINED)
    x = weights["embedding.weight"][tokens]
    block = {k.removeprefix("blocks.0."): v for k, v in weights.items()}
    read = (
        normalised(x, block["attention_norm.weight"]) @ block["attention.query_key_value.weight"].T
    )
    q, k, v = np.moveaxis(read.reshape(length, 3, HEADS, CHANNELS), 1, 0)
    factor = math.log(length) / math.log(TRAINED) if way == "log-length" else 1.0
    if model["position"] == "rope":
        own, factor = frequencies(way, times)
        angles = np.arange(length)[:, None] * own
        q, k = rotated(q, angles), rotated(k, angles)
    slopes = slopes_of(model, way, times)
    found = []
    for place in places:
        back = place - np.arange(place + 1)
        logits = factor * np.einsum("hd,thd->ht", q[place], k[: place + 1]) / math.sqrt(CHANNELS)
        shares = np.exp(logits - slopes[:, None] * back)
        shares /= shares.sum(1, keepdims=True)
        mixed = np.einsum("ht,thd->hd", shares, v[: place + 1]).ravel()
        y = x[place] + block["attention.output.weight"] @ mixed
        hidden = block["mlp.hidden.weight"] @ normalised(y, block["mlp_norm.weight"])
        y = y + block["mlp.output.weight"] @ (hidden * (1 + erf(hidden / math.sqrt(2))) / 2)
        found.append(
            (weights["embedding.weight"] @ normalised(y, block["final_norm.weight"])).argmax()
        )
    return np.array(found)


@pytest.mark.parametrize(
    ("variant", "way", "length"),
    [
        ("alibi", "as-trained", 512),
        ("alibi", "slopes-pi", 512),
        ("alibi", "slopes-ntk", 1024),
        ("alibi", "log-length", 512),
        ("alibi-free4", "as-trained", 1024),
        ("nope", "as-trained", 2048),
        ("rope", "as-trained", 512),
        ("rope", "pi", 1024),
        ("rope", "ntk", 512),
        ("rope", "yarn", 1024),
    ],
)
def test_a_recorded_model_answers_as_recorded(variant, way, length):
    folder = RECALL_MODELS / f"{variant}-s0"
    stored = load_file(folder / "model.safetensors")
    weights = {name: value.astype(np.float64) for name, value in stored.items()}
    model = json.loads((folder / "config.json").read_text())["model"]
    (record,) = (
        record
        for record in load_records(RecallRecord)
        if (record.variant, record.stretching, record.seed, record.eval_length)
        == (variant, way, 0, length)
    )
    windows = needle_windows(length, count=len(record.right)).part(0, WINDOWS)
    right = [
        int((answers(weights, model, way, tokens, places) == wanted).sum())
        for tokens, places, wanted in zip(
            windows.tokens, windows.places, windows.answers, strict=True
        )
    ]
    # Float32 could tip a question whose two best answers are equally likely: none is.
    assert tuple(right) == record.right[:WINDOWS]
