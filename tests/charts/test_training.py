from alibi_viz.charts.training import TrainingChart


def said(*validation):
    return TrainingChart(validation=validation, tokens=1_000_000).sentence()


def test_before_the_first_validation_the_sentence_names_the_even_guess():
    assert "6.93 nats, where all 1,024 tokens are equally likely" in said()


def test_the_sentence_turns_the_loss_into_a_number_of_tokens():
    # exp(3) = 20.09
    text = said((500_000, 3.0))
    assert text.startswith("on text that it is not trained on, its loss is 3.00 nats per token")
    assert "a perplexity of 20.1: it is as unsure as among 20 equally likely tokens" in text


def test_a_finished_run_is_told_by_its_last_quarter():
    text = said((500_000, 3.5), (750_000, 3.25), (800_000, 3.1), (1_000_000, 3.0))
    assert "it fell by 0.25 nats" in text
    assert "last quarter" not in said((750_000, 3.25), (900_000, 3.0))
