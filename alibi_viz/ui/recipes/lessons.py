"""Programs for the figures that lessons alone have."""

from alibi_viz.ui.recipes import script


def words_code(method: str, order: str) -> str:
    """Returns a program for one word's attention over a sentence.

    Args:
        method: Key of the position method.
        order: Name of the sentence.
    """
    body = f"""\
attention = word_attention({method!r}, {order!r})
weights = attention.attn_weights[-1]  # of the last word, over all words
figure = words_figure(attention.words, weights, method={method!r}, marked="the")
figure.show()"""
    return script(
        {
            "alibi_viz.figures.words": "words_figure",
            "alibi_viz.lessons.sentence": "word_attention",
        },
        body,
    )


def phases_code(method: str, train_length: int) -> str:
    """Returns a program for the turns of channel pairs.

    Args:
        method: Key of the position method.
        train_length: Tokens of a text in training.
    """
    body = f"""\
turns = turns_within({method!r}, {train_length})  # (pair,), the fastest first
figure = phases_figure(turns, method={method!r}, train_length={train_length})
figure.show()"""
    return script(
        {
            "alibi_viz.figures.phases": "phases_figure",
            "alibi_viz.lessons.phases": "turns_within",
        },
        body,
    )
