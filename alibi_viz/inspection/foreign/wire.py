"""Values between the server and its child: JSON and the bytes of arrays; nothing is unpickled.

What comes back is built of known classes only: those that results are made of, found by their
fields' types. An answer that does not fit them is refused.
"""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
import torch
from torch import Tensor

from alibi_viz.child.attached import Attached
from alibi_viz.inspection.foreign.answers import ANSWERS

_DTYPES = {
    str(kind).removeprefix("torch."): kind
    for kind in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
        *(torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool),
    )
}
_SEQUENCES: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple, "list": list, "set": set, "frozenset": frozenset,
}  # fmt: skip


def packed(value: Any) -> Attached:
    """Returns a value as JSON can hold it, and its arrays as bytes.

    Raises:
        TypeError: Something in it can be no part of an answer.
    """
    parts: list[bytes] = []
    return Attached(_pack(value, parts), tuple(parts))


def unpacked(answer: Attached) -> Any:
    """Returns the value that `packed` made an answer of.

    Raises:
        ValueError: It fits no class of an answer; it comes from a process that may be astray.
    """
    try:
        return _unpack(answer.value, answer.parts)
    except (TypeError, KeyError, IndexError, AttributeError, RuntimeError) as error:
        raise ValueError(f"the answer makes no sense: {error}") from error


def _pack(value: Any, parts: list[bytes]) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, Tensor | np.ndarray):
        return _pack_array(value, parts)
    if isinstance(value, dict):
        return {"dict": [[_pack(k, parts), _pack(v, parts)] for k, v in value.items()]}
    if (kind := type(value).__name__) in _SEQUENCES:
        return {kind: [_pack(part, parts) for part in value]}
    if is_dataclass(value) and _classes().get(kind) is type(value):
        named = {f.name: _pack(getattr(value, f.name), parts) for f in fields(value)}
        return {"class": kind, "fields": named}
    raise TypeError(f"a {kind} can be no part of an answer")


def _pack_array(value: Any, parts: list[bytes]) -> dict[str, Any]:
    tensor = (
        torch.from_numpy(np.ascontiguousarray(value)) if isinstance(value, np.ndarray) else value
    )
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    parts.append(flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"")
    return {
        "array": len(parts) - 1,
        "kind": "numpy" if isinstance(value, np.ndarray) else "torch",
        "dtype": str(tensor.dtype).removeprefix("torch."),
        # Of the value itself: numpy gives an array without axes one when it copies it.
        "shape": list(value.shape),
    }


def _unpack(value: Any, parts: tuple[bytes, ...]) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _unpack_array(value, parts[value["array"]])
    if "class" in value:
        named = {name: _unpack(part, parts) for name, part in value["fields"].items()}
        return _classes()[value["class"]](**named)
    ((kind, content),) = value.items()
    if kind == "dict":
        return {_unpack(key, parts): _unpack(part, parts) for key, part in content}
    if kind == "float":
        return float(content)
    if kind == "dtype":
        return _DTYPES[content]
    return _SEQUENCES[kind](_unpack(part, parts) for part in content)


def _unpack_array(told: dict[str, Any], data: bytes) -> Any:
    kind = _DTYPES[told["dtype"]]
    # A copy, since what comes from a pipe cannot be written to.
    flat = torch.frombuffer(bytearray(data), dtype=kind) if data else torch.empty(0, dtype=kind)
    tensor = flat.reshape(told["shape"])
    return tensor.numpy() if told["kind"] == "numpy" else tensor


@cache
def _classes() -> dict[str, type]:
    """Returns the classes that answers are made of, by name."""
    found: dict[str, type] = {}
    ahead: list[Any] = list(ANSWERS)
    while ahead:
        kind = ahead.pop()
        ahead += get_args(kind)
        if not (isinstance(kind, type) and is_dataclass(kind)) or found.get(kind.__name__) is kind:
            continue
        assert kind.__name__ not in found, f"two classes are called {kind.__name__}"
        found[kind.__name__] = kind
        ahead += get_type_hints(kind).values()
    return found
