"""Claims about how good ALiBi is: perplexity at and past the training length."""

from alibi_viz.claims import experiment
from alibi_viz.claims.claim import Claim, PageState

_CURVES = PageState("extrapolation")

PERPLEXITY = (
    Claim(
        key="table-one",
        topic="perplexity",
        statement="Table 1 of the ALiBi paper gives {haviv_wikitext_sinusoidal} for sinusoidal, "
        "{haviv_wikitext_learned} for learned and {haviv_wikitext_alibi} for ALiBi at 512 tokens.",
        verdict="wrong",
        source="Those numbers come from another paper. At 512 tokens the ALiBi paper itself has "
        "sinusoidal {sinusoidal_512_512}, rotary {rope_512_512}, T5 bias {t5_512_512} and ALiBi "
        "{alibi_512_512}. It trains no model with learned positions, and its Table 1 is about "
        "speed and memory.",
        view=_CURVES,
        measured=experiment.at_training_length,
    ),
    Claim(
        key="clipped-axis",
        topic="perplexity",
        statement="Fed 16,000 tokens, a sinusoidal model goes from about 20 to about 50.",
        verdict="wrong",
        source="Its perplexity is already {sinusoidal_512_1112} at "
        "{sinusoidal_512_1112.eval_length:,} tokens, and {sinusoidal_512_15512} at "
        "{sinusoidal_512_15512.eval_length:,}. The axis of the paper's Figure 1 ends at 55.",
        view=PageState("extrapolation", {"methods": "Sinusoidal"}),
        cites=(("press2022alibi", "Figure 1"),),
        measured=experiment.growth("sinusoidal"),
    ),
    Claim(
        key="fifty-five",
        topic="perplexity",
        statement="Trained on 1,024 tokens and fed 16,000, a sinusoidal model ends at 55 or more, "
        "a rotary one at 45 or more.",
        verdict="imprecise",
        source="Both end far higher. At {rope_1024_last.eval_length:,} tokens the paper's table "
        "has {sinusoidal_1024_last} for sinusoidal and {rope_1024_last} for rotary.",
        view=PageState(
            "extrapolation", {"methods": "Sinusoidal,RoPE", "paper": "WikiText-103 1024"}
        ),
    ),
    Claim(
        key="t5-near-nineteen",
        topic="perplexity",
        statement="T5 bias, trained on 1,024 tokens, stays near 19 up to 3,000.",
        verdict="right",
        source="Perplexity starts at {t5_1024_1024}, is lowest at {t5_1024_best.eval_length:,} "
        "tokens with {t5_1024_best}, and is {t5_1024_3024} at {t5_1024_3024.eval_length:,}. Then "
        "it rises: {t5_1024_4024} at "
        "{t5_1024_4024.eval_length:,}, {t5_1024_12024} at {t5_1024_12024.eval_length:,}.",
        view=PageState("extrapolation", {"methods": "T5 bias", "paper": "WikiText-103 1024"}),
        measured=experiment.growth("t5"),
    ),
    Claim(
        key="rotary-at-twice",
        topic="perplexity",
        statement="Rotary models are at their best near twice the length they were trained on.",
        verdict="wrong",
        source="Trained on 512 tokens, rotary is best at {rope_512_best.ratio:.2f} times that "
        "length; trained on 1,024, at {rope_1024_best.ratio:.2f} times. The method that improves "
        "up to {t5_512_best.ratio:.2f} times is T5 bias, trained on 512.",
        view=PageState("extrapolation", {"methods": "RoPE"}),
        measured=experiment.growth("rope"),
    ),
    Claim(
        key="near-nineteen",
        topic="perplexity",
        statement="ALiBi stays near 19 all the way to 16,000 tokens.",
        verdict="imprecise",
        source="Trained on 1,024 tokens it starts at {alibi_1024_1024}, improves to "
        "{alibi_1024_best} at {alibi_1024_best.eval_length:,} tokens and ends at "
        "{alibi_1024_last} at {alibi_1024_last.eval_length:,}: better than where it began.",
        view=PageState("extrapolation", {"methods": "ALiBi", "paper": "WikiText-103 1024"}),
        measured=experiment.growth("alibi"),
    ),
    Claim(
        key="sweet-spot",
        topic="perplexity",
        statement="ALiBi is best at twice its training length and level from there on.",
        verdict="imprecise",
        source="On CC100 (1.3B parameters) ALiBi is best near twice its training length, and then "
        "perplexity rises. Trained on 512, it climbs from {cc100_alibi_512_best} back to "
        "{cc100_alibi_512_last}, above the {cc100_alibi_512_first} that it started with; trained "
        "on 1,024, from {cc100_alibi_1024_best} to {cc100_alibi_1024_last}, against "
        "{cc100_alibi_1024_first} at the start. On WikiText-103 it goes on improving, to "
        "{alibi_1024_best.ratio:.0f} times a training length of 1,024 and "
        "{alibi_512_best.ratio:.0f} times one of 512.",
        view=PageState("extrapolation", {"methods": "ALiBi", "paper": "CC100 512"}),
        measured=experiment.growth("alibi"),
    ),
    Claim(
        key="half-the-length",
        topic="perplexity",
        statement="ALiBi trained on L tokens is as good as sinusoidal trained on 2 L.",
        verdict="imprecise",
        source="Which number is lower depends on what is kept equal, and both differences are "
        "smaller than single runs can tell. At 2,048 tokens and equal GPU hours, ALiBi trained on "
        "1,024 has {hours_alibi_1024_2048} and sinusoidal {hours_sinusoidal_2048_2048}. At equal "
        "numbers of updates, sinusoidal has {updates_sinusoidal_2048_2048} and ALiBi "
        "{updates_alibi_1024_2048}.",
        view=PageState("extrapolation", {"paper": "CC100 1024"}),
        measured=experiment.half_the_length,
    ),
    Claim(
        key="within-training-length",
        topic="perplexity",
        statement="At the training length ALiBi beats all other methods.",
        verdict="wrong",
        source="Runs in the paper's Table 5 differ by up to a quarter, so numbers that are closer "
        "count as level here. At 64 tokens sinusoidal is ahead ({sinusoidal_64_64} against "
        "{alibi_64_64}), at "
        "128 the two are level ({sinusoidal_128_128}, {alibi_128_128}). T5 bias is level with "
        "ALiBi at 512 ({t5_512_512}, {alibi_512_512}) and at 1,024 ({t5_1024_1024}, "
        "{alibi_1024_1024}); at 3,072 ALiBi is ahead ({alibi_3072_3072} against "
        "{t5_3072_3072}). With 1.3B parameters ALiBi and sinusoidal are level at 512, 1,024 and "
        "2,048: {updates_alibi_512_512}, {updates_alibi_1024_1024}, {updates_alibi_2048_2048} and "
        "{updates_sinusoidal_512_512}, {updates_sinusoidal_1024_1024}, "
        "{updates_sinusoidal_2048_2048}.",
        view=_CURVES,
        measured=experiment.at_training_length,
    ),
    Claim(
        key="early-token-curse",
        topic="perplexity",
        statement="Perplexity falls with longer inputs because ALiBi makes use of the longer "
        "context.",
        verdict="wrong",
        source="A sliding window of stride 1 gives every token full context. Scored so, the model "
        "trained on 512 stays where it was: {stride1_alibi_512_512} at 512 tokens, "
        "{stride1_alibi_512_3072} at 3,072. In nonoverlapping windows it goes from "
        "{alibi_512_512} to {alibi_512_3072}. The authors put that down largely to the "
        "early-token curse: in longer windows, fewer tokens have little before them.",
        view=PageState("extrapolation", {"methods": "ALiBi", "protocol": "sliding window"}),
        cites=(("press2022alibi", "Appendix B"),),
        measured=experiment.both_protocols,
    ),
    Claim(
        key="recency-explained",
        topic="perplexity",
        statement="Section 5 of the ALiBi paper explains why a bias towards what is recent helps.",
        verdict="wrong",
        source="Section 5 is about related work and does not say so. Appendix B does look into "
        "something else: why perplexity falls with longer inputs.",
        view=PageState("decay"),
        cites=(("press2022alibi", "section 5 and Appendix B"),),
    ),
    Claim(
        key="more-new-tokens",
        topic="perplexity",
        statement="Short windows hurt because more of their tokens are new, says the ALiBi paper.",
        verdict="wrong",
        source="It does not. It says that the early tokens of each window have little before them; "
        "the number of tokens scored is the same at every length.",
        view=PageState("extrapolation", {"methods": "ALiBi", "protocol": "sliding window"}),
        cites=(("press2022alibi", "Appendix B"),),
    ),
    Claim(
        key="nopos-numbers",
        topic="perplexity",
        statement="With 1.3B parameters on the Pile: ALiBi {haviv_pile_alibi}, sinusoidal "
        "{haviv_pile_sinusoidal}, no positions {haviv_pile_nopos}.",
        verdict="right",
        source="The paper says so, and gives {haviv_pile_learned} for learned positions. It calls "
        "a model without positions NoPos; NoPE is a later paper's name. ALiBi's lead over "
        "sinusoidal shrinks with size: {gap_125m:.2f} at 125M parameters, {gap_1_3b:.2f} at 1.3B.",
        view=_CURVES,
        measured=experiment.at_training_length,
    ),
    Claim(
        key="independent",
        topic="perplexity",
        statement="BLOOM's ablations and Haviv et al. reproduce ALiBi independently.",
        verdict="wrong",
        source="Ofir Press is an author of both papers. Independent numbers are in KERPLE "
        "(trained on "
        "512, {kerple_alibi_512} at 512 and {kerple_alibi_16384} at 16,384), in xPos (trained on "
        "1,024, {xpos_alibi_1024} at 1,024 and {xpos_alibi_4096} at 4,096) and in Kazemnejad et "
        "al. (mean reciprocal rank {rank_alibi} over ten tasks).",
        view=_CURVES,
        cites=(("haviv2022nopos", "authors"), ("lescao2022million", "authors")),
    ),
)
