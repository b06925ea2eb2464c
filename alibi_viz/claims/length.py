"""Claims about how far ALiBi reaches."""

from alibi_viz.claims import computed, experiment
from alibi_viz.claims.claim import Claim, PageState

LENGTH = (
    Claim(
        key="distance-8192",
        topic="length",
        statement="No head can attend to a token 8,192 back.",
        verdict="wrong",
        source="In the flattest head, with a slope of 1/256, that distance costs 32 nats. A "
        "content logit that leads by more still wins, and several layers can hand information on.",
        view=PageState(
            "retrieval",
            {
                "of": "one needle",
                "needle_model": "alibi-free4",
                "needle_length": 8192,
                "needle_distance": 8191,
            },
        ),
        cites=(("press2022alibi", "section 3"),),
        measured=computed.nats_at_8192,
    ),
    Claim(
        key="any-length",
        topic="length",
        statement="ALiBi works at any length: a model trained on 4,000 tokens reads 16,000 as it "
        "is.",
        verdict="open",
        source="It is defined at any length, but that does not make it good at any length. The "
        "paper's WikiText-103 model holds up to {alibi_512_last.ratio:.0f} times its training "
        "length. For a fully trained model, another paper reports useful extrapolation only to "
        "about {useful_extrapolation:.0f} % beyond the training length.",
        view=PageState("extrapolation", {"methods": "ALiBi"}),
        measured=experiment.growth("alibi"),
    ),
    Claim(
        key="interpolated-slopes",
        topic="length",
        statement="Dividing the slopes by L / L_train keeps ALiBi good up to twice the training "
        "length, without more training.",
        verdict="right",
        source="One paper reports it, for one family of models, to {interpolated_reach}.",
        view=PageState("methods", {"part": "variants", "variant": "interpolated"}),
    ),
    Claim(
        key="ntk-alibi",
        topic="length",
        statement="Spreading the slopes unevenly (NTK-ALiBi) finds topics far past the training "
        "length.",
        verdict="open",
        source="At about 3,000 tokens BLOOM-1b7 finds {retrieval_plain} % with plain ALiBi, "
        "{retrieval_interpolated} % with interpolated slopes and {retrieval_ntk} % with "
        "NTK-ALiBi. The test has fifty texts; it stands in a repository's readme and was not "
        "reviewed.",
        view=PageState("methods", {"part": "variants", "variant": "interpolated"}),
    ),
    Claim(
        key="lost-in-the-middle",
        topic="length",
        statement="Lost in the Middle shows that models favour what is recent.",
        verdict="imprecise",
        source="It shows a U: the beginning and the end are both favoured. MPT-30B-Instruct, the "
        "model with ALiBi, answers {middle_mpt_0} / {middle_mpt_4} / {middle_mpt_9} / "
        "{middle_mpt_14} / {middle_mpt_19} % from first to last place. Best minus worst, in "
        "points: MPT {middle_mpt_range:.1f}, Claude-1.3 {middle_claude_range:.1f}, LongChat-13B "
        "{middle_longchat_range:.1f}, GPT-3.5-Turbo {middle_gpt35_range:.1f}.",
        view=PageState("retrieval", {"of": "middle"}),
    ),
)
