"""Models small enough to make on the spot, filled so that content matters."""

from pathlib import Path

import torch

from alibi_viz.model.checkpoint import save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer

N_LAYER, N_HEAD = 2, 3
FAMILIES = ("Bloom", "Mpt", "Falcon")
# Tokens in the configurations of the foreign models.
LIMIT = 67


def fill(model: torch.nn.Module) -> None:
    """Fills matrices from a seed."""
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                drawn = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(1.5 * drawn / parameter.shape[1] ** 0.5)


def save_own(folder: Path, position: str = "alibi", **sizes: int) -> None:
    """Saves one of this project's models, which reads the bundled tokenizer."""
    given = {"n_layer": N_LAYER, "n_head": N_HEAD, "d_model": 30, "train_length": 67, **sizes}
    model = Transformer(ModelConfig(position, **given))
    fill(model)
    save_checkpoint(folder, model, {"seed": 0}, dtype=torch.float32)


def save_foreign(folder: Path, family: str) -> None:
    """Saves a model of `transformers` that reads the bundled tokenizer, in half precision."""
    import transformers

    from alibi_viz.data.tokenizer import TOKENIZER_FILE

    sizes = {
        "Bloom": {"hidden_size": 40, "n_layer": 2, "n_head": 5},
        "Mpt": {"d_model": 56, "n_layers": 2, "n_heads": 7, "max_seq_len": LIMIT},
        "Falcon": {
            **{"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6},
            **{"alibi": True, "multi_query": True, "max_position_embeddings": LIMIT},
        },
        # Computes attention by itself: only its weights can be seen.
        "GPTNeo": {
            **{"hidden_size": 40, "num_layers": 2, "num_heads": 5, "window_size": 7},
            **{"bos_token_id": 0, "eos_token_id": 0},
            "attention_types": [[["global", "local"], 1]],
        },
    }[family]
    config = getattr(transformers, f"{family}Config")(vocab_size=1024, **sizes)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    fill(model)
    model.save_pretrained(folder)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER_FILE))
    tokenizer.save_pretrained(folder)


def save_encoder(folder: Path) -> None:
    """Saves a BERT, which sees the future and predicts no next token."""
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=50, intermediate_size=16, **sizes)).save_pretrained(folder)


def save_mamba(folder: Path) -> None:
    """Saves a Mamba, which has no attention."""
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, state_size=4)
    MambaForCausalLM(config).save_pretrained(folder)


def save_pickled(folder: Path) -> None:
    """Leaves a folder with its weights in a pickle only."""
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bloom"}')
    (folder / "pytorch_model.bin").write_bytes(b"no pickle is ever opened")


def save_all(folder: Path) -> None:
    """Saves a folder of models, good ones and bad ones."""
    save_own(folder / "alibi")
    save_own(folder / "rope", "rope")
    save_own(folder / "learned", "learned")
    for family in FAMILIES:
        save_foreign(folder / family.lower(), family)
    save_foreign(folder / "gptneo", "GPTNeo")
    save_foreign(folder / "large", "Bloom")
    save_encoder(folder / "encoder")
    save_mamba(folder / "mamba")
    save_pickled(folder / "pickled")
