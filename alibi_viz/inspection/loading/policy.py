"""Which models a visitor may bring in: none from disk or hub unless whoever runs the app says so.

    ALIBI_VIZ_MODELS=<folder>   offers the model directories inside this folder, and nothing else
    ALIBI_VIZ_HUB=1             lets visitors name models of the Hugging Face hub

Without them a shared server shows the bundled models only. On one's own machine
`ALIBI_VIZ_MODELS=~/models ALIBI_VIZ_HUB=1 make run` opens both.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.policy import hub_is_allowed, is_hub_name

FOLDER_VARIABLE = "ALIBI_VIZ_MODELS"
HUB_VARIABLE = "ALIBI_VIZ_HUB"


@dataclass(frozen=True)
class ModelsPolicy:
    """What may be loaded."""

    folder: Path | None = None
    """Folder whose directories are offered, resolved; None for none."""
    allow_hub: bool = False
    """Whether models may be fetched from the hub by name."""

    @classmethod
    def from_environment(cls) -> "ModelsPolicy":
        """Returns the policy that the environment states.

        Raises:
            UnreadableModel: The folder named does not exist.
        """
        named = os.environ.get(FOLDER_VARIABLE, "").strip()
        folder = Path(named).expanduser().resolve() if named else None
        if folder is not None and not folder.is_dir():
            raise UnreadableModel(f"{FOLDER_VARIABLE} names {named}, which is no directory")
        return cls(folder, hub_is_allowed())

    def offered(self) -> list[str]:
        """Returns the names of the directories in the folder that hold a configuration, sorted.

        A link that leads out of the folder is not offered.
        """
        if self.folder is None:
            return []
        found = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                # What has no name that can be shown, or cannot be looked into, hides no other.
                with suppress(OSError, UnicodeError):
                    path.name.encode()
                    if (path / "config.json").exists() and self._inside(path.name) is not None:
                        found.append(path.name)
        return sorted(found)

    def directory(self, name: str) -> Path:
        """Returns the directory of that name in the folder.

        Raises:
            UnreadableModel: No folder is open, or the name leads out of it or to nothing.
        """
        if self.folder is None:
            raise UnreadableModel(
                "no models folder is open here; whoever runs the app opens one with "
                f"{FOLDER_VARIABLE}=<folder>"
            )
        inside = self._inside(name)
        if inside is None or not inside.is_dir():
            # One message for both, so that the answer tells nothing about the rest of the disk.
            raise UnreadableModel(f"the models folder holds no directory {name!r}")
        return inside

    def hub_name(self, name: str) -> str:
        """Returns the name if it may be fetched from the hub.

        Raises:
            UnreadableModel: The hub is closed here, or this is no name of the hub's form.
        """
        if not self.allow_hub:
            raise UnreadableModel(
                "models of the hub are switched off here; whoever runs the app switches them on "
                f"with {HUB_VARIABLE}=1"
            )
        if not is_hub_name(name):
            raise UnreadableModel(f"{name!r} is no hub name; they read owner/name")
        return name

    def _inside(self, name: str) -> Path | None:
        assert self.folder is not None
        if not name or "\0" in name or name != Path(name).name:
            return None
        resolved = (self.folder / name).resolve()
        return resolved if resolved.parent == self.folder else None
