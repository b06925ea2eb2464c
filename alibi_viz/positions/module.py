"""The torch module of any position method: it holds what is learned, and the method computes."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from alibi_viz.maths.arrays import Array
from alibi_viz.positions.base import PositionMethod


class TorchDraws:
    """Random numbers of a torch generator."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def standard_normal(self, size: tuple[int, ...]) -> Array:
        """Returns normal numbers of mean 0 and standard deviation 1, in float32."""
        return torch.randn(size, generator=self.generator).numpy()

    def random(self, size: tuple[int, ...]) -> Array:
        """Returns numbers evenly from 0 to 1, in float32."""
        return torch.rand(size, generator=self.generator).numpy()


class Position(nn.Module):
    """Tells a model where its tokens stand, by one method. One module serves all layers."""

    def __init__(self, method: PositionMethod) -> None:
        """Holds what a method learned.

        Args:
            method: At the model's sizes. Parameters of another module are shared, not copied.
        """
        super().__init__()
        for name, values in method.learned.items():
            shared = isinstance(values, nn.Parameter)
            own = torch.as_tensor(values, dtype=torch.float32)
            parameter = values if shared else nn.Parameter(own.clone())
            self.register_parameter(name, parameter)
        # The module's own dictionary: what is trained is what the method computes with.
        self.method = type(method)(method.config, self._parameters)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "Position":
        """Moves and converts what is learned, as `.to()` and `.half()` do.

        What is added to the logits is counted with positions, and stays in float32: a short type
        would round every slope.
        """

        def kept(values: Tensor) -> Tensor:
            moved = fn(values)
            is_short = moved.is_floating_point() and moved.dtype.itemsize < values.dtype.itemsize
            return values.to(moved.device) if is_short else moved

        is_kept = self.method.acts_on == "logit"
        super()._apply(kept if is_kept else fn, recurse)  # type: ignore[no-untyped-call]
        return self

    @torch.no_grad()
    def draw(self, generator: torch.Generator) -> None:
        """Fills what is learned with the numbers that training starts from.

        Args:
            generator: On the CPU, of the model's seed.
        """
        for name, values in self.method.start(TorchDraws(generator)).items():
            self.get_parameter(name).copy_(torch.as_tensor(values))

    def as_arrays(self) -> PositionMethod:
        """Returns the method with what it learned as numpy arrays, in float64."""
        learned = {
            name: parameter.detach().cpu().double().numpy()
            for name, parameter in self.named_parameters()
        }
        return type(self.method)(self.method.config, learned)

    def embed(self, x: Tensor) -> Tensor:
        """Returns token embeddings with position added, before the first layer.

        Args:
            x: (batch, length, d_model); token 0 of every window stands at position 0.
        """
        embedded: Tensor = self.method.embed(x)
        return embedded

    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Returns queries and keys that carry their position, in every layer.

        Args:
            q: (batch, head, length, d_head).
            k: (batch, head, length, d_head).
        """
        return self.method.rotate(q, k)

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor | None:
        """Returns what is added to the attention logit of each distance, or None for nothing.

        Args:
            length: Distances 0 .. length - 1, in tokens.
            device: Where the result is wanted; the method's own place if left out.

        Returns:
            (head, distance) float32, in nats, the same in every layer; added after 1/sqrt(d_head).
        """
        return _on(self.method.bias_by_distance(length), device)

    def slopes(self, device: torch.device | None = None) -> Tensor | None:
        """Returns the slopes if the bias is -slope * distance: (head,), in nats per token."""
        return _on(self.method.slopes(), device)


def _on(values: Array | None, device: torch.device | None) -> Tensor | None:
    return None if values is None else torch.as_tensor(values).to(device)
