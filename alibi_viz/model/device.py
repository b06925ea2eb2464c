"""Which device computes, and in which number format."""

from contextlib import AbstractContextManager, nullcontext

import torch

DEVICES = ("auto", "cpu", "cuda", "mps")


def choose_device(name: str = "auto") -> torch.device:
    """Returns the device called `name`; "auto" is CUDA, else MPS, else the CPU.

    Raises:
        ValueError: An unknown name, or a device that this machine lacks.
    """
    if name not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {name!r}")
    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next((kind for kind, here in present.items() if here), "cpu"))
    if not present.get(name, True):
        raise ValueError(f"this machine has no {name} device that torch can use")
    return torch.device(name)


def autocast(device: torch.device) -> AbstractContextManager[object]:
    """Returns bfloat16 autocast on CUDA, and nothing elsewhere: it is slower on most CPUs."""
    if device.type == "cuda":
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()
