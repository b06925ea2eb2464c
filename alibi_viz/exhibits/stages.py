"""The stages of attention whose numbers can be shown; apart from the numbers, which need torch."""

STAGE_STEPS = {
    "embedding": {"embedding"},
    "q, k, v": {"query, key, value"},
    "logits to weights": {"logits", "mask", "softmax"},
    "output": {"output"},
}
"""The steps of the diagram that each stage stands for."""
STAGES = tuple(STAGE_STEPS)
