"""torch: tensors and parameters on the CPU, as the arrays of numpy with the same memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .._errors import EncodeError
from ._values import Extension


def _torch() -> Any:
    return sys.modules["torch"]


def _pack(tensor: Any) -> Extension:
    torch = _torch()
    if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
        where = tensor.device.type if tensor.device.type != "cpu" else tensor.layout
        raise EncodeError(
            f"only dense tensors on the CPU can be packed, not one of {where}: use tensor.cpu() or tensor.to_dense()",
            code="unsupported_value",
        )
    if tensor.is_quantized:
        raise EncodeError(
            "quantized tensors cannot be packed: use tensor.dequantize()", code="unsupported_value"
        )
    dtype = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach().resolve_conj().resolve_neg()
    try:
        data = plain.numpy()
    except TypeError:
        # A type of elements that numpy lacks, such as bfloat16.
        data = plain.contiguous().view(_unsigned(plain.element_size())).numpy()
    parts = {"dtype": dtype, "data": data}
    if tensor.requires_grad:
        parts["requires_grad"] = True
    if vars(tensor):
        parts["attributes"] = vars(tensor)
    return Extension(
        "torch.Parameter" if isinstance(tensor, torch.nn.Parameter) else "torch.Tensor", parts
    )


def _unsigned(size: int) -> Any:
    return {1: _torch().uint8, 2: _torch().int16, 4: _torch().int32, 8: _torch().int64}[size]


def make_tensor(parts: Mapping[str, Any]) -> Any:
    torch, data = _torch(), parts["data"]
    # Not by `getattr`, by which torch imports some of its modules.
    dtype = vars(torch).get(parts["dtype"])
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"torch has no type {parts['dtype']!r}")
    # A tensor can be written, so its memory has to be its own.
    tensor = torch.from_numpy(data if data.flags.writeable else data.copy())
    if tensor.dtype != dtype:
        tensor = tensor.view(dtype)
    vars(tensor).update(parts.get("attributes", {}))
    return tensor.requires_grad_(True) if parts.get("requires_grad") else tensor


def make_parameter(parts: Mapping[str, Any]) -> Any:
    plain = make_tensor({name: parts[name] for name in ("dtype", "data")})
    parameter = _torch().nn.Parameter(plain, requires_grad=bool(parts.get("requires_grad")))
    vars(parameter).update(parts.get("attributes", {}))
    return parameter


HOOKS: dict[str, Callable[[Any], Extension]] = {"Tensor": _pack, "Parameter": _pack}
