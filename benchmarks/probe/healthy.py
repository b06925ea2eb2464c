"""Healthy models of many families and sizes: what the probe says of them is a false alarm.

What the installed library really gets wrong in some of them is named beside them, and is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from benchmarks.probe.models import BLOOM, FALCON, FALCON_ROPE, GPT2, LLAMA, MPT, OWN, Recipe


@dataclass(frozen=True)
class Healthy:
    """A model that does what its configuration says."""

    name: str
    recipe: Recipe
    method: str
    """Key of the position method that acts."""
    library: frozenset[str] = frozenset()
    """Kinds of findings that are the installed library's own."""


FALCONS_OWN = frozenset({"scaled", "coarse", "fails", "differs"})


def linear() -> Iterator[Healthy]:
    """Yields models with ALiBi."""
    for n_head in (1, 2, 3, 5, 7, 12, 16, 20):
        recipe = BLOOM.with_(hidden_size=8 * n_head, n_head=n_head)
        yield Healthy(f"BLOOM, {n_head} heads", recipe, "alibi")
    yield Healthy("BLOOM, 1 layer", BLOOM.with_(n_layer=1), "alibi")
    yield Healthy("BLOOM, 16 layers", BLOOM.with_(n_layer=16), "alibi")
    yield Healthy("BLOOM, large weights", BLOOM.filled(6.0), "alibi")
    yield Healthy("BLOOM, the library's weights", BLOOM.filled(0), "alibi")
    post = BLOOM.with_(apply_residual_connection_post_layernorm=True)
    yield Healthy("BLOOM, residual after the norm", post, "alibi")
    yield Healthy("BLOOM, 2 channels a head", BLOOM.with_(hidden_size=16), "alibi")
    for limit in (8, 16, 20, 24, 64, 131):
        yield Healthy(f"MPT, {limit} tokens", MPT.with_(max_seq_len=limit), "alibi")
    for clip in (0.5, 6.0):
        recipe = MPT.with_(attn_config={"clip_qkv": clip}).filled(4.0)
        yield Healthy(f"MPT, q and k clipped to {clip:g}", recipe, "alibi")
    scaled = MPT.with_(attn_config={"softmax_scale": 0.5})
    yield Healthy("MPT, softmax_scale 0.5", scaled, "alibi")
    yield Healthy("MPT, 1 head, 1 layer", MPT.with_(d_model=8, n_heads=1, n_layers=1), "alibi")
    for dtype in (torch.float16, torch.bfloat16):
        yield Healthy(f"MPT in {str(dtype)[6:]}", MPT.stored_in(dtype), "alibi")
    shared = FALCON.with_(multi_query=True)
    grouped = FALCON.with_(new_decoder_architecture=True, num_kv_heads=2)
    yield Healthy("Falcon, a key for each head", FALCON, "alibi", FALCONS_OWN)
    yield Healthy("Falcon, one key", shared, "alibi", FALCONS_OWN)
    yield Healthy("Falcon, keys in groups", grouped, "alibi", FALCONS_OWN)


def ours() -> Iterator[Healthy]:
    """Yields models of this project."""
    for method in ("alibi", "sinusoidal", "learned", "rope", "nope"):
        yield Healthy(f"ours, {method}", OWN.with_(position=method), method)
    yield Healthy("ours, T5", OWN.with_(position="t5"), "nonlinear")
    yield Healthy("ours, 6 heads", OWN.with_(n_head=6, d_model=48), "alibi")
    yield Healthy(
        "ours, interleaved, exponent 4",
        OWN.with_(n_head=6, d_model=48, slope_rule="interleaved", max_exponent=4.0), "alibi",
    )  # fmt: skip
    yield Healthy("ours, 1 head", OWN.with_(n_head=1, d_model=16), "alibi")
    yield Healthy("ours, trained slopes", OWN.with_(learned_slopes=True), "alibi")
    yield Healthy("ours, two free heads", OWN.with_(free_heads=2), "alibi")
    yield Healthy("ours in bfloat16", OWN.stored_in(torch.bfloat16), "alibi")
    table = OWN.with_(position="learned", train_length=16)
    yield Healthy("ours, learned, 16 rows", table, "learned")
    yield Healthy("ours, learned, 8 rows", table.with_(train_length=8), "learned")


