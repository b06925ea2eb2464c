"""Is there anything in the checkpoint's files that the installed class never asks for?"""

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.adapters.hugging_face import HuggingFaceAdapter
from alibi_viz.inspection.probe.finding import Finding

# Settings that bear on attention or on the logits, with the value that changes nothing. What acts
# on the biases (alibi, alibi_bias_max) is not here: the read-back measures it.
NEUTRAL: dict[str, Any] = {
    "attn_type": "multihead_attention",
    "prefix_lm": False,
    "qk_ln": False,
    "attn_uses_sequence_id": False,
    "clip_qkv": None,
    "softmax_scale": None,
    "logit_scale": None,
    "no_bias": True,
    "expansion_ratio": 4,
    "sliding_window": None,
    "position_embedding_type": None,
    "attention_softmax_in_fp32": None,
    "attn_logit_softcapping": None,
    "final_logit_softcapping": None,
    "masked_softmax_fusion": None,
    "rope_scaling": None,
}
# No model of the library reads these any more, and none needs to.
HARMLESS = ("attention_softmax_in_fp32", "masked_softmax_fusion")


def unread_settings(config: dict[str, Any], model: Any) -> dict[str, Any]:
    """Returns the settings with an effect of their own that the model's source never names.

    Args:
        config: config.json.
        model: A model of `transformers`.
    """
    source = inspect.getsource(sys.modules[type(model).__module__])
    made = {**config, **(config.get("attn_config") or {})}
    return {
        name: made[name]
        for name, neutral in NEUTRAL.items()
        if name in made
        and name not in HARMLESS
        and made[name] not in (neutral, None)
        and not re.search(rf"\b{name}\b", source)
    }


def check_files(adapter: Adapter) -> Iterator[Finding]:
    """Yields what of the checkpoint's files has no effect, and what of the model is not shown."""
    for note in adapter.facts.notes:
        is_loss = "weights" in note
        yield Finding("weights" if is_loss else "loading", is_loss, note)
    for sentence in (*adapter.facts.missing, adapter.why_not_split()):
        if sentence is not None:
            yield Finding("shown", False, sentence)
    if isinstance(adapter, HuggingFaceAdapter):
        unread = unread_settings(adapter.facts.config, adapter.model)
        for name, value in unread.items():
            words = (
                f"The setting {name}: {value} has no effect: the installed class never reads it."
            )
            yield Finding("setting", True, words, {"setting": name, "value": value})
