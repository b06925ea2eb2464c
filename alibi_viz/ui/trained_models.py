"""Which trained models a visitor may look into: bundled, trained here, in a folder, on the hub."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.policy import ModelsPolicy
from alibi_viz.jobs.evaluate_request import checkpoint_folder
from alibi_viz.jobs.models import own_models
from alibi_viz.jobs.store import JOBS
from alibi_viz.paths import CHECKPOINTS

PREFERRED = "alibi-L128-s0"
FOLDER, HUB, OWN = "folder:", "hub:", "own:"


@dataclass(frozen=True)
class ModelChoice:
    """A model that can be chosen; its name stands in the list and in the URL."""

    name: str
    """The checkpoint's folder for bundled models; others with where they come from in front."""

    @property
    def is_hub(self) -> bool:
        """Whether it is fetched by name."""
        return self.name.startswith(HUB)

    def source(self, policy: ModelsPolicy) -> str | Path:
        """Returns its directory, or its name on the hub.

        Raises:
            UnreadableModel: The policy does not allow it, or nothing of that name is there.
        """
        origin, _, rest = self.name.partition(":")
        if self.name.startswith(FOLDER):
            return policy.directory(rest)
        if self.is_hub:
            return policy.hub_name(rest)
        if self.name.startswith(OWN):
            return checkpoint_folder(self.name, JOBS)
        if origin != Path(origin).name or not (CHECKPOINTS / origin / "config.json").is_file():
            raise UnreadableModel(f"no bundled model is called {self.name!r}")
        return CHECKPOINTS / origin


def policy() -> ModelsPolicy:
    """Returns what whoever runs the app allows; a folder that is not there allows nothing."""
    try:
        return ModelsPolicy.from_environment()
    except UnreadableModel as error:
        st.warning(str(error))
        return ModelsPolicy()


def model_names(allowed: ModelsPolicy) -> list[str]:
    """Returns the names of all models that can be chosen now, the preferred one first.

    Args:
        allowed: What whoever runs the app allows.
    """
    bundled = sorted(path.parent.name for path in CHECKPOINTS.glob("*/config.json"))
    names = [
        *sorted(bundled, key=lambda name: (name != PREFERRED, not name.startswith("alibi"), name)),
        *(model.name for model in own_models()),
        *(f"{FOLDER}{name}" for name in allowed.offered()),
    ]
    fetched = st.session_state.get("_hub_model")
    return [*names, f"{HUB}{fetched}"] if fetched and allowed.allow_hub else names
