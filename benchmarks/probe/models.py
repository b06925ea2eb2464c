"""Small random models of many families, each saved once in a folder."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

VOCABULARY = 99


@dataclass(frozen=True)
class Recipe:
    """How to make a model's folder."""

    config: str
    """Configuration class of `transformers`, or "own" for a model of this project."""
    sizes: dict[str, Any] = field(default_factory=dict)
    """Settings of the configuration."""
    dtype: torch.dtype = torch.float32
    """Number type of the file."""
    std: float = 1.5
    """Standard deviation of matrices, times the square root of their inputs; 0 leaves the
    library's own."""
    edit: Callable[[Path], None] | None = None
    """What is done to the folder afterwards."""

    def with_(self, **changed: Any) -> "Recipe":
        """Returns the recipe with other settings; None takes one out."""
        sizes = {key: value for key, value in (self.sizes | changed).items() if value is not None}
        return Recipe(self.config, sizes, self.dtype, self.std, self.edit)

    def stored_in(self, dtype: torch.dtype) -> "Recipe":
        """Returns the recipe of the same model in another number type."""
        return Recipe(self.config, self.sizes, dtype, self.std, self.edit)

    def filled(self, std: float) -> "Recipe":
        """Returns the recipe with other weights."""
        return Recipe(self.config, self.sizes, self.dtype, std, self.edit)

    def edited(self, edit: Callable[[Path], None]) -> "Recipe":
        """Returns the recipe of a folder whose files are changed."""
        return Recipe(self.config, self.sizes, self.dtype, self.std, edit)

    def save(self, folder: Path) -> None:
        """Writes the model."""
        if self.config == "own":
            self._save_own(folder)
        else:
            self._save_foreign(folder)
        if self.edit is not None:
            self.edit(folder)

    def _save_own(self, folder: Path) -> None:
        from alibi_viz.model.checkpoint import save_checkpoint
        from alibi_viz.model.config import ModelConfig
        from alibi_viz.model.transformer import Transformer

        given = {"n_layer": 2, "n_head": 4, "d_model": 64, "train_length": 64, **self.sizes}
        model = Transformer(ModelConfig(vocab_size=VOCABULARY, **given))
        fill(model, self.std)
        save_checkpoint(folder, model, {}, dtype=self.dtype)

    def _save_foreign(self, folder: Path) -> None:
        import transformers

        config = getattr(transformers, self.config)(vocab_size=VOCABULARY, **self.sizes)
        torch.manual_seed(0)
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=self.dtype)
        fill(model, self.std)
        model.save_pretrained(folder)


def fill(model: nn.Module, std: float) -> None:
    """Fills matrices with numbers large enough for content to matter."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2 and std:
                drawn = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(std * drawn / parameter.shape[1] ** 0.5)


def configured(**settings: Any) -> Callable[[Path], None]:
    """Returns an edit that writes settings into config.json."""

    def edit(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))

    return edit


BLOOM = Recipe("BloomConfig", {"hidden_size": 64, "n_layer": 2, "n_head": 8})
BLOOM_12 = BLOOM.with_(hidden_size=96, n_head=12)
BLOOM_3_LAYERS = BLOOM.with_(n_layer=3, n_head=4)
MPT = Recipe("MptConfig", {"d_model": 64, "n_layers": 2, "n_heads": 8, "max_seq_len": 2048})
MPT_6 = MPT.with_(d_model=48, n_heads=6)
FALCON = Recipe(
    "FalconConfig",
    {
        **{"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "alibi": True},
        **{"multi_query": False, "max_position_embeddings": 512},
    },
)
FALCON_ROPE = FALCON.with_(alibi=False, multi_query=True)
OWN = Recipe("own", {"position": "alibi"})
GPT2 = Recipe(
    "GPT2Config",
    {
        **{"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 131},
        **{"bos_token_id": 0, "eos_token_id": 0},
    },
)
LLAMA = Recipe(
    "LlamaConfig",
    {
        **{"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4},
        **{"num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 131},
    },
)

# Where the classes of a family are defined.
BLOOM_CODE = "transformers.models.bloom.modeling_bloom"
FALCON_CODE = "transformers.models.falcon.modeling_falcon"
MPT_CODE = "transformers.models.mpt.modeling_mpt"
