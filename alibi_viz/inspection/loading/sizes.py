"""A configuration is held to the weights beside it before anything of its size is made."""

import math
from collections.abc import Iterator
from typing import Any

from torch import nn

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.files import CONFIG, ModelFiles
from alibi_viz.words import listed, plain_text

# As the configurations of different kinds of models name their sizes. What is no size of weights
# (limits of length, numbers of tokens) is not here; neither is what may be larger than the weights
# show, such as the number of experts.
_LAYERS = ("n_layer", "n_layers", "num_layers", "num_hidden_layers", "num_decoder_layers")
_WIDTHS = (
    *("hidden_size", "d_model", "n_embd", "n_embed", "vocab_size", "intermediate_size"),
    *("ffn_dim", "ffn_hidden_size", "n_inner", "d_ff", "head_dim", "d_kv"),
    *("n_head", "n_heads", "num_heads", "num_attention_heads"),
    *("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"),
)
# Settings in which those of a language model may stand.
_NESTED = ("model", "text_config", "attn_config", "ffn_config", "decoder")
_QUANTISED = ("quantization_config", "compression_config")
# Numbers that a model may have besides those in its files: what is computed from settings.
_UNSTORED = 2**24


def require_backed(files: ModelFiles) -> None:
    """Refuses settings that ask for more than the weights hold.

    Raises:
        UnreadableModel: More layers than tensors, a width that no tensor has, or weights that are
            not plain numbers.
    """
    for name in _QUANTISED:
        if files.config.get(name):
            raise UnreadableModel(f"{CONFIG}: {name}: only weights as plain numbers can be read")
    widest = max((max(t.shape, default=1) for t in files.tensors.values()), default=0)
    for name, value in _integers(files.config):
        most = len(files.tensors) if name in _LAYERS else widest
        if name in (*_LAYERS, *_WIDTHS) and not 0 <= value <= most:
            held = "tensors" if name in _LAYERS else "numbers along the longest axis"
            raise UnreadableModel(
                f"{CONFIG} says {name}: {_short(value)}, the weights have {most:,} {held}"
            )


def require_fitting(files: ModelFiles, model: nn.Module) -> None:
    """Refuses weights that are not of the shapes that the model has.

    Args:
        files: The weights.
        model: The model on the device "meta", which takes no memory.

    Raises:
        UnreadableModel: A tensor of another shape, or many more numbers than the files hold.
    """
    prefix = f"{getattr(model, 'base_model_prefix', '')}."
    for name, wanted in model.state_dict().items():
        held = files.tensors.get(name) or files.tensors.get(name.removeprefix(prefix))
        if held is not None and held.shape != tuple(wanted.shape):
            raise UnreadableModel(
                plain_text(
                    f"{files.shards[0].name} holds {name} with the axes {_axes(held.shape)}, by "
                    f"{CONFIG} it has {_axes(wanted.shape)}"
                )
            )
    stored = sum(tensor.count for tensor in files.tensors.values())
    made = sum(math.prod(part.shape) for part in (*model.parameters(), *model.buffers()))
    if made > 2 * stored + _UNSTORED:
        raise UnreadableModel(
            f"{CONFIG} describes a model of {_short(made)} numbers, the weights are {stored:,}"
        )


def _integers(config: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for name, value in config.items():
        if type(value) is int:
            yield name, value
        elif name in _NESTED and isinstance(value, dict):
            yield from _integers(value)


def _axes(shape: Any) -> str:
    return listed([str(size) for size in shape], "and") if len(shape) else "none"


def _short(value: int) -> str:
    """Returns a number; Python does not write out those of thousands of digits."""
    return f"{value:,}" if abs(value) < 10**15 else "a number of more than 15 digits"
