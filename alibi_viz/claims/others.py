"""Claims about the other ways to handle position, where they are compared with ALiBi."""

from alibi_viz.claims import experiment
from alibi_viz.claims.claim import Claim, PageState

OTHERS = (
    Claim(
        key="nope-best",
        topic="other methods",
        statement="No position at all (NoPE) generalises best to longer inputs.",
        verdict="imprecise",
        source="On ten reasoning-like tasks, yes: mean reciprocal rank {rank_nope}, T5 bias "
        "{rank_t5}, ALiBi {rank_alibi}, rotary {rank_rope}, absolute {rank_absolute}. Not as a "
        "language model of code: trained on 1,024 tokens and scored at 2,560, NoPE is at "
        "{code_nope_2560} and ALiBi at {code_alibi_2560}, from {code_nope_1024} and "
        "{code_alibi_1024}.",
        view=PageState("extrapolation", {"methods": "NoPE"}),
        measured=experiment.nope_beside_alibi,
    ),
    Claim(
        key="kerple-ahead",
        topic="other methods",
        statement="A logarithmic bias (KERPLE-log) extrapolates better than a linear one.",
        verdict="right",
        source="OpenWebText2, trained on 512: both {kerple_log_512} at 512; at 16,384 KERPLE-log "
        "{kerple_log_16384}, ALiBi {kerple_alibi_16384}, T5 bias {kerple_t5_16384}, rotary "
        "{kerple_rope_16384}. The lead over ALiBi is {kerple_gain:.1f}.",
        view=PageState("methods", {"part": "variants", "variant": "KERPLE-log"}),
    ),
    Claim(
        key="sandwich-fire",
        topic="other methods",
        statement="Sandwich and FIRE extrapolate better than ALiBi.",
        verdict="open",
        source="No perplexity could be found in the text of the two papers, as far as it was read, "
        "so none is quoted here.",
        view=PageState("methods", {"part": "variants", "variant": "Sandwich"}),
        cites=(("chi2023sandwich", "text"), ("li2024fire", "text")),
    ),
    Claim(
        key="xpos-alone",
        topic="other methods",
        statement="xPos makes rotary positions extrapolate.",
        verdict="imprecise",
        source="Together with attention in blocks: {xpos_1024} at 1,024, {xpos_4096} at 4,096, "
        "where ALiBi has {xpos_alibi_4096} and RoPE {xpos_rope_4096}. Without the blocks xPos has "
        "{xpos_alone_4096}; the blocks alone bring RoPE to {rope_blockwise_4096}.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="interpolation-untrained",
        topic="other methods",
        statement="Squeezing positions (PI) lets a rotary model read four times further without "
        "training.",
        verdict="wrong",
        source="LLaMA-7B, made for 2,048 tokens, on PG19 at {pi_before.eval_length:,}: "
        "squeezed and not trained further it is at {pi_before}, after 200 steps of fine-tuning at "
        "{pi_after}. It then runs, and badly.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="ntk-beats-pi",
        topic="other methods",
        statement="After fine-tuning, NTK-aware scaling beats linear interpolation.",
        verdict="imprecise",
        source="Not within the length of the fine-tuning. Llama-2-7B on Proof-pile at "
        "{llama_ntk_8192.eval_length:,} tokens: NTK-aware {llama_ntk_8192}, linear "
        "{llama_pi_8192}, YaRN {llama_yarn_8192}. Beyond it, in the same table, yes: at "
        "{llama_ntk_10240.eval_length:,} NTK-aware {llama_ntk_10240}, linear {llama_pi_10240}.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
    ),
    Claim(
        key="million-hours",
        topic="other methods",
        statement="The paper on one million GPU hours before BLOOM is a search for "
        "hyperparameters.",
        verdict="wrong",
        source="It compares architectures, data for pretraining and position methods, each changed "
        "by itself.",
        view=PageState("methods", {"method": "ALiBi"}),
        cites=(("lescao2022million", "sections 3 and 4"),),
    ),
    Claim(
        key="moved-to-rope",
        topic="other methods",
        statement="The lineages of BLOOM and MPT have both moved from ALiBi to RoPE.",
        verdict="open",
        source="No source was found that says so. The two that are cited here took ALiBi and say "
        "why; what their makers did later, and for which reason, they cannot say.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
        cites=(("bigscience2022bloom", "text"), ("mosaicml2023mpt", "text")),
    ),
)
