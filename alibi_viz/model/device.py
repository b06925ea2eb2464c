"""Which device computes, and in which number format."""

import argparse
from contextlib import AbstractContextManager, nullcontext

import torch

DEVICES = ("auto", "cpu", "cuda", "mps")


def add_device_options(parser: argparse.ArgumentParser, *, default: str = "auto") -> None:
    """Adds `--device` and `--threads`, which `device_of` reads, to a command.

    Args:
        parser: Of the command.
        default: One of `DEVICES`.
    """
    parser.add_argument("--device", default=default, choices=DEVICES)
    parser.add_argument("--threads", type=int, help="of the CPU; torch's choice if left out")


def device_of(args: argparse.Namespace) -> torch.device:
    """Returns the device that a command was asked for, and sets the CPU's threads.

    Raises:
        ValueError: A device that this machine lacks.
    """
    if args.threads:
        torch.set_num_threads(args.threads)
    return choose_device(args.device)


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
