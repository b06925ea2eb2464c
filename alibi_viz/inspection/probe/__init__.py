"""The probe: does a model do with positions what its configuration says, however texts come?"""

from alibi_viz.inspection.probe.lengths import LONG_LENGTH
from alibi_viz.inspection.probe.run import STEPS, probe, probe_folder
from alibi_viz.inspection.probe.verdict import ProbeVerdict

__all__ = ["LONG_LENGTH", "STEPS", "ProbeVerdict", "probe", "probe_folder"]
