import numpy as np
import pytest
import torch

from alibi_viz.files import lock
from alibi_viz.maths.needle import gap_for_weight
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.stretched import stretched
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions.stretch import parse_stretching
from alibi_viz.retrieval.heads import (
    content_gaps,
    content_logits,
    has_content_table,
    look_back,
    needle_attention_by_depth,
    predicted_attention,
)
from alibi_viz.retrieval.needles import (
    FIRST_ANSWER,
    FIRST_NEEDLE,
    FIRST_QUESTION,
    N_DEPTH,
    N_FILLER,
    N_NUMBER,
    asked_window,
    depth_of,
    needle_windows,
    training_windows,
)
from alibi_viz.retrieval.plan import RECALL_VARIANTS, recall_variant, stretchings_of
from alibi_viz.retrieval.recall import question_attention, question_logits, right_answers
from alibi_viz.retrieval.recall_training import recall_config, recall_recipe, train_recall

WINDOWS = needle_windows(211, count=5)


def untrained(variant):
    chosen = RECALL_VARIANTS[variant]
    model = Transformer(recall_config(chosen.method, **chosen.settings))
    initialise(model, 3)
    with torch.no_grad():
        model.blocks[0].attention.query_key_value.weight.mul_(30)
    return model.eval()


@pytest.mark.parametrize("variant", RECALL_VARIANTS)
@pytest.mark.parametrize("windows", [WINDOWS, training_windows(0, 1, count=3)])
@torch.no_grad()
def test_logits_at_the_questions_are_those_of_the_model_itself(variant, windows):
    model = untrained(variant)
    rows = np.arange(len(windows.tokens))[:, None]
    whole = model(torch.from_numpy(windows.tokens))[rows, windows.places]
    torch.testing.assert_close(question_logits(model, windows), whole, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["slopes-pi", "log-length"])
@torch.no_grad()
def test_a_stretched_model_is_asked_in_the_same_way(name):
    model = stretched(untrained("alibi"), parse_stretching(name))
    whole = model(torch.from_numpy(WINDOWS.tokens))[:, -16:]
    torch.testing.assert_close(question_logits(model, WINDOWS), whole, rtol=1e-4, atol=1e-5)


def test_a_model_that_always_gives_one_answer_is_right_where_that_is_the_answer():
    model = untrained("nope")
    with torch.no_grad():
        model.final_norm.weight.zero_()
    assert not right_answers(model, WINDOWS).any()  # all logits 0: the first token, a filler
    with torch.no_grad():
        model.blocks[0].mlp.output.weight.zero_()
        model.blocks[0].attention.output.weight.zero_()
        model.final_norm.weight.fill_(1)
        # Whatever the question, its own embedding points at the answer "3".
        model.embedding.weight[FIRST_QUESTION:FIRST_ANSWER] = 1 + torch.arange(64.0)
        model.embedding.weight[FIRST_ANSWER + 2] = 100 * (torch.arange(64.0) - 31.5)
    right = right_answers(model, WINDOWS)
    assert np.array_equal(right, WINDOWS.answers == FIRST_ANSWER + 2)
    assert right.any()


@pytest.mark.parametrize("variant", [v for v in RECALL_VARIANTS if has_content_table(untrained(v))])
def test_attention_predicted_from_tables_is_the_attention_captured(variant):
    model = untrained(variant)
    captured = question_attention(model, WINDOWS)[:, :, -1]
    for tokens, weights in zip(WINDOWS.tokens, captured, strict=True):
        np.testing.assert_allclose(predicted_attention(model, tokens), weights, atol=1e-5)
        assert weights.max() > 0.05


def test_the_gap_is_what_the_asked_needle_has_above_filler():
    model = untrained("alibi")
    table = content_logits(model).double().numpy()
    gaps = []
    for head in table:
        per_question = []
        for colour in range(4):
            first = FIRST_NEEDLE + colour * N_NUMBER
            asked = sum(head[colour, first : first + N_NUMBER]) / N_NUMBER
            per_question.append(asked - np.log(np.mean(np.exp(head[colour, :N_FILLER]))))
        gaps.append(sum(per_question) / 4)
    np.testing.assert_allclose(content_gaps(model), gaps, rtol=1e-6)


def test_a_look_back_tells_price_content_and_what_would_be_needed():
    model = untrained("alibi")
    window = asked_window(1, 3, distance=40, length=128)
    found = look_back(model, window)
    slopes = 2.0 ** -np.arange(1, 9)
    np.testing.assert_allclose(found.prices, 40 * slopes)
    needed = [gap_for_weight(0.5, slope, 40, 128) for slope in slopes]
    np.testing.assert_allclose(found.needed, needed, rtol=1e-6)
    table = content_logits(model).double().numpy()[:, 1]
    filler = np.log(np.exp(table[:, :N_FILLER]).mean(-1))
    np.testing.assert_allclose(found.content, table[:, FIRST_NEEDLE + 8 + 3] - filler, rtol=1e-9)
    np.testing.assert_allclose(found.weights.sum(-1), 1, rtol=1e-5)
    assert found.answers.shape == (N_NUMBER,)
    assert 0 < found.answers.sum() < 1


