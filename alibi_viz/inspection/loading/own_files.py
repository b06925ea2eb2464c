"""Opening a checkpoint of this project."""

from typing import Any

import torch
from tokenizers import Tokenizer

from alibi_viz.data.prepared import known_tokenizers
from alibi_viz.data.tokenizer import (
    TOKENIZER_FILE,
    TOKENIZER_NAME,
    load_tokenizer,
    tokenizer_fingerprint,
)
from alibi_viz.inspection.adapters.contract import Facts
from alibi_viz.inspection.adapters.families.ours import OwnAdapter
from alibi_viz.inspection.loading.boundary import boundary, resolved
from alibi_viz.inspection.loading.files import ModelFiles
from alibi_viz.inspection.loading.sizes import require_backed, require_fitting
from alibi_viz.model.checkpoint import load_checkpoint, read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer


def open_own(files: ModelFiles) -> OwnAdapter:
    """Returns the adapter of one of this project's checkpoints.

    Raises:
        UnreadableModel: A damaged checkpoint, or one of another schema.
    """
    require_backed(files)
    what = "is no checkpoint of this project"
    with boundary(files.directory.name, what, folder=files.directory):
        about = read_about(files.directory)
        with torch.device("meta"):
            require_fitting(files, Transformer(ModelConfig(**about["model"])))
        model, about = load_checkpoint(files.directory)
        config = model.config
        facts = Facts(
            name=files.directory.name,
            family=f"ALiBi Viz, {config.position}",
            n_layer=config.n_layer,
            n_head=config.n_head,
            d_head=config.d_head,
            vocab_size=config.vocab_size,
            limit=config.longest,
            limit_name="train_length",
            config=files.config,
        )
        return OwnAdapter(model, facts, _tokenizer(files, about, facts))


def _tokenizer(files: ModelFiles, about: dict[str, Any], facts: Facts) -> Tokenizer | None:
    """Returns the tokenizer of the checkpoint's training, None with a note if it is lost."""
    wanted = (about.get("tokenizer") or {}).get("fingerprint")
    beside = files.directory / TOKENIZER_NAME
    if beside.is_file():
        tokenizer = load_tokenizer(resolved(beside, files.root))
        if wanted in (None, tokenizer_fingerprint(tokenizer)):
            return tokenizer
    if wanted is None:
        return load_tokenizer(TOKENIZER_FILE)
    known = known_tokenizers()
    if wanted in known:
        return known[wanted]
    facts.missing.append("The tokenizer that this model was trained with is not here.")
    return None
