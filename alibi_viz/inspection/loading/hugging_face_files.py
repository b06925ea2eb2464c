"""Opening a checkpoint of `transformers`: which class, which adapter, what is refused and why."""

import sys
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.any_model.interface import InterfaceAdapter, register_interface
from alibi_viz.inspection.adapters.any_model.observed import ObservedAdapter
from alibi_viz.inspection.adapters.contract import Adapter, Facts
from alibi_viz.inspection.adapters.families.bloom import BloomAdapter
from alibi_viz.inspection.adapters.families.falcon import FalconAdapter
from alibi_viz.inspection.adapters.families.mpt import MptAdapter
from alibi_viz.inspection.adapters.hugging_face import HuggingFaceAdapter
from alibi_viz.inspection.errors import RUN_ERRORS, UnreadableModel
from alibi_viz.inspection.loading.files import ModelFiles

FAMILIES: dict[str, type[HuggingFaceAdapter]] = {
    "bloom": BloomAdapter,
    "mpt": MptAdapter,
    "falcon": FalconAdapter,
}
# What the library raises on settings and weights that do not fit; it has no common ancestor.
LIBRARY_ERRORS = (*RUN_ERRORS, OSError, ImportError, SafetensorError, StrictDataclassError)
LIMITS = ("max_seq_len", "n_positions", "max_position_embeddings", "seq_length")
# A prompt that tells whether the future is hidden.
CAUSALITY_LENGTH = 8
SHOWN_NAMES = 4


def open_hugging_face(files: ModelFiles, *, trust_code: bool = False) -> HuggingFaceAdapter:
    """Returns the adapter of a checkpoint in the format of `transformers`.

    Args:
        files: What the directory holds.
        trust_code: Whether code that it brings may run.

    Raises:
        UnreadableModel: Needs code of its own, has no causal head or no attention, or does not fit
            the library's class.
    """
    trusted = trust_code and "auto_map" in files.config
    config = _library_config(files, trusted)
    model, notes = _library_model(files, config, trusted)
    family = str(files.config["model_type"])
    facts = _facts(files, config.get_text_config(decoder=True), family, notes)
    try:
        tokenizer = _tokenizer(files.directory, facts)
        adapter = _adapter(model, facts, tokenizer, is_known=not trusted)
        # Of these families all are decoders: where one sees the future, the probe says so.
        if family not in FAMILIES or trusted:
            _require_causal(adapter)
    except UnreadableModel:
        raise
    except RUN_ERRORS as error:
        raise UnreadableModel(
            f"{facts.name} ({family}) is loaded but does not run: {first_lines(error, 2)}"
        ) from error
    return adapter


def _adapter(model: Any, facts: Facts, tokenizer: Any, *, is_known: bool) -> HuggingFaceAdapter:
    """Returns the family's adapter, or the one that fits how the class computes attention."""
    if facts.family in FAMILIES and is_known:
        return FAMILIES[facts.family](model, facts, tokenizer)
    if hasattr(sys.modules[type(model).__module__], "eager_attention_forward"):
        register_interface()
        return InterfaceAdapter(model, facts, tokenizer)
    return ObservedAdapter(model, facts, tokenizer)


def _library_config(files: ModelFiles, trusted: bool) -> Any:
    from transformers import AutoConfig
    from transformers.models.auto import configuration_auto

    name, kind = files.directory.name, files.config["model_type"]
    known = configuration_auto.CONFIG_MAPPING_NAMES  # type: ignore[attr-defined]
    if kind not in known and not trusted:
        own_code = "auto_map" in files.config
        reason = (
            "it brings code of its own, which is run only by `python -m alibi_viz probe` with "
            "--trust-code PATH"
            if own_code
            else "unknown"
        )
        raise UnreadableModel(f"{name}: the installed transformers has no model {kind!r}: {reason}")
    try:
        return AutoConfig.from_pretrained(
            files.directory, local_files_only=True, trust_remote_code=trusted
        )
    except LIBRARY_ERRORS as error:
        raise UnreadableModel(
            f"{name}: its settings are refused: {first_lines(error, 2)}"
        ) from error


