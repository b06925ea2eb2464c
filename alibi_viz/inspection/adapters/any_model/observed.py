"""Causal models of `transformers` that compute attention by themselves, by watching torch do it.

Whatever a class is called and however its modules are, eager attention is a softmax over (query,
key) of what a product of queries and keys goes into. Both are seen as torch computes them: the
softmax gives the weights, and with the product at zero the weights come from position alone. What
queries and keys are to each other besides (rotations, scales, biases) is not known, so nothing is
split.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from alibi_viz.inspection.adapters.any_model.generic import Call, GenericAdapter
from alibi_viz.inspection.adapters.contract import AttentionPath, Reading
from alibi_viz.inspection.adapters.hugging_face import Enough
from alibi_viz.inspection.errors import UnreadableModel

# Place of the queries among the arguments of each function that multiplies matrices.
PRODUCTS = {"matmul": 0, "__matmul__": 0, "bmm": 0, "baddbmm": 1, "einsum": 1}


class AttentionMode(TorchFunctionMode):
    """Sees every softmax over (..., query, key) that torch computes while it is active."""

    def __init__(
        self, n_query: int, n_key: int, see: Callable[[Tensor], None], *, content: bool = True
    ) -> None:
        """Takes what to look for.

        Args:
            n_query: Rows of the matrices.
            n_key: Their columns.
            see: Called with the (head, query, key) weights of each layer.
            content: Whether queries act; if not, products with them are made zero.
        """
        super().__init__()
        self.shape = (n_query, n_key)
        self.see = see
        self.content = content
        self.products = 0
        """Products that were made zero."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = getattr(func, "__name__", ""), dict(kwargs or {})
        if name == "baddbmm" and "batch1" in kwargs:
            args = (*args, kwargs.pop("batch1"), kwargs.pop("batch2"))
        result = func(*args, **kwargs)
        if name in PRODUCTS and not self.content and self._is_content(name, args, result):
            self.products += 1
            return func(*_without(args, PRODUCTS[name]), **kwargs)
        if name == "softmax" and result.ndim > 2 and result.shape[-2:] == self.shape:
            self.see(result.detach().reshape(-1, *self.shape).float())
        return result

    def _is_content(self, name: str, args: Any, result: Tensor) -> bool:
        """Returns whether queries times keys were computed; values have a key for each channel."""
        queries = args[PRODUCTS[name]]
        is_product = isinstance(queries, Tensor) and queries.ndim > 2 and result.ndim > 2
        return is_product and result.shape[-2:] == self.shape and queries.shape[-1] != self.shape[1]


def _without(args: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*args[:place], args[place] * 0, *args[place + 1 :])


class ObservedAdapter(GenericAdapter):
    """A model that computes attention in a way of its own."""

    @property
    def paths(self) -> tuple[AttentionPath, ...]:  # type: ignore[override]
        """Only the eager one shows what it does."""
        return (AttentionPath("eager", False), AttentionPath("eager", True))

    @contextmanager
    def calls(self, ids: Tensor) -> Iterator[list[Call | int]]:
        """Notes every softmax over queries and keys while the block runs."""
        events: list[Call | int] = []

        def note(weights: Tensor) -> None:
            events.append(Call(len(weights), weights.shape[-1], self.facts.d_head))

        with self.implementation("eager"), AttentionMode(len(ids), len(ids), note):
            yield events

    @contextmanager
    def weights_of(self, layers: range, length: int, *, ends: bool) -> Iterator[list[Tensor]]:
        """Collects the results of the softmax."""
        seen: list[Tensor] = []
        count = 0

        def keep(weights: Tensor) -> None:
            nonlocal count
            if count in layers:
                seen.append(weights)
            count += 1
            if ends and count == layers.stop:
                raise Enough

        with self.implementation("eager"), AttentionMode(length, length, keep):
            yield seen

    def why_not_split(self) -> str | None:
        """Returns that queries and keys are not known."""
        return (
            f"Only the weights can be shown, not logits in parts: {type(self.model).__name__} "
            "computes attention by itself, not through the library's interface, which would give "
            "its queries and keys."
        )

    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that the softmax gives when all queries are zero."""
        asked, n_layer = reading.asked, self.facts.n_layer
        rows: list[Tensor] = []

        def keep(weights: Tensor) -> None:
            by_row = weights.reshape(len(asked.rows), -1, *weights.shape[1:])[..., reading.keys]
            rows.append(by_row if reading.queries is None else by_row[:, :, reading.queries])

        start, end = asked.passes[-1]
        mode = AttentionMode(end - start, end, keep, content=False)

        def before(first: int, _: int) -> None:
            if first == start:
                stack.enter_context(mode)

        with self.implementation("eager"), ExitStack() as stack:
            self.forward_passes(asked, before, keep=1)
        if len(rows) < n_layer or mode.products < len(rows):
            raise UnreadableModel(
                f"{self.facts.name} ({self.facts.family}): its slopes cannot be read back, since "
                f"queries were found, to set them to zero, in {mode.products} of {n_layer} layers"
            )
        return torch.stack(rows[-n_layer:])
