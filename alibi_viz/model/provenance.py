"""What a result says of how it came about."""

import platform
import shlex
import sys

import safetensors
import tokenizers
import torch


def command_line() -> str:
    """Returns the command that is running, as one would type it in the project's folder."""
    return shlex.join(["python", "-m", "alibi_viz", *sys.argv[1:]])


def versions() -> dict[str, str]:
    """Returns the versions that a result depends on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__.split("+")[0],
        "tokenizers": tokenizers.__version__,
        "safetensors": safetensors.__version__,
    }
