"""From a directory or a hub name to a model that can be asked: safetensors, no foreign code."""

import shutil
from pathlib import Path

from alibi_viz.child.limits import USABLE, available_memory
from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary
from alibi_viz.inspection.loading.files import (
    ESTIMATE_LENGTH,
    ModelFiles,
    estimate_memory,
    examine,
    gigabytes,
)
from alibi_viz.words import plain_text

HUB_FILES = ["*.json", "*.safetensors", "*.model", "*.txt"]


def load_model(
    source: str | Path,
    *,
    length: int = ESTIMATE_LENGTH,
    allow_hub: bool = False,
    trust_code: bool = False,
) -> Adapter:
    """Returns a model, ours or one of `transformers`, ready to be looked into.

    Args:
        source: Directory; or a name on the hub, when there is no such directory and `allow_hub`.
        length: Longest text that will be shown, in tokens, for the memory estimate.
        allow_hub: Whether the hub may be asked; it gives settings and safetensors only.
        trust_code: Whether code that the directory brings may run, as any program may.

    Raises:
        UnreadableModel: Anything that keeps the model from being read; the message says what.
    """
    directory = directory_of(source, allow_hub=allow_hub)
    files = examine(directory, root_of(directory, allow_hub=allow_hub))
    return open_files(files, length=length, trust_code=trust_code)


def directory_of(source: str | Path, *, allow_hub: bool) -> Path:
    """Returns the directory that a name stands for, fetched from the hub if it may and must be.

    Args:
        source: Directory, or a name on the hub.
        allow_hub: Whether the hub may be asked where there is no such directory.

    Raises:
        UnreadableModel: The hub does not give the model.
    """
    directory = Path(source)
    return directory if directory.is_dir() or not allow_hub else fetch_from_hub(str(source))


def root_of(directory: Path, *, allow_hub: bool) -> Path:
    """Returns the folder that all files of a model must lie in, links included.

    Args:
        directory: The model's.
        allow_hub: Whether the hub's cache counts, where a model's files are links to its blobs.
    """
    if not allow_hub:
        return directory
    from huggingface_hub import constants

    cache, found = Path(constants.HF_HUB_CACHE).resolve(), directory.resolve()
    inside = found.relative_to(cache).parts if found.is_relative_to(cache) else ()
    return cache / inside[0] if inside else directory


def open_files(
    files: ModelFiles, *, length: int = ESTIMATE_LENGTH, trust_code: bool = False
) -> Adapter:
    """Returns the model in an examined directory, ready to be looked into.

    Args:
        files: What `examine` found.
        length: Longest text that will be shown, in tokens, for the memory estimate.
        trust_code: Whether code that the directory brings may run.

    Raises:
        UnreadableModel: Anything that keeps the model from being read; the message says what.
    """
    name = plain_text(files.directory.name)
    with boundary(name, "cannot be opened", folder=files.directory):
        estimate = estimate_memory(files, length)
        if estimate.is_too_large:
            raise UnreadableModel(f"{name} {estimate.sentence}: too large for this machine")
        if files.kind == "own":
            from alibi_viz.inspection.loading.own_files import open_own

            return open_own(files)
        from alibi_viz.inspection.loading.hugging_face_files import open_hugging_face

        return open_hugging_face(files, trust_code=trust_code)


def fetch_from_hub(name: str) -> Path:
    """Returns the directory of a hub model, fetched once and kept in the library's cache.

    Asks for the sizes first: a model that would not fit in memory, or would take more than half of
    the free disk, is not fetched.

    Raises:
        UnreadableModel: No such model, no network, no safetensors, or too large.
    """
    from huggingface_hub import HfApi, constants, snapshot_download
    from huggingface_hub.errors import (  # type: ignore[attr-defined]  # HTTPError is inherited
        HFValidationError,
        HTTPError,
    )

    try:
        siblings = HfApi().model_info(name, files_metadata=True).siblings or []
        weights = sum(s.size or 0 for s in siblings if s.rfilename.endswith(".safetensors"))
        _require_fetchable(name, weights, Path(constants.HF_HUB_CACHE))
        return Path(snapshot_download(name, allow_patterns=HUB_FILES))
    except (OSError, HTTPError, HFValidationError) as error:
        raise UnreadableModel(f"the hub does not give {name}: {first_lines(error)}") from error


def _require_fetchable(name: str, weights: int, cache: Path) -> None:
    if not weights:
        raise UnreadableModel(f"{name} has no safetensors on the hub; pickles are never opened")
    memory = available_memory()
    if memory is not None and weights > USABLE * memory:
        raise UnreadableModel(
            f"{name} has {gigabytes(weights)} of weights, {gigabytes(memory)} of memory are free: "
            "too large for this machine"
        )
    existing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if weights > free / 2:
        raise UnreadableModel(f"{name} has {gigabytes(weights)} of weights, the disk has no room")
