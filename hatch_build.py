"""What the wheel requires, read from the files that pin it: the only list of each."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class CustomMetadataHook(MetadataHookInterface):
    """Fills in what pyproject.toml calls dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds dependencies, and those of the extra [models]."""
        metadata["dependencies"] = self._pins("requirements-core.txt")
        metadata["optional-dependencies"] = {"models": self._pins("requirements.txt")}

    def _pins(self, name: str) -> list[str]:
        lines = (Path(self.root) / name).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and not line.startswith(("#", "-r "))]
