"""Opening a checkpoint of this project."""

from typing import Any

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
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.files import ModelFiles
from alibi_viz.model.checkpoint import load_checkpoint


def open_own(files: ModelFiles) -> OwnAdapter:
    """Returns the adapter of one of this project's checkpoints.

    Raises:
        UnreadableModel: A damaged checkpoint, or one of another schema.
    """
    try:
        model, about = load_checkpoint(files.directory)
    except ValueError as error:
        raise UnreadableModel(str(error)) from error
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
        tokenizer = load_tokenizer(beside)
        if wanted in (None, tokenizer_fingerprint(tokenizer)):
            return tokenizer
    if wanted is None:
        return load_tokenizer(TOKENIZER_FILE)
    known = known_tokenizers()
    if wanted in known:
        return known[wanted]
    facts.missing.append("The tokenizer that this model was trained with is not here.")
    return None
