"""What to do about values that a format cannot hold."""

from __future__ import annotations

from .._errors import EncodeError

#: What to do about values of types that JSON and its like cannot even store. A scalar of numpy is stored as a tensor.
_CONVERSIONS = {
    "numpy.array": "convert an array with array.tolist()",
    "numpy.scalar": "convert a scalar of numpy with value.item()",
}


AS_NONE = "storage=True writes it as None is written"


def _advice(refused: tuple[str, ...], *, storage: bool, copies: bool) -> str | None:
    """What to do about a value that a format cannot hold, by what the compiled half says about it."""
    match refused:
        case ("shared",):
            return None if copies else "copies=True writes it once for each place"
        case ("cycle",):
            return "the format cannot hold cycles; pack it as holdall, without format=, which keeps them"
        case ("keys",):
            return "pack an object of a class, or storage=True writes the values without their keys"
        case ("empty",):
            return AS_NONE
        case ("tensor",):
            return f"{_CONVERSIONS['numpy.array']}, and a scalar of numpy with value.item()"
        case ("type", name):
            return _CONVERSIONS.get(name) or (
                None if storage else "storage=True writes what stores it"
            )
    return None


def advised(error: EncodeError, **given: bool) -> EncodeError:
    advice = _advice(getattr(error, "_refused", ()), **given)
    text = str(error) if advice is None else f"{error}; {advice}"
    return EncodeError(text, code=error.code, offset=error.offset, path=error.path, rule=error.rule)
