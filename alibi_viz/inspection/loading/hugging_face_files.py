"""Opening a checkpoint of `transformers`: which class, which adapter, what is refused and why."""

import sys
from contextlib import ExitStack
from typing import Any

import torch
from safetensors import safe_open
from tokenizers import Tokenizer

from alibi_viz.inspection.adapters.any_model.interface import InterfaceAdapter, register_interface
from alibi_viz.inspection.adapters.any_model.observed import ObservedAdapter
from alibi_viz.inspection.adapters.contract import Adapter, Facts
from alibi_viz.inspection.adapters.families.bloom import BloomAdapter
from alibi_viz.inspection.adapters.families.falcon import FalconAdapter
from alibi_viz.inspection.adapters.families.mpt import MptAdapter
from alibi_viz.inspection.adapters.hugging_face import HuggingFaceAdapter
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary, read, resolved
from alibi_viz.inspection.loading.files import CONFIG, ModelFiles
from alibi_viz.inspection.loading.sizes import require_backed, require_fitting
from alibi_viz.words import plain_text

FAMILIES: dict[str, type[HuggingFaceAdapter]] = {
    "bloom": BloomAdapter,
    "mpt": MptAdapter,
    "falcon": FalconAdapter,
}
# Settings that choose how to compute, which files to open or what is returned, not what the model
# is: the ways to compute are chosen here. Numbers such as `pretraining_tp` are counts of a loop.
STRIPPED = frozenset(
    {
        *("attn_implementation", "attn_impl", "experts_implementation", "use_kernels"),
        *("kernel_config", "use_flash_attn", "fusion_config", "distributed_config"),
        *("pretraining_tp", "slow_but_exact", "chunk_size_feed_forward", "pruned_heads"),
        *("dtype", "torch_dtype", "auto_map", "name_or_path", "transformers_weights"),
        *("gradient_checkpointing", "torchscript", "return_dict", "use_return_dict"),
        *("output_attentions", "output_hidden_states", "use_cache", "use_bfloat16"),
        *("base_model_tp_plan", "base_model_pp_plan", "tie_encoder_decoder"),
        *("tokenizer_class", "task_specific_params", "generation_config", "init_device"),
    }
)
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
STORED = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
TOKENIZER = "tokenizer.json"
LARGEST_TOKENIZER = 64_000_000
LIMITS = ("max_seq_len", "n_positions", "max_position_embeddings", "seq_length")
# A prompt that tells whether the future is hidden.
CAUSALITY_LENGTH = 8
SHOWN_NAMES = 4


