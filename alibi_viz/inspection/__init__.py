"""Trained models from outside or of this project: loaded, read back and looked into."""

from alibi_viz.inspection.asserting import assert_alibi

__all__ = ["assert_alibi"]