def _library_model(files: ModelFiles, config: Any, trusted: bool) -> tuple[Any, list[str]]:
    from transformers import AutoModelForCausalLM
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    name = files.directory.name
    if getattr(config, "is_encoder_decoder", False):
        raise UnreadableModel(f"{name} is an encoder with a decoder; only decoders can be shown")
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING and not trusted:
        raise UnreadableModel(
            f"{name} ({config.model_type}) has no causal language head: nothing to predict tokens"
        )
    if not getattr(config.get_text_config(decoder=True), "num_attention_heads", None):
        raise UnreadableModel(f"{name} ({config.model_type}) is a model without attention heads")
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            files.directory, config=config, local_files_only=True, use_safetensors=True,
            trust_remote_code=trusted, dtype="auto", output_loading_info=True,
        )  # fmt: skip
    except LIBRARY_ERRORS as error:
        raise UnreadableModel(f"{name} cannot be loaded: {first_lines(error, 2)}") from error
    model, info = loaded
    return model, _loading_notes(info, files, trusted)


def _loading_notes(info: dict[str, Any], files: ModelFiles, trusted: bool) -> list[str]:
    notes = []
    if trusted:
        notes.append("The checkpoint's own code was run.")
    elif "auto_map" in files.config:
        notes.append(
            "The checkpoint brings code of its own, which is not run: the library's class of the "
            "same name stands in for it."
        )
    for key, words in (
        (
            "unexpected_keys",
            "are in the checkpoint but not in the library's model, and are ignored",
        ),
        ("missing_keys", "are not in the checkpoint and were filled at random"),
    ):
        names = sorted(info.get(key) or [])
        if names:
            more = "" if len(names) <= SHOWN_NAMES else f" and {len(names) - SHOWN_NAMES} more"
            shown = ", ".join(names[:SHOWN_NAMES])
            notes.append(f"{len(names)} weights {words}: {shown}{more}.")
    return notes


def _facts(files: ModelFiles, config: Any, family: str, notes: list[str]) -> Facts:
    n_head = config.num_attention_heads
    made = {**files.config, **files.config.get("text_config", {})}
    limits = (
        (key, made[key]) for key in LIMITS if isinstance(made.get(key), int) and made[key] > 0
    )
    limit_name, limit = next(limits, ("", None))
    return Facts(
        name=files.directory.name,
        family=family,
        n_layer=config.num_hidden_layers,
        n_head=n_head,
        d_head=getattr(config, "head_dim", None) or config.hidden_size // n_head,
        vocab_size=config.vocab_size,
        limit=limit,
        limit_name=limit_name,
        config=made,
        notes=notes,
    )


def _tokenizer(directory: Path, facts: Facts) -> Any:
    """Returns the `tokenizers.Tokenizer` in a directory, or None with a note."""
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(
            directory, local_files_only=True, trust_remote_code=False
        )
        return found.backend_tokenizer
    except LIBRARY_ERRORS:
        facts.missing.append("The directory holds no tokenizer that can be read: text needs one.")
        return None


def _require_causal(adapter: Adapter) -> None:
    """Raises UnreadableModel if a later token changes what is said of an earlier one."""
    vocabulary = adapter.facts.vocab_size
    ids = torch.arange(1, CAUSALITY_LENGTH + 1) % vocabulary
    changed = ids.clone()
    changed[-1] = (ids[-1] + 1) % vocabulary
    path = adapter.default_path
    before, after = (adapter.run(text, path).logits[:-1] for text in (ids, changed))
    spread = float(before.std()) or 1.0
    rounding = 1e-4 + 8 * torch.finfo(adapter.dtype).eps
    if float((before - after).abs().max()) > rounding * spread:
        raise UnreadableModel(
            f"{adapter.facts.name} ({adapter.facts.family}) sees the future: it is an encoder, "
            "or was not set up as a decoder"
        )
