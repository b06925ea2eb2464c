"""Which trained models a visitor may look into: bundled, trained here, in a folder, on the hub."""

from pathlib import Path

import streamlit as st

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.policy import ModelsPolicy
from alibi_viz.jobs.models import TrainedModel, trained_models
from alibi_viz.policy import hub_is_allowed
from alibi_viz.ui.show.plain import unmarked

PREFERRED = "alibi-L128-s0"
BUNDLED, FOLDER, HUB = "bundled:", "folder:", "hub:"


def policy() -> ModelsPolicy:
    """Returns what whoever runs the app allows; a folder that is not there offers nothing."""
    try:
        return ModelsPolicy.from_environment()
    except UnreadableModel:
        return ModelsPolicy(allow_hub=hub_is_allowed())


def warn_of_missing_folder() -> None:
    """Says that the folder of models is not there, where one is named; for once on a page."""
    try:
        ModelsPolicy.from_environment()
    except UnreadableModel as error:
        st.warning(unmarked(f"{error}."))


def model_names(allowed: ModelsPolicy) -> list[str]:
    """Returns the names of all models that can be chosen now, the preferred one first.

    A bundled model is named by its folder, the others with where they come from in front.

    Args:
        allowed: What whoever runs the app allows.
    """
    names = [
        *sorted(_catalogue(), key=_place),
        *(f"{FOLDER}{name}" for name in allowed.offered()),
    ]
    fetched = st.session_state.get("_hub_model")
    return [*names, f"{HUB}{fetched}"] if fetched and allowed.allow_hub else names


def alibi_names() -> list[str]:
    """Returns the names of the ALiBi models bundled or trained here, the preferred one first."""
    named = [name for name, model in _catalogue().items() if model.position == "alibi"]
    return sorted(named, key=_place)


def source_of(name: str, allowed: ModelsPolicy) -> str | Path:
    """Returns a model's directory, or its name on the hub.

    Args:
        name: As `model_names` gives it.
        allowed: What whoever runs the app allows.

    Raises:
        UnreadableModel: It is not allowed, or nothing of that name is there.
    """
    if name.startswith(FOLDER):
        return allowed.directory(name.removeprefix(FOLDER))
    if name.startswith(HUB):
        return allowed.hub_name(name.removeprefix(HUB))
    found = _catalogue().get(name)
    if found is None:
        raise UnreadableModel(f"there is no model called {name!r} here")
    return found.folder


def label_of(name: str) -> str:
    """Returns what a model is, in words where that is known, else its name."""
    found = _catalogue().get(name)
    return name if found is None else found.label


def _catalogue() -> dict[str, TrainedModel]:
    """Returns the models of this project by their names in the list."""
    return {model.name.removeprefix(BUNDLED): model for model in trained_models()}


def _place(name: str) -> tuple[bool, bool, bool, str]:
    """Returns where a model of this project stands in the list: ALiBi first, own ones last."""
    return (name != PREFERRED, name.startswith("own:"), not name.startswith("alibi"), name)