def unrelated() -> Iterator[Healthy]:
    """Yields models without ALiBi."""
    # Where weights are asked for its mask is added as a number: docs/transformers.md.
    lost = frozenset({"future", "padding", "differs"})
    yield Healthy("Falcon with RoPE", FALCON_ROPE, "rope", lost)
    yield Healthy("GPT-2", GPT2, "learned")
    yield Healthy("GPT-2, 16 tokens", GPT2.with_(n_positions=16), "learned")
    yield Healthy("GPT-2 in bfloat16", GPT2.stored_in(torch.bfloat16), "learned")
    yield Healthy("Llama, keys in groups", LLAMA, "rope")
    yield Healthy("Llama, one key", LLAMA.with_(num_key_value_heads=1), "rope")
    yield Healthy("Llama, 16 layers", LLAMA.with_(num_hidden_layers=16), "rope")
    yield Healthy("Llama, large weights", LLAMA.filled(4.0), "rope")
    yield Healthy("Llama in float16", LLAMA.stored_in(torch.float16), "rope")
    bigcode = GPT2.with_(multi_query=True)
    yield Healthy("GPTBigCode", Recipe("GPTBigCodeConfig", bigcode.sizes), "learned")
    local = {"attention_types": [[["global", "local"], 1]], "window_size": 7}
    neo = {"hidden_size": 48, "num_layers": 2, "num_heads": 4, "max_position_embeddings": 131}
    yield Healthy("GPT-Neo", Recipe("GPTNeoConfig", neo | local), "learned")
    xglm = {"d_model": 48, "num_layers": 2, "attention_heads": 4, "ffn_dim": 32}
    yield Healthy("XGLM", Recipe("XGLMConfig", xglm), "sinusoidal")
    gpt = {"n_embd": 48, "n_layer": 2, "n_head": 4}
    yield Healthy("GPT", Recipe("OpenAIGPTConfig", gpt), "learned")
    opt = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 32}
    opt |= {"max_position_embeddings": 131, "word_embed_proj_dim": 48}
    yield Healthy("OPT", Recipe("OPTConfig", opt), "learned")
    base = {**LLAMA.sizes, "num_key_value_heads": 4}
    wide = {**base, "head_dim": 16}
    for name, config, sizes in (
        ("GPT-NeoX", "GPTNeoXConfig", base),
        ("Phi", "PhiConfig", base),
        ("StableLM", "StableLmConfig", base),
        ("Mistral, window of 9", "MistralConfig", {**LLAMA.sizes, "sliding_window": 9}),
        ("Qwen2", "Qwen2Config", base),
        ("Qwen3, norms on q and k", "Qwen3Config", wide),
        ("Gemma", "GemmaConfig", wide),
        ("Gemma 2, soft caps, window of 9", "Gemma2Config", {**wide, "sliding_window": 9}),
        ("OLMo", "OlmoConfig", base),
        ("OLMo 2, norms on q and k", "Olmo2Config", base),
        ("Cohere", "CohereConfig", base),
        ("Starcoder 2", "Starcoder2Config", base),
        ("SmolLM 3, layers without RoPE", "SmolLM3Config", {**base, "pad_token_id": 0}),
        ("Persimmon", "PersimmonConfig", base),
        ("Granite", "GraniteConfig", base),
    ):
        yield Healthy(name, Recipe(config, sizes), "rope")
    sinks = {**wide, "num_local_experts": 2, "num_experts_per_tok": 1}
    yield Healthy("GPT-OSS, sinks", Recipe("GptOssConfig", sinks), "rope")
    gptj = {"n_embd": 64, "n_layer": 2, "n_head": 4, "rotary_dim": 8, "n_positions": 131}
    gptj |= {"bos_token_id": 0, "eos_token_id": 0}
    yield Healthy("GPT-J", Recipe("GPTJConfig", gptj), "rope")
    yield Healthy("CodeGen", Recipe("CodeGenConfig", gptj), "rope")
    bert = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    bert |= {"is_decoder": True, "intermediate_size": 32}
    yield Healthy("BERT as a decoder", Recipe("BertConfig", bert), "learned")
    bio = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    bio |= {"intermediate_size": 32, "max_position_embeddings": 131}
    yield Healthy("BioGPT", Recipe("BioGptConfig", bio), "learned")


def all_healthy() -> list[Healthy]:
    """Returns every healthy model."""
    return [*linear(), *ours(), *unrelated()]
