"""Copying over distance: what a text that stood before is worth to a language model.

    8 tokens of text | snippet, 24 tokens | filler | the snippet again

The gain is the loss on the second copy's tokens 5 to 24 with another snippet in the first place,
minus the loss with the same snippet there, in nats per token: the same filler and the same targets,
so that everything else cancels. The first four tokens of the copy are the cue. A gain off a base
that is itself broken says little: both losses are kept.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from alibi_viz.data.tokenizer import Tokens
from alibi_viz.maths.arrays import Floats
from alibi_viz.model.loss import token_nll
from alibi_viz.model.transformer import Transformer

SnippetKind = Literal["real", "random"]
SNIPPET_KINDS: tuple[SnippetKind, ...] = get_args(SnippetKind)

LEAD = 8
"""Tokens of text before the first snippet."""
SNIPPET = 24
"""Tokens in a snippet."""
CUE = 4
"""Tokens of the second copy that are not scored."""
# Filler is taken from the validation text up to here, snippets from what follows: no snippet
# stands in any filler by itself.
SNIPPETS_FROM = 180_000
BATCH_TOKENS = 16_384
"""Tokens computed at a time; does not change the result beyond rounding."""


@dataclass(frozen=True)
class CopyTrials:
    """Windows in pairs that differ only in what stands in the first place."""

    same: NDArray[np.int64]
    """(trial, token) windows in which the snippet stands in both places."""
    other: NDArray[np.int64]
    """(trial, token) windows with another snippet in the first place."""


@dataclass(frozen=True)
class CopyLosses:
    """Mean losses over the scored tokens of the second copy, in nats per token."""

    same: Floats
    """(trial,) with the snippet in both places."""
    other: Floats
    """(trial,) with another snippet in the first place."""

    @property
    def gain(self) -> Floats:
        """(trial,) what the first copy is worth, in nats per token."""
        return self.other - self.same


def copy_trials(
    tokens: Tokens, distance: int, *, kind: SnippetKind, count: int, vocab_size: int
) -> CopyTrials:
    """Returns the trials of one distance; shorter filler is the end of longer filler.

    Args:
        tokens: (token,) ids of the validation text.
        distance: From a token of the second copy back to the same one of the first, in tokens.
        kind: "real" for snippets of text, "random" for tokens drawn evenly from the vocabulary.
        count: Trials.
        vocab_size: Tokens in the vocabulary.

    Raises:
        ValueError: A distance below a snippet, or a text too short for it.
    """
    filler = distance - SNIPPET
    if filler < 0 or LEAD + filler > SNIPPETS_FROM:
        raise ValueError(f"distance must be from {SNIPPET} to {SNIPPETS_FROM}, got {distance}")
    if len(tokens) < SNIPPETS_FROM + 2 * SNIPPET:
        raise ValueError(f"copying needs {SNIPPETS_FROM} tokens and more, got {len(tokens)}")
    rows = []
    for trial in range(count):
        # A trial's snippets and the end of its filler depend on its number only.
        rng = np.random.default_rng([trial, SNIPPET_KINDS.index(kind)])
        end = int(rng.integers(SNIPPETS_FROM // 2, SNIPPETS_FROM))
        if kind == "real":
            starts = rng.integers(SNIPPETS_FROM, len(tokens) - SNIPPET, 2)
            first, second = (tokens[start : start + SNIPPET] for start in starts)
        else:
            first, second = rng.integers(0, vocab_size, (2, SNIPPET))
        lead = tokens[end - filler - LEAD : end - filler]
        text = tokens[end - filler : end]
        rows.append([np.concatenate([lead, head, text, first]) for head in (first, second)])
    same, other = np.swapaxes(np.array(rows, np.int64), 0, 1)
    return CopyTrials(same, other)


@torch.inference_mode()
def copy_losses(model: Transformer, trials: CopyTrials) -> CopyLosses:
    """Returns the losses on the second copies.

    Args:
        model: A language model, stretched or not.
        trials: As `copy_trials` makes them.
    """
    return CopyLosses(_losses(model, trials.same), _losses(model, trials.other))


def _losses(model: Transformer, windows: NDArray[np.int64]) -> Floats:
    device = model.embedding.weight.device
    at_once = max(1, BATCH_TOKENS // windows.shape[1])
    means = []
    for start in range(0, len(windows), at_once):
        rows = torch.from_numpy(windows[start : start + at_once]).to(device)
        nll = token_nll(model, rows[:, :-1], rows[:, CUE - SNIPPET :])
        means.append(nll.double().mean(dim=1).cpu())
    losses: Floats = torch.cat(means).numpy()
    return losses
