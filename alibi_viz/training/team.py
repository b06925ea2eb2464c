"""Several processes at work on one run, as torchrun starts them: each takes a share of every batch.

torch's DistributedDataParallel averages the gradients over the processes, so that a run's result
depends on the whole batch, and beyond rounding not on how many share it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Team:
    """The processes of a run, as one of them sees it; alone if nothing else is said."""

    rank: int = 0
    """This process's number."""
    size: int = 1
    """Number of processes."""

    @property
    def is_lead(self) -> bool:
        """Whether this process is the one that writes, validates and reports."""
        return self.rank == 0

    def check(self, batch_size: int) -> None:
        """Raises ValueError where the batch cannot be shared evenly."""
        if batch_size % self.size:
            raise ValueError(
                f"batch_size must be a multiple of the {self.size} processes that share it, "
                f"got {batch_size}"
            )

    def share(self, batch: Tensor) -> Tensor:
        """Returns this process's rows of a batch: every `size`-th, from `rank` on.

        Args:
            batch: (batch, length), the same in every process.
        """
        return batch[self.rank :: self.size]

    def wrap(self, model: nn.Module) -> nn.Module:
        """Returns a module that runs `model` and averages gradients; `model` itself if alone."""
        return model if self.size == 1 else DistributedDataParallel(model)

    def mean(self, value: Tensor) -> Tensor:
        """Returns the mean over processes of a number that each has, without gradient."""
        if self.size == 1:
            return value
        total = value.detach().clone()
        distributed.all_reduce(total)
        return total / self.size

    def any(self, flag: bool, device: torch.device) -> bool:
        """Returns whether any process says so, the same in every process."""
        if self.size == 1:
            return flag
        return bool(self.mean(torch.tensor(float(flag), device=device)).item() > 0)


@contextmanager
def joined(device: torch.device) -> Iterator[tuple[Team, torch.device]]:
    """Joins the team that torchrun's environment describes, and gives it with this one's device.

    Without torchrun it is a team of one, and nothing is joined.

    Args:
        device: What to compute on; with several GPUs each process takes its own.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Team(), device
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Team(distributed.get_rank(), size), device
    finally:
        distributed.destroy_process_group()
