"""Data frames, arrays and tensors of other packages: what packs them, and what they become again.

A frame becomes what it was if its package is imported already, and a `holdall.Table` if it is not; of xarray and torch, the parts.
Nothing is imported because data say so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .._errors import DecodeError, LimitError
from . import _pandas
from ._arrays import Array, Table, imported, make_arrays
from ._values import Extension


def hook(cls: type) -> Callable[[Any], Any] | None:
    """The function that packs the objects of a class, if it has Arrow's data."""
    package, name = _package(cls), cls.__qualname__
    if package == "pandas":
        return _pandas.hook(cls)
    if package in ("polars", "xarray", "torch"):
        hooks: Any = import_module(f"{__package__}._{package}").HOOKS
        return hooks.get(name)  # type: ignore[no-any-return]
    if package == "pyarrow":
        for base, kind in (
            ("Table", Table),
            ("RecordBatch", Table),
            ("ChunkedArray", Array),
            ("Array", Array),
        ):
            if issubclass(cls, getattr(sys.modules["pyarrow"], base)):
                return _named(f"pyarrow.{base}", kind)
    if not (hasattr(cls, "__arrow_c_stream__") or hasattr(cls, "__arrow_c_array__")):
        return None
    # A subclass of a frame has more than its columns, and an image of PIL more than its pixels; their methods for pickle say what.
    return None if {"pandas", "polars", "PIL"}.intersection(map(_package, cls.__mro__)) else _plain


def _package(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


def _named(extension: str, kind: type[Table] | type[Array]) -> Callable[[Any], Any]:
    return lambda value: Extension(extension, kind(value))


def _plain(value: Any) -> Table | Array:
    return make_arrays(imported(value).table())


def _from(package: str, make: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """What makes an object of a package from a table or an array."""

    def restore(content: Any) -> Any:
        module = sys.modules.get(package)
        if not isinstance(content, Table | Array):
            raise DecodeError(
                f"the content of a {package} object is no table", code="unrepresentable"
            )
        return content if module is None else make(module, content)

    return restore


def _from_parts(package: str, make: str) -> Callable[[Any], Any]:
    """What makes an object of a package from its parts."""

    def restore(parts: Any) -> Any:
        if not isinstance(parts, Table | Array | dict):
            raise DecodeError(
                f"the content of a {package} object is no table, and no parts",
                code="unrepresentable",
            )
        if package not in sys.modules:
            return parts
        module = import_module(f"{__package__}._{package}")
        try:
            return getattr(module, make)(parts)
        except (LimitError, MemoryError):
            raise
        except Exception as error:
            raise DecodeError(
                f"the data has an object of {package} that {package} refuses: {error!r}",
                code="unrepresentable",
            ) from error

    return restore


def _unexpected(_: Any) -> Any:
    raise DecodeError("the data has an array of Arrow in another form", code="unrepresentable")


def _record_batch(pa: Any, table: Any) -> Any:
    batches = pa.table(table).combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=pa.table(table).schema)


def _array(pa: Any, array: Any) -> Any:
    return pa.array(array)


#: As `_plain.EXTENSIONS`.
EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    # The compiled half builds these without their content.
    "arrow.table": (_unexpected,),
    "arrow.array": (_unexpected,),
    "polars.DataFrame": (_from_parts("polars", "make_frame"),),
    "polars.Series": (_from_parts("polars", "make_series"),),
    "pyarrow.Table": (_from("pyarrow", lambda pa, table: pa.table(table)),),
    "pyarrow.RecordBatch": (_from("pyarrow", _record_batch),),
    "pyarrow.ChunkedArray": (
        _from("pyarrow", lambda pa, array: pa.chunked_array([_array(pa, array)])),
    ),
    "pyarrow.Array": (_from("pyarrow", _array),),
    "xarray.Dataset": (_from_parts("xarray", "make_dataset"),),
    "xarray.DataArray": (_from_parts("xarray", "make_array"),),
    "xarray.Variable": (_from_parts("xarray", "make_variable"),),
    "torch.Tensor": (_from_parts("torch", "make_tensor"),),
    "torch.Parameter": (_from_parts("torch", "make_parameter"),),
    **_pandas.EXTENSIONS,
}
