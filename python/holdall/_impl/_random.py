"""numpy's random generators: their state and seeds, restored without calling what data name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, checked, checked_parts
from .._holdall import charge
from ._numpy import numpy
from ._values import Extension

#: The position in its buffer that each kind may have. numpy does not check it, and would read beyond the buffer.
_POSITIONS = {"MT19937": 624, "PCG64": 0, "PCG64DXSM": 0, "Philox": 4, "SFC64": 0}
#: The bytes of a bit generator with its seeds; that of 624 words has a state of its own.
_BITS = 768
_BITS_OF_MANY_WORDS = 3072
#: The largest pool of a seed sequence: numpy mixes it in a time that grows with its square.
_POOL = 1024
#: The most words of seeds: numpy takes time that grows with the square of an integer's.
_WORDS = 1 << 14


def _pack_bits(value: Any) -> Extension:
    np = numpy()
    seeds = value.seed_seq
    state = value.state
    known = seeds if type(seeds) is np.random.SeedSequence else None
    return Extension("numpy.bit_generator", (type(value).__name__, state, known))


def _make_bits(parts: Any) -> Any:
    if (np := numpy()) is None:
        return Extension("numpy.bit_generator", parts)
    name, state, seeds = checked(parts, tuple)
    most = _POSITIONS.get(checked(name, str))
    own = state.get("bit_generator") if type(state) is dict else None
    if most is None or type(own) is not str or own != name:
        raise DecodeError("the data has an unknown bit generator", code="unrepresentable")
    inner = checked(state.get("state"), dict)
    for position in (inner.get("pos", 0), state.get("buffer_pos", 0)):
        if not 0 <= checked(position, int) <= most:
            raise DecodeError(
                "the data has a bit generator with a position beyond its buffer",
                code="unrepresentable",
            )
    arrays = [each for each in (*inner.values(), *state.values()) if isinstance(each, np.ndarray)]
    if any(array.dtype.kind not in "iu" for array in arrays):
        raise DecodeError(
            "the data has a bit generator whose numbers are no integers", code="unrepresentable"
        )
    charge(_BITS_OF_MANY_WORDS if name == "MT19937" else _BITS)
    made = getattr(np.random, name)(0)
    try:
        made.__setstate__((state, seeds if type(seeds) is np.random.SeedSequence else None))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise DecodeError(
            f"the data has an invalid state of a bit generator: {error}", code="unrepresentable"
        ) from None
    return made


def _bits_of(value: Any) -> Any:
    np = numpy()
    if not isinstance(value, np.random.BitGenerator):
        raise DecodeError("the data has a generator without bits", code="unrepresentable")
    return value


def _make_generator(bits: Any) -> Any:
    np = numpy()
    return Extension("numpy.generator", bits) if np is None else np.random.Generator(_bits_of(bits))


def _pack_state(value: Any) -> Extension:
    state = value.get_state(legacy=False)
    bits = value._bit_generator
    return Extension("numpy.random_state", (bits, state["has_gauss"], state["gauss"]))


def _make_state(parts: Any) -> Any:
    if (np := numpy()) is None:
        return Extension("numpy.random_state", parts)
    bits, has_gauss, gauss = checked(parts, tuple)
    made = np.random.RandomState(_bits_of(bits))
    state = made.get_state(legacy=False)
    state["has_gauss"], state["gauss"] = checked(has_gauss, int), checked(gauss, float)
    try:
        made.set_state(state)
    except (ValueError, OverflowError) as error:
        raise DecodeError(
            f"the data has an invalid state of a RandomState: {error}", code="unrepresentable"
        ) from None
    return made


def _pack_seeds(value: Any) -> Extension:
    parts = (value.entropy, value.spawn_key, value.pool_size, value.n_children_spawned)
    return Extension("numpy.seed_sequence", parts)


def _words(np: Any, seeds: Any, left: int, levels: int = 3) -> int:
    """How many more words of 32 bits are allowed after these seeds; below 0 if they are too many, or no seeds.

    numpy takes integers and sequences of them, also a range of 10^12 numbers, and calls itself for what is inside.
    """
    if isinstance(seeds, (int, np.integer)):
        return left - 1 - int(seeds).bit_length() // 32
    if isinstance(seeds, np.ndarray):
        is_flat = seeds.ndim <= 1 and seeds.dtype.kind in "iu"
        return left - 2 * seeds.size if is_flat else -1
    if type(seeds) is range:
        words = 1 + max(abs(seeds.start), abs(seeds.stop)).bit_length() // 32
        return -1 if seeds[left:] else left - len(seeds) * words
    if type(seeds) is str:
        return left - len(seeds)
    if type(seeds) not in (list, tuple) or not levels:
        return -1
    for each in seeds:
        left = _words(np, each, left - 1, levels - 1)
        if left < 0:
            break
    return left


def _make_seeds(parts: Any) -> Any:
    if (np := numpy()) is None:
        return Extension("numpy.seed_sequence", parts)
    entropy, key, pool, children = checked(parts, tuple)
    checked_parts((key, pool, children), tuple, int, int)
    if pool > _POOL:
        raise DecodeError(
            f"the data has a seed sequence with a pool of more than {_POOL} words",
            code="unrepresentable",
        )
    # The square is for the time.
    charge(256 + 4 * max(0, pool) + pool * pool // 64)
    left = _words(np, key, _WORDS)
    if left < 0 or (entropy is not None and _words(np, entropy, left) < 0):
        raise DecodeError(
            f"the data has a seed sequence with other seeds than integers, or more than {_WORDS} words",
            code="unrepresentable",
        )
    try:
        return np.random.SeedSequence(
            entropy, spawn_key=key, pool_size=pool, n_children_spawned=children
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise DecodeError(
            f"the data has an invalid seed sequence: {error}", code="unrepresentable"
        ) from None


EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "numpy.bit_generator": (_make_bits,),
    "numpy.generator": (_make_generator,),
    "numpy.random_state": (_make_state,),
    "numpy.seed_sequence": (_make_seeds,),
}


def hook(cls: type) -> Callable[[Any], Any] | None:
    """How to pack objects of numpy's own random classes; None for other classes."""
    module = str(cls.__module__)
    if not module.startswith("numpy.random.") or (np := numpy()) is None:
        return None
    random = np.random
    if cls is random.Generator:
        return lambda value: Extension("numpy.generator", value.bit_generator)
    if cls is random.RandomState:
        return _pack_state
    if cls is random.SeedSequence:
        return _pack_seeds
    if cls.__name__ in _POSITIONS and cls is getattr(random, cls.__name__):
        return _pack_bits
    return None
