"""Tiny models of many families, randomly filled, saved to disk once a session and loaded again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

from alibi_viz.data.tokenizer import train_tokenizer
from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.loading import load_model

TEXT = "def mean(values):\n    return sum(values) / len(values)  # naïve 🙂\n"
VOCABULARY = 277

Sizes = dict[str, Any]


def bloom(**given: Any) -> tuple[str, Sizes]:
    return "BloomConfig", {"hidden_size": 40, "n_layer": 2, "n_head": 5, **given}


def mpt(**given: Any) -> tuple[str, Sizes]:
    sizes = {"d_model": 56, "n_layers": 2, "n_heads": 7, "max_seq_len": 131}
    return "MptConfig", {**sizes, **given}


def falcon(**given: Any) -> tuple[str, Sizes]:
    sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6, "alibi": True}
    return "FalconConfig", {**sizes, "max_position_embeddings": 131, **given}


def gpt2(**given: Any) -> tuple[str, Sizes]:
    sizes = {"n_embd": 40, "n_layer": 2, "n_head": 5, "n_positions": 131}
    return "GPT2Config", {**sizes, "bos_token_id": 0, "eos_token_id": 0, **given}


def llama(**given: Any) -> tuple[str, Sizes]:
    sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6}
    sizes |= {"num_key_value_heads": 3, "intermediate_size": 32, "max_position_embeddings": 131}
    return "LlamaConfig", {**sizes, **given}


FAMILIES: dict[str, tuple[str, Sizes]] = {
    "bloom": bloom(),
    "bloom_8": bloom(hidden_size=64, n_head=8),
    "mpt": mpt(),
    "falcon": falcon(multi_query=False),
    "falcon_shared_key": falcon(multi_query=True),
    "falcon_grouped_keys": falcon(new_decoder_architecture=True, num_kv_heads=3),
    "falcon_rope": falcon(alibi=False),
    "gpt2": gpt2(),
    "llama": llama(),
}


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """A byte-level tokenizer of 277 tokens."""
    return train_tokenizer([TEXT] * 3, VOCABULARY)


@pytest.fixture(scope="session")
def save_model(
    tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer
) -> Callable[..., Path]:
    """Returns a function that saves a randomly filled model and gives its directory."""

    def save(config_name: str, sizes: Sizes, dtype: torch.dtype = torch.float32) -> Path:
        import transformers

        config = getattr(transformers, config_name)(vocab_size=VOCABULARY, **sizes)
        if config.is_encoder_decoder:
            model = transformers.AutoModelForSeq2SeqLM.from_config(config, dtype=dtype)
        else:
            model = transformers.AutoModelForCausalLM.from_config(config, dtype=dtype)
        fill(model)
        directory = tmp_path_factory.mktemp(config_name)
        model.save_pretrained(directory)
        transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(directory)
        return directory

    return save


def fill(model: torch.nn.Module) -> None:
    """Fills matrices with numbers large enough for content to matter."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                drawn = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(1.5 * drawn / parameter.shape[1] ** 0.5)


@pytest.fixture(scope="session")
def loaded(save_model: Callable[..., Path]) -> Callable[..., Adapter]:
    """Returns a function that gives a family's adapter, saved and loaded once a session."""
    adapters: dict[tuple[str, torch.dtype], Adapter] = {}

    def load(family: str, dtype: torch.dtype = torch.float32) -> Adapter:
        if (family, dtype) not in adapters:
            adapters[family, dtype] = load_model(save_model(*FAMILIES[family], dtype))
        return adapters[family, dtype]

    return load


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> Callable[..., Adapter]:
    """Returns a function that saves one of this project's models and loads it again."""

    def build(position: str, **sizes: Any) -> Adapter:
        from alibi_viz.model.checkpoint import save_checkpoint
        from alibi_viz.model.config import ModelConfig
        from alibi_viz.model.transformer import Transformer

        given = {"n_layer": 2, "n_head": 3, "d_model": 30, "train_length": 67, **sizes}
        model = Transformer(ModelConfig(position, vocab_size=VOCABULARY, **given))
        fill(model)
        directory = tmp_path_factory.mktemp(position)
        save_checkpoint(directory, model, {}, dtype=torch.float32)
        tokenizer.save(str(directory / "tokenizer.json"))
        return load_model(directory)

    return build
