"""Claims about the other ways to handle position, where they are compared with ALiBi."""

from alibi_viz.claims import experiment
from alibi_viz.claims.claim import Claim, PageState

OTHERS = (
    Claim(
        key="nope-best",
        topic="other methods",
        statement="No position at all (NoPE) generalises best to longer inputs.",
        verdict="imprecise",
        source="On ten reasoning-like tasks, yes: mean reciprocal rank is {rank_nope} for NoPE, "
        "then T5 bias "
        "{rank_t5}, ALiBi {rank_alibi}, rotary {rank_rope}, absolute {rank_absolute}. As a "
        "language model of code, no: trained on 1,024 tokens and scored at 2,560, NoPE goes from "
        "{code_nope_1024} to {code_nope_2560}, ALiBi from {code_alibi_1024} to {code_alibi_2560}.",
        view=PageState("extrapolation", {"methods": "NoPE"}),
        measured=experiment.nope_beside_alibi,
    ),
    Claim(
        key="kerple-ahead",
        topic="other methods",
        statement="A logarithmic bias (KERPLE-log) extrapolates better than a linear one.",
        verdict="right",
        source="On OpenWebText2, trained on 512 tokens, both have {kerple_log_512} at 512. At "
        "16,384 KERPLE-log has {kerple_log_16384}, ALiBi {kerple_alibi_16384}, T5 bias "
        "{kerple_t5_16384} and rotary {kerple_rope_16384}. The lead over ALiBi is "
        "{kerple_gain:.1f}.",
        view=PageState("methods", {"part": "variants", "variant": "KERPLE-log"}),
    ),
    Claim(
        key="sandwich-fire",
        topic="other methods",
        statement="Sandwich and FIRE extrapolate better than ALiBi.",
        verdict="open",
        source="We found no perplexity in the text of the two papers, as far as we read it, and "
        "so quote none.",
        view=PageState("methods", {"part": "variants", "variant": "Sandwich"}),
        cites=(("chi2023sandwich", "text"), ("li2024fire", "text")),
    ),
    Claim(
        key="xpos-alone",
        topic="other methods",
        statement="xPos makes rotary positions extrapolate.",
        verdict="imprecise",
        source="It does so together with attention in blocks: {xpos_1024} at 1,024 tokens and "
        "{xpos_4096} at 4,096, where ALiBi has {xpos_alibi_4096} and RoPE {xpos_rope_4096}. "
        "Without the blocks xPos has {xpos_alone_4096}; the blocks alone bring RoPE to "
        "{rope_blockwise_4096}.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="interpolation-untrained",
        topic="other methods",
        statement="Squeezing positions (PI) lets a rotary model read four times further without "
        "training.",
        verdict="wrong",
        source="LLaMA-7B was made for 2,048 tokens. On PG19 at {pi_before.eval_length:,} tokens "
        "its perplexity is {pi_before} when positions are only squeezed, and {pi_after} after 200 "
        "steps of fine-tuning. Without fine-tuning it runs, but badly.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="ntk-beats-pi",
        topic="other methods",
        statement="After fine-tuning, NTK-aware scaling beats linear interpolation.",
        verdict="imprecise",
        source="Within the length of the fine-tuning it does not: on Proof-pile at "
        "{llama_ntk_8192.eval_length:,} tokens, Llama-2-7B has {llama_ntk_8192} with NTK-aware "
        "scaling, {llama_pi_8192} with linear and {llama_yarn_8192} with YaRN. Beyond that "
        "length, in the same table, it does: at {llama_ntk_10240.eval_length:,} tokens NTK-aware "
        "has {llama_ntk_10240} and linear {llama_pi_10240}.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="million-hours",
        topic="other methods",
        statement="The paper on one million GPU hours before BLOOM is a search for "
        "hyperparameters.",
        verdict="wrong",
        source="It compares architectures, pretraining data and position methods, and changes one "
        "of them at a time.",
        view=PageState("methods", {"method": "ALiBi"}),
        cites=(("lescao2022million", "sections 3 and 4"),),
    ),
    Claim(
        key="moved-to-rope",
        topic="other methods",
        statement="The lineages of BLOOM and MPT have both moved from ALiBi to RoPE.",
        verdict="open",
        source="We found no source that says so. The two sources cited here chose ALiBi and say "
        "why; they cannot say what their makers did later, or why.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
        cites=(("bigscience2022bloom", "text"), ("mosaicml2023mpt", "text")),
    ),
)