def test_a_look_back_without_a_bias_costs_nothing_and_needs_the_logarithm_of_the_rest():
    found = look_back(untrained("nope"), asked_window(0, 0, distance=7, length=131))
    np.testing.assert_allclose(found.needed, np.log(130))
    assert not found.prices.any()
    assert look_back(untrained("rope"), asked_window(0, 0, distance=7, length=131)).prices is None


def test_attention_on_needles_by_depth_is_a_mean_over_the_questions_of_that_depth():
    model, windows = untrained("alibi"), needle_windows(128, count=23)
    weights = question_attention(model, windows)
    found = [[[] for _ in range(N_DEPTH)] for _ in range(8)]
    for row in range(23):
        for question in range(16):
            distance = windows.distances[row, question]
            place = windows.places[row, question] - distance
            for head in range(8):
                found[head][depth_of(distance, 128)].append(weights[row, head, question, place])
    expected = [[np.mean(depth) for depth in head] for head in found]
    np.testing.assert_allclose(needle_attention_by_depth(model, windows), expected, rtol=1e-5)


def test_content_has_no_table_where_position_is_in_it():
    with pytest.raises(ValueError, match="rope puts position into the content of a logit"):
        content_logits(untrained("rope"))


def test_a_model_of_two_layers_is_no_recall_model():
    config = ModelConfig("nope", n_layer=2, n_head=2, d_model=8, vocab_size=76)
    with pytest.raises(ValueError, match="a recall model has one layer, this one has 2"):
        question_logits(Transformer(config), WINDOWS)


def test_training_starts_from_matrices_four_times_as_large_and_is_the_same_every_time():
    recipe = recall_recipe(recall_config("alibi"), 0, steps=2)
    runs = [train_recall(recipe) for _ in range(2)]
    assert runs[0].progress.train_curve == runs[1].progress.train_curve
    assert [step for step, _ in runs[0].progress.train_curve] == [2]
    first, second = (run.model.embedding.weight for run in runs)
    assert torch.equal(first, second)
    assert first.std().item() == pytest.approx(0.08, rel=0.05)


def test_a_run_that_was_stopped_goes_on_to_the_same_model(tmp_path):
    recipe = recall_recipe(recall_config("alibi", learned_slopes=True), 3, steps=5)
    whole = train_recall(recipe)
    stops = iter([False, True])
    stopped = train_recall(recipe, tmp_path, should_stop=lambda: next(stops))
    assert (stopped.progress.step, stopped.is_finished) == (2, False)
    reports = []
    resumed = train_recall(recipe, tmp_path, on_report=reports.append)
    assert resumed.is_finished
    assert resumed.progress.train_curve == whole.progress.train_curve
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(resumed.model.state_dict()[name], weight), name
    (report,) = reports
    assert (report.step, report.steps, report.tokens) == (5, 5, 5 * 32 * 128)
    assert report.loss == pytest.approx(sum(whole.progress.train_curve[0][1:]))


def test_a_run_of_another_recipe_is_not_gone_on_with(tmp_path):
    train_recall(recall_recipe(recall_config("alibi"), 0, steps=1), tmp_path)
    with pytest.raises(ValueError, match="another recipe"):
        train_recall(recall_recipe(recall_config("alibi"), 1, steps=1), tmp_path)


def test_two_processes_do_not_train_in_one_folder(tmp_path):
    recipe = recall_recipe(recall_config("alibi"), 0, steps=1)
    with lock(tmp_path / ".lock"), pytest.raises(ValueError, match="another process is training"):
        train_recall(recipe, tmp_path)


@pytest.mark.slow
def test_nope_learns_the_task_and_recalls_at_eight_times_the_length():
    model = train_recall(recall_recipe(recall_config("nope"), 0)).model
    assert right_answers(model, needle_windows(128)).all()
    assert right_answers(model, needle_windows(1024)).mean() > 0.95


def test_every_stretching_of_the_plan_fits_its_method():
    for variant in RECALL_VARIANTS.values():
        for name in stretchings_of(variant.method):
            stretching = parse_stretching(name)
            stretching.check(variant.method)
            assert stretching.name == name


def test_a_variant_of_ones_own_is_the_measured_one_where_there_is_one():
    assert recall_variant("alibi", max_exponent=16) is RECALL_VARIANTS["alibi-e16"]
    assert recall_variant("alibi", free_heads=4) is RECALL_VARIANTS["alibi-free4"]
    assert recall_variant("sinusoidal") is RECALL_VARIANTS["sinusoidal"]
    own = recall_variant("alibi", max_exponent=9.5, free_heads=1)
    assert (own.key, own.label) == ("alibi-e9.5-free1", "ALiBi, exponent 9.5, 1 head free")
    assert own.settings == {"max_exponent": 9.5, "free_heads": 1}
    with pytest.raises(ValueError, match="no recall model has the position method 'learned'"):
        recall_variant("learned")
