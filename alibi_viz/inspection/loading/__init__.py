"""From a directory or a hub name to a model that can be asked: safetensors, no foreign code."""

from alibi_viz.inspection.loading.source import (
    directory_of,
    fetch_from_hub,
    load_model,
    open_files,
    root_of,
)

__all__ = ["directory_of", "fetch_from_hub", "load_model", "open_files", "root_of"]
