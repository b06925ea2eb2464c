import numpy as np
import pytest
import torch

from alibi_viz.data.prepared import load_validation
from alibi_viz.evaluation.front_door import _given, _model
from alibi_viz.evaluation.front_door_file import (
    FRONT_DOOR_FILE,
    LENGTHS,
    Ending,
    load_ending,
    save_ending,
)
from alibi_viz.evaluation.last_word import (
    METHODS_SHOWN,
    SCORED,
    last_attention,
    read_end,
    written_next,
)
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise


@pytest.fixture(scope="module", params=METHODS_SHOWN)
def model(request):
    made = Transformer(
        ModelConfig(request.param, n_layer=2, n_head=3, d_model=12, vocab_size=31, train_length=7)
    )
    initialise(made, 0)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(4)
    return made.eval()


def reference_attention(model, tokens):
    """The last row of every head's causal softmax, in float64, from the definition."""
    with torch.no_grad():
        x = model.embed(tokens)
        bias = model.bias_by_distance(tokens.shape[1])
        rows = []
        for block in model.blocks:
            q, k, _ = block.attention.project(block.attention_norm(x), model.position)
            for head in range(q.shape[1]):
                logits = k[0, head].double() @ q[0, head, -1].double() / q.shape[-1] ** 0.5
                if bias is not None:
                    logits = logits + bias[head].double()[torch.arange(len(logits)).flip(0)]
                rows.append(logits.softmax(0))
            x = block(x, model.position, model._attention_bias(tokens.shape[1]))
    return torch.stack(rows).mean(0)


def test_attention_and_logits_are_those_of_the_whole_model(model):
    tokens = torch.randint(0, 31, (1, 11), generator=torch.Generator().manual_seed(5))
    weights, logits = last_attention(model, tokens)
    torch.testing.assert_close(weights.double(), reference_attention(model, tokens))
    assert float(weights.sum()) == pytest.approx(1, abs=1e-6)
    with torch.no_grad():
        torch.testing.assert_close(logits, model(tokens)[0])


def test_what_is_written_is_the_likeliest_token_each_time(model):
    tokens = torch.randint(0, 31, (1, 5), generator=torch.Generator().manual_seed(3))
    expected, read = [], tokens
    with torch.no_grad():
        for _ in range(4):
            expected.append(int(model(read)[0, -1].argmax()))
            read = torch.cat([read, torch.tensor([[expected[-1]]])], dim=1)
    assert written_next(model, tokens, 4) == expected


def test_the_recorded_picture_is_recomputed_from_the_checkpoints():
    ending = load_ending()
    assert {look["method"] for look in ending.looks} == set(METHODS_SHOWN)
    assert ending.lengths == list(LENGTHS)
    for look in (one for one in ending.looks if one["length"] in (32, 256)):
        model = _model(look["method"], ending.text)
        made = read_end(model, _given(ending.text), look["length"], text=ending.text)
        assert made.words == tuple(look["words"])
        assert made.perplexity == pytest.approx(look["perplexity"], rel=1e-3)
        np.testing.assert_allclose(made.weights, look["weights"], atol=2e-4)
        assert made.earlier == pytest.approx(look["earlier"], abs=1e-3)
        assert made.continuation == look["continuation"]


def test_weights_of_words_and_of_the_text_before_make_one():
    for look in load_ending().looks:
        assert sum(look["weights"]) + look["earlier"] == pytest.approx(1, abs=1e-3)
        assert look["beyond"] <= look["earlier"] + 1e-3
        # Within the training length nothing is farther away than in training.
        assert look["length"] > 128 or look["beyond"] == 0


def test_words_are_whole_and_the_last_one_is_the_texts():
    model = _model("alibi", "code")
    tokens = load_validation("code").tokens
    look = read_end(model, tokens[:20_000], 64, text="code", write=1)
    assert look.words[-3:] == (" status", " is", " not")
    # An identifier that is cut into tokens is one word.
    look = read_end(model, tokens[:90_000], 64, text="code", write=1)
    assert "AsyncGeneratorType" in look.words


@pytest.mark.parametrize("length", [SCORED, 0, 41])
def test_a_length_that_cannot_be_read_is_refused(length):
    tokens = load_validation("code").tokens
    with pytest.raises(ValueError, match=f"length must be from 16 to 40, got {length}"):
        read_end(_model("nope", "code"), tokens[:40], length, text="code")


def test_a_file_of_another_kind_is_named(tmp_path):
    path = tmp_path / "door.json"
    save_ending(Ending("code", 128, ()), "python -m alibi_viz front-door", path)
    assert load_ending(path) == Ending("code", 128, ())
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 9'))
    with pytest.raises(ValueError, match=r"door\.json has schema 9, not 1"):
        load_ending(path)
    path.write_text("{}")
    with pytest.raises(ValueError, match=r"door\.json holds no recorded ending"):
        load_ending(path)
    assert FRONT_DOOR_FILE.is_file()
