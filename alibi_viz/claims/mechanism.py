"""Claims about what ALiBi is: the bias, the mask, the slopes."""

from alibi_viz.claims import computed
from alibi_viz.claims.claim import Claim, PageState

MECHANISM = (
    Claim(
        key="e-to-minus-two",
        topic="mechanism",
        statement="At slope 1/256 a token 512 back has a weight of about 0.14.",
        verdict="wrong",
        source="That number, e to the power of −2, only compares this key with the query's own "
        "token. The softmax then divides it by the sum over all keys.",
        view=PageState("decay", {"heads": 8, "length": 512}),
        cites=(("press2022alibi", "section 3"),),
        measured=computed.unnormalised_factor,
    ),
    Claim(
        key="clamp-without-mask",
        topic="mechanism",
        statement="A reference snippet clamps the distance to 0 above the diagonal, so it needs no "
        "mask.",
        verdict="wrong",
        source="A bias of 0 is not a mask. Future keys keep their weight, and the model reads "
        "what it should predict. The causal form needs −∞ there.",
        view=PageState("explore", {"heads": 2, "length": 4}),
        cites=(("press2022alibi", "section 3"),),
        measured=computed.leak_without_mask,
    ),
    Claim(
        key="divided-by-root",
        topic="mechanism",
        statement="The bias is divided by √d_head together with q·k.",
        verdict="wrong",
        source="In the paper it is added after the division, and most code does so. Where code "
        "divides both, the slopes that act are flatter by √d_head.",
        view=PageState("methods", {"method": "ALiBi"}),
        cites=(("press2022alibi", "section 3"),),
        measured=computed.divided_by_root,
    ),
    Claim(
        key="twelve-heads",
        topic="mechanism",
        statement="For every head count H the slopes are 2 to the power of −8h/H.",
        verdict="imprecise",
        source="The paper's text says so. The authors' code departs from it when H is not a power "
        "of two, and its slopes are then not sorted. Nearly every trained checkpoint follows the "
        "code.",
        view=PageState("explore", {"heads": 12, "rule": "interleaved"}),
        cites=(("press2022alibi", "section 3 and the authors' code"),),
        measured=computed.rules_at_twelve,
    ),
    Claim(
        key="one-hyperparameter",
        topic="mechanism",
        statement="The exponent 8 is the only hyperparameter, and nobody needs to touch it.",
        verdict="imprecise",
        source="It was found by trying {slope_sets} sets of slopes by hand, and "
        "MPT-7B-StoryWriter, made for long texts, uses 16.",
        view=PageState("explore", {"heads": 8, "exponent": 16}),
        cites=(("mosaicml2023mpt", "MPT-7B-StoryWriter"),),
        measured=computed.two_exponents,
    ),
    Claim(
        key="trained-slopes",
        topic="mechanism",
        statement="Slopes would be better if they were trained.",
        verdict="open",
        source="The authors tried it: training speed changed by {trainable_speed}, and "
        "extrapolation was not strong. KERPLE-log has a bias of another shape, trains two numbers "
        "a head and "
        "extrapolates better: "
        "{kerple_log_16384} against {kerple_alibi_16384} at 16,384 tokens.",
        view=PageState("methods", {"part": "variants", "variant": "KERPLE-log"}),
    ),
)
