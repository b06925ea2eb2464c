"""Windows of tokens to train on: batch number t of a seed is the same for every position method."""

import numpy as np
from numpy.typing import NDArray

from alibi_viz.data.tokenizer import Tokens


def training_batch(
    tokens: Tokens, *, seed: int, step: int, batch_size: int, length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the inputs and targets of one step: random windows, and the same one token later.

    A batch depends on its arguments only: a run that resumes at a step goes on as if unbroken.

    Args:
        tokens: (corpus,) token ids.
        seed: Of the run.
        step: Number of the batch, from 0.
        batch_size: Windows in the batch.
        length: Tokens in a window.

    Returns:
        Inputs and targets, each (batch, length).

    Raises:
        ValueError: Fewer tokens than one window and its last target.
    """
    if len(tokens) < length + 1:
        raise ValueError(
            f"a window of {length} tokens needs {length + 1}, the corpus has {len(tokens)}"
        )
    starts = np.random.default_rng([seed, step]).integers(0, len(tokens) - length, batch_size)
    windows = tokens[starts[:, None] + np.arange(length + 1)].astype(np.int64)
    return windows[:, :-1], windows[:, 1:]
