"""The probe: does a model do with positions what its configuration says, on every path?"""

from alibi_viz.inspection.probe.verdict import LONG_LENGTH, STEPS, ProbeVerdict, probe

__all__ = ["LONG_LENGTH", "STEPS", "ProbeVerdict", "probe"]
