"""Weights read from a model in one situation, for some queries and keys: what shapes are told from.

With all queries zero, content is zero, and weights come from position alone. For ALiBi ln p falls
by one slope with every token of distance; without any bias it is flat. The weights are read through
the values (see `Adapter.read_weights`), so that fused kernels that return none can be read as well.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.inspection.adapters.contract import Adapter, Reading, RunAsked
from alibi_viz.inspection.probe.shapes import Points
from alibi_viz.maths.arrays import Floats


@dataclass(frozen=True)
class Sheet:
    """What queries of a run give to keys."""

    asked: RunAsked
    """The run; queries are those of its last pass."""
    keys: NDArray[np.int64]
    """(key,) positions in the run, ascending."""
    queries: NDArray[np.int64]
    """(query,) positions in the run, ascending."""
    weights: Floats
    """(layer, row, head, query, key)."""
    dtype: torch.dtype
    """Number type of the model."""

    @property
    def shape(self) -> tuple[int, int]:
        """Layers and heads."""
        return self.weights.shape[0], self.weights.shape[2]

    def is_token(self, row: int) -> NDArray[np.bool_]:
        """Returns (key,) of True where a row has a token, False where it has padding."""
        return np.asarray(self._tokens[row, self.keys])

    @cached_property
    def _tokens(self) -> NDArray[np.bool_]:
        """(row, position) True where a row has a token."""
        return np.asarray(self.asked.is_token().numpy())

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return self.asked.starts

    def last_query(self, row: int) -> int:
        """Returns the index among `queries` of a row's last token."""
        end = self._starts[row] + len(self.asked.rows[row]) - 1
        return int(np.searchsorted(self.queries, end, side="right")) - 1

    def points(self, layer: int, row: int, head: int, query: int | None = None) -> Points:
        """Returns what one query of a head gives to the tokens before it.

        Args:
            layer: Counted from 0.
            row: Of the batch.
            head: Counted from 0.
            query: Index among `queries`; the row's last token if left out.
        """
        index = self.last_query(row) if query is None else query
        place, start = int(self.queries[index]), self._starts[row]
        chosen = np.flatnonzero(self.is_token(row) & (self.keys <= place))[::-1]
        weight = self.weights[layer, row, head, index, chosen]
        return Points(place - self.keys[chosen], weight, place - start, self.dtype)

    def future(self) -> Floats:
        """Returns (layer, head) the largest share of a query's attention on later tokens."""
        return self._largest(self.keys[None, :] > self.queries[:, None])

    def padding(self) -> Floats:
        """Returns (layer, head) the largest share that a token gives to padding before it."""
        is_token = self._tokens
        hidden = ~is_token[:, None, self.keys] & is_token[:, self.queries, None]
        return self._largest(hidden & (self.keys[None, :] <= self.queries[:, None]))

    def _largest(self, where: NDArray[np.bool_]) -> Floats:
        where = np.broadcast_to(where, (self.weights.shape[1], *where.shape[-2:]))
        is_token = self._tokens[:, self.queries, None]
        share = (self.weights * (where & is_token)[:, None]).sum(-1)
        return np.asarray(share.max((1, 3)))


def read_sheet(
    adapter: Adapter,
    asked: RunAsked,
    keys: NDArray[np.int64] | None = None,
    queries: NDArray[np.int64] | None = None,
) -> Sheet:
    """Returns what the last pass of a run gives to keys.

    Args:
        adapter: A loaded model.
        asked: The run.
        keys: (key,) positions in the run to read; all if left out.
        queries: (query,) positions in the run, of the last pass; all of it if left out.

    Raises:
        UnreadableModel: The model computes attention where it cannot be read.
    """
    start, end = asked.passes[-1]
    chosen = np.arange(asked.length) if keys is None else np.unique(keys)
    wanted = None if queries is None else torch.from_numpy(queries - start)
    parts: list[Tensor] = [
        adapter.read_weights(Reading(asked, some, wanted))
        for some in torch.split(torch.from_numpy(chosen), adapter.facts.d_head)
    ]
    weights = torch.cat(parts, dim=-1).double().cpu().numpy()
    rows = np.arange(start, end) if queries is None else queries
    return Sheet(asked, chosen, rows, weights, adapter.dtype)
