"""ALiBi families of `transformers` that compute attention by themselves: BLOOM, MPT and Falcon.

Each hands a bias tensor to its attention layers. Hooks read that tensor, so what is shown is what
acted, and replace it where other slopes are asked for.
"""

from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor

from alibi_viz.inspection.adapters.contract import (
    AttentionPath,
    Reading,
    Recording,
    RunAsked,
    Slopes,
)
from alibi_viz.inspection.adapters.hugging_face import HuggingFaceAdapter
from alibi_viz.inspection.adapters.reading import (
    LayerParts,
    Selector,
    hooks,
    last_pass,
    marks_for,
    put_attention_hooks,
    put_reading_hooks,
)
from alibi_viz.inspection.adapters.records import LayerRecord
from alibi_viz.inspection.errors import UnreadableModel

Arguments = dict[str, Any]


class FusedAdapter(HuggingFaceAdapter):
    """A family whose queries, keys and values come from one projection."""

    @abstractmethod
    def parts(self) -> list[LayerParts]:
        """Returns the modules of every layer."""

    @abstractmethod
    def edit(self, fused: Tensor, values: Tensor) -> Tensor:
        """Returns a projection with zero queries, and the given values in every head.

        Args:
            fused: (batch, length, all heads' q, k and v), may be changed in place.
            values: (length, d_head).
        """

    @abstractmethod
    def split(self, fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys and values of a projection, before any rotation.

        Args:
            fused: (batch, length, all heads' q, k and v).

        Returns:
            (batch, head, length, d_head) queries, (batch, key_head, length, d_head) keys, values.
        """

    @property
    def scale(self) -> float:
        """What q . k is multiplied with."""
        return float(self.facts.d_head**-0.5)

    @abstractmethod
    def layer_record(self, fused: Tensor, arguments: Arguments, path: AttentionPath) -> LayerRecord:
        """Returns the record of a layer from its projection and its arguments.

        Args:
            fused: (length, all heads' q, k and v).
            arguments: What the model handed to the attention layer by name.
            path: How attention is computed.
        """

    @abstractmethod
    def with_slopes(self, arguments: Arguments, slopes: Tensor, length: int) -> Arguments:
        """Returns the arguments of a layer with the bias of other slopes.

        Args:
            arguments: What the model hands to the attention layer by name.
            slopes: (head,) float32, in the published scale.
            length: Number of keys.

        Raises:
            UnreadableModel: The model runs without ALiBi.
        """

    def choose_implementation(self, name: str) -> None:
        """Tells the model to compute attention by the implementation of that name.

        These classes refuse to change it on a loaded model, but ask the setting in every run: this
        is what loading with `attn_implementation=name` does.
        """
        self.model.config._attn_implementation = name

    def record(
        self, ids: Tensor, slopes: Slopes | None = None, path: AttentionPath | None = None
    ) -> Recording:
        """Returns a forward pass with its queries, keys and position terms."""
        path = path or self.default_path
        parts = self.parts()
        fused: dict[int, Tensor] = {}
        arguments: dict[int, Arguments] = {}
        embedded: list[Tensor] = []
        handles: list[Any] = [
            self.blocks[0].register_forward_pre_hook(lambda _, args: embedded.append(args[0]))
        ]
        for index, part in enumerate(parts):
            handles += [
                part.attention.register_forward_pre_hook(
                    self._argument_hook(index, arguments, slopes, len(ids)), with_kwargs=True
                ),
                part.projection.register_forward_hook(_keep_output(index, fused)),
            ]
        with self.implementation(path.implementation), hooks(handles):
            nll = self.forward_with_loss(ids, output_attentions=path.returns_weights)
        layers = tuple(
            self.layer_record(fused[i], arguments[i], path) for i in range(self.facts.n_layer)
        )
        return Recording(layers, nll, embedded[0][0].float())

    def _argument_hook(
        self, index: int, kept: dict[int, Arguments], slopes: Slopes | None, length: int
    ) -> Any:
        def keep(_: Any, args: Any, kwargs: Arguments) -> tuple[Any, Arguments]:
            if slopes is not None:
                row = torch.as_tensor(slopes[index], dtype=torch.float32, device=self.device)
                kwargs = self.with_slopes(kwargs, row, length)
            kept[index] = kwargs
            return args, kwargs

        return keep

    def read_weights(self, reading: Reading) -> Tensor:
        """Returns the weights that really act when all queries are zero."""
        asked, parts = reading.asked, self.parts()
        like = next(self.model.parameters())
        marks = marks_for(reading.keys, asked.length, self.facts.d_head, like)
        selector, seen = Selector(marks), list[Tensor]()

        def before(start: int, end: int) -> None:
            selector.start = start
            selector.queries = reading.queries if end == asked.length else None

        with (
            self.implementation(asked.path.implementation),
            hooks(put_reading_hooks(parts, self.edit, selector, seen)),
        ):
            self.forward_passes(asked, before, keep=1)
        return last_pass(seen, len(parts), self.facts.n_head, len(reading.keys))

    def predictions_with(self, ids: Tensor, slopes: Slopes, *, last: int) -> Tensor:
        """Returns what the model predicts if attention is computed here, with these slopes."""
        asked = RunAsked((ids,), self.default_path)
        given = put_attention_hooks(self.parts(), self.split, slopes, self.scale)
        with self.implementation(asked.path.implementation), hooks(given):
            return self.predictions(asked, last=last)[0]

    def no_slopes(self) -> UnreadableModel:
        """Returns the error for changing slopes of a model that has none."""
        return UnreadableModel(f"{self.facts.name} runs without ALiBi: it has no slopes to change")


def _keep_output(index: int, kept: dict[int, Tensor]) -> Any:
    def keep(_: Any, __: Any, output: Tensor) -> None:
        kept[index] = output[0].detach()

    return keep