def open_hugging_face(files: ModelFiles, *, trust_code: bool = False) -> HuggingFaceAdapter:
    """Returns the adapter of a checkpoint in the format of `transformers`.

    Unless its code is trusted, the library never sees the folder: it is given settings, weights
    and tokenizer that were read here, and so cannot follow what they say to other files.

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
    with boundary(CONFIG, "describes no model that can be shown"):
        facts = _facts(files, config.get_text_config(decoder=True), family, notes)
    with boundary(f"{facts.name} ({family})", "is loaded but does not run"):
        adapter = _adapter(model, facts, _tokenizer(files, facts), is_known=not trusted)
        # Of these families all are decoders: where one sees the future, the probe says so.
        if family not in FAMILIES or trusted:
            _require_causal(adapter)
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
    from transformers.models.auto import configuration_auto
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    name, kind = files.directory.name, files.config["model_type"]
    names = configuration_auto.CONFIG_MAPPING_NAMES  # type: ignore[attr-defined]
    if trusted:
        with boundary(CONFIG, "has settings that are refused"):
            return configuration_auto.AutoConfig.from_pretrained(
                files.directory, local_files_only=True, trust_remote_code=True
            )
    if not isinstance(kind, str) or kind not in names:
        own_code = "auto_map" in files.config
        reason = (
            "it brings code of its own, which is run only by `python -m alibi_viz probe` with "
            "--trust-code PATH"
            if own_code
            else "unknown"
        )
        raise UnreadableModel(
            plain_text(f"{name}: the installed transformers has no model {kind!r}: {reason}")
        )
    found: Any = configuration_auto.CONFIG_MAPPING[kind]
    by_itself = getattr(found, "is_encoder_decoder", False)
    if files.config.get("is_encoder_decoder", by_itself):
        raise UnreadableModel(
            plain_text(f"{name} is an encoder with a decoder; only decoders can be shown")
        )
    if found not in MODEL_FOR_CAUSAL_LM_MAPPING:
        raise UnreadableModel(
            plain_text(f"{name} ({kind}) has no causal language head: nothing to predict tokens")
        )
    require_backed(files)
    with boundary(CONFIG, "has settings that are refused"):
        config = found.from_dict(_harmless(files.config))
        config.dtype = _dtype(files)
        return config


def _harmless(settings: dict[str, Any]) -> dict[str, Any]:
    """Returns settings without those that choose kernels, files or ways to run."""
    return {
        name: _harmless(value) if isinstance(value, dict) else value
        for name, value in settings.items()
        if name not in STRIPPED and not name.startswith("_")
    }


def _dtype(files: ModelFiles) -> torch.dtype:
    """Returns the type that the weights are loaded in: as configured, else as stored."""
    named = files.config.get("dtype") or files.config.get("torch_dtype")
    stored = [tensor.dtype for tensor in files.tensors.values() if tensor.dtype in STORED]
    if isinstance(named, str) and named.removeprefix("torch.") in DTYPES:
        return DTYPES[named.removeprefix("torch.")]
    return STORED[stored[0]] if stored else torch.float32


def _library_model(files: ModelFiles, config: Any, trusted: bool) -> tuple[Any, list[str]]:
    from transformers import AutoModelForCausalLM
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    if not getattr(config.get_text_config(decoder=True), "num_attention_heads", None):
        raise UnreadableModel(
            plain_text(f"{files.directory.name} is a model without attention heads")
        )
    if trusted:
        with boundary(files.shards[0].name, "cannot be loaded"):
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                files.directory, config=config, local_files_only=True, use_safetensors=True,
                trust_remote_code=True, dtype="auto", output_loading_info=True,
            )  # fmt: skip
            return loaded[0], _loading_notes(loaded[1], files, trusted)
    found = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
    kind: Any = found[0] if isinstance(found, tuple | list) else found
    with boundary(CONFIG, "describes no model that can be made"), torch.device("meta"):
        require_fitting(files, kind(config))
    with boundary(files.shards[0].name, "cannot be loaded"), ExitStack() as opened:
        weights: dict[str, Any] = {}
        for path in files.shards:
            place = str(resolved(path, files.root))
            shard: Any = opened.enter_context(safe_open(place, framework="pt"))
            weights |= {key: shard.get_slice(key) for key in shard.keys()}
        model, info = kind.from_pretrained(
            None, config=config, state_dict=weights, dtype=config.dtype, output_loading_info=True
        )
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
            notes.append(plain_text(f"{len(names)} weights {words}: {shown}{more}."))
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


def _tokenizer(files: ModelFiles, facts: Facts) -> Tokenizer | None:
    """Returns the tokenizer in tokenizer.json, or None with a note."""
    path = files.directory / TOKENIZER
    try:
        content = read(path, files.root, LARGEST_TOKENIZER)
        with boundary(TOKENIZER, "cannot be read"):
            tokenizer = Tokenizer.from_str(content.decode())
        # Here, once: `tokenise` would copy a tokenizer that has these for every text.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    except UnreadableModel as error:
        why = f"{error}" if path.exists() else f"there is no {TOKENIZER}"
        facts.missing.append(f"The directory holds no tokenizer that can be read ({why}).")
        return None


def _require_causal(adapter: Adapter) -> None:
    """Raises UnreadableModel if a later token changes what is said of an earlier one."""
    vocabulary = adapter.facts.vocab_size
    ids = torch.arange(1, CAUSALITY_LENGTH + 1) % vocabulary
    changed = ids.clone()
    changed[-1] = (ids[-1] + 1) % vocabulary
    path = adapter.default_path
    before, after = (adapter.run(text, path).logits[:-1] for text in (ids, changed))
    if not torch.isfinite(before).all():
        raise UnreadableModel(
            f"{plain_text(adapter.facts.name)} predicts nothing: not all are numbers"
        )
    spread = float(before.std()) or 1.0
    rounding = 1e-4 + 8 * torch.finfo(adapter.dtype).eps
    if float((before - after).abs().max()) > rounding * spread:
        raise UnreadableModel(
            f"{adapter.facts.name} ({adapter.facts.family}) sees the future: it is an encoder, "
            "or was not set up as a decoder"
        )
