"""Claims about what ALiBi costs and saves."""

from alibi_viz.claims import computed, experiment
from alibi_viz.claims.claim import Claim, PageState

COST = (
    Claim(
        key="eleven-percent",
        topic="cost",
        statement="ALiBi is 11 % faster and needs 11 % less memory.",
        verdict="imprecise",
        source="True only where a model trained on 1,024 tokens replaces one trained on "
        "2,048: it reaches a given perplexity {faster_1024} faster, with {memory_1024} less "
        "memory. With 512 in place of 1,024 it is {faster_512} faster, {memory_512} less memory "
        "({memory_512_percent:.0f} "
        "%), and has a perplexity of {gap_512} relative to the longer model's.",
        view=PageState("extrapolation"),
    ),
    Claim(
        key="no-overhead",
        topic="cost",
        statement="ALiBi has no cost at run time.",
        verdict="imprecise",
        source="Its cost is very small. Relative to sinusoidal at the same length (512, 1,024, "
        "3,072), training speed changes by {train_speed_low:+.1f} to {train_speed_high:+.1f} %, "
        "evaluation speed by {eval_speed_low:+.1f} to {eval_speed_high:+.1f} % and memory by "
        "{memory_low:+.2f} to {memory_high:+.2f} %; the paper gives the last as {memory_increase}.",
        view=PageState("methods", {"part": "compare", "method": "ALiBi"}),
    ),
    Claim(
        key="rotary-is-slow",
        topic="cost",
        statement="Rotary makes training a third slower.",
        verdict="imprecise",
        source="In the paper's Table 1, yes. At 1,024 tokens it trains on {train_speed_rope_1024} "
        "words a second against sinusoidal's {train_speed_sinusoidal_1024} ({rope_slower:.0f} %) "
        "and evaluates {eval_speed_rope_1024} against {eval_speed_sinusoidal_1024}, with "
        "{memory_rope_1024} GB of memory against {memory_sinusoidal_1024}. Its footnote 5 says "
        "that optimised code is {rope_optimised} slower: it was the implementation, not the "
        "method.",
        view=PageState("methods", {"part": "compare", "method": "RoPE"}),
        measured=experiment.training_speed("rope"),
    ),
    Claim(
        key="t5-is-slow",
        topic="cost",
        statement="A T5 bias trains at half the speed.",
        verdict="imprecise",
        source="In the paper's Table 1, yes. At 1,024 tokens it trains on {train_speed_t5_1024} "
        "words a second against sinusoidal's {train_speed_sinusoidal_1024} ({t5_slower:.0f} %) "
        "and evaluates {eval_speed_t5_1024} against {eval_speed_sinusoidal_1024}, with "
        "{memory_t5_1024} GB of "
        "memory against {memory_sinusoidal_1024}. "
        "That is one implementation on the hardware of 2021.",
        view=PageState("methods", {"part": "compare", "method": "T5 bias"}),
        measured=experiment.training_speed("t5"),
    ),
    Claim(
        key="one-tensor-add",
        topic="cost",
        statement="Every attention kernel takes an additive bias, so ALiBi is one tensor addition.",
        verdict="imprecise",
        source="The paper adds the bias to the mask, and that needs a kernel that accepts a mask "
        "of numbers. Fused kernels differ: some accept such a mask, some accept the slopes, some "
        "neither. On a CPU, attention with a dense bias costs several times plain causal "
        "attention.",
        view=PageState("explore", {"heads": 32, "length": 8192}),
        cites=(("press2022alibi", "section 3"),),
        measured=computed.dense_bias,
    ),
)
