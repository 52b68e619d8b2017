"""The opcodes of pickles: their arguments, and what each does to the machine."""

from __future__ import annotations

import codecs
import io
import pickletools
import re
from collections.abc import Callable
from typing import Any

from ..._errors import DecodeError, LimitError, Mismatch
from .machine import Machine, invalid

Do = Callable[[Machine, Any], None]


def run(machine: Machine, file: io.BytesIO, end: int | None) -> Any:
    """The value of the next pickle in a file, after which the file must end, if its end is given."""
    at = file.tell()
    do: Do = _nothing
    try:
        while do is not _stop:
            at = machine.found.at = file.tell()
            do, read = _code(file.read(1))
            do(machine, read(file) if read is not None else None)
        at = file.tell()
        if end is not None and at < end:
            raise DecodeError(
                f"the pickle ends there, before {end - at} other bytes; holdall.convert_pickles converts the pickles of a file one by one",
                code="trailing_bytes",
            )
        if len(machine.stack) != 1:
            raise invalid(f"{len(machine.stack)} values at its end")
        if machine.below:
            raise invalid("a mark without its end")
    except (DecodeError, Mismatch) as error:
        code = getattr(error, "code", "unrepresentable")
        text = f"{code} at offset {at}: {error}"
        kind = type(error) if isinstance(error, DecodeError) else DecodeError
        raise kind(text, code=code, offset=at) from error.__cause__
    except RecursionError:
        text = f"limit_depth at offset {at}: the pickle has keys or members that are too deep"
        raise LimitError(text, code="limit_depth", offset=at) from None
    except (ArithmeticError, LookupError, SystemError, TypeError, ValueError, re.error) as error:
        # numpy raises SystemError for text with numbers that are no characters.
        text = f"bad_pickle at offset {at}: {type(error).__name__}: {error}"
        raise DecodeError(text, code="bad_pickle", offset=at) from None
    return machine.stack[0]


def _code(byte: bytes) -> tuple[Do, Callable[[Any], Any] | None]:
    found = _CODES.get(byte)
    if found is None:
        raise invalid(f"the opcode {byte!r}, which is unknown" if byte else "no end")
    return found


def _pop_two(machine: Machine) -> tuple[Any, Any]:
    second = machine.pop()
    return machine.pop(), second


def _setitem(machine: Machine, _: Any) -> None:
    machine.set_items([*_pop_two(machine)])


def _reduce(machine: Machine, _: Any) -> None:
    machine.push(machine.reduce(*_pop_two(machine)))


def _newobj(machine: Machine, _: Any) -> None:
    machine.push(machine.new(*_pop_two(machine)))


def _newobj_ex(machine: Machine, _: Any) -> None:
    keywords = machine.pop()
    machine.push(machine.new(*_pop_two(machine), keywords))


def _dict(machine: Machine, _: Any) -> None:
    pairs = machine.pop_mark()
    machine.push({})
    machine.set_items(pairs)


def _frozenset(machine: Machine, _: Any) -> None:
    machine.push(frozenset(map(machine.key, machine.pop_mark())))


def _take(count: int) -> Do:
    def take(machine: Machine, _: Any) -> None:
        values = [machine.pop() for _ in range(count)]
        machine.push_tuple(values[::-1])

    return take


def _pop(machine: Machine, _: Any) -> None:
    # As pickle does: of nothing since a mark, the mark.
    if machine.stack:
        machine.pop()
    else:
        machine.pop_mark()


def _constant(value: Any) -> Do:
    return lambda machine, _: machine.push(value)


def _value(machine: Machine, value: Any) -> None:
    machine.push(value)


def _nothing(machine: Machine, _: Any) -> None:
    pass


def _stop(machine: Machine, _: Any) -> None:
    pass


def _line(file: io.BytesIO) -> str:
    line = file.readline()
    if not line.endswith(b"\n"):
        raise invalid("a line without its end")
    return line[:-1].decode()


def _two_lines(file: io.BytesIO) -> tuple[str, str]:
    return _line(file), _line(file)


def _escaped(file: io.BytesIO) -> bytes:
    """A str of Python 2 as its repr."""
    quoted = file.readline().strip()
    if len(quoted) < 2 or quoted[:1] not in (b"'", b'"') or quoted[-1:] != quoted[:1]:
        raise invalid("text without quotes")
    return codecs.escape_decode(quoted[1:-1])[0]


#: What each opcode does.
_DO: dict[str, Do] = {
    **dict.fromkeys(
        (
            *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
            *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
            *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
        ),
        _value,
    ),
    **dict.fromkeys(("STRING", "BINSTRING", "SHORT_BINSTRING"), Machine.text),
    "NONE": _constant(None),
    "NEWTRUE": _constant(True),
    "NEWFALSE": _constant(False),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_TUPLE": _constant(()),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_SET": lambda machine, _: machine.push(set()),
    "LIST": lambda machine, _: machine.push(machine.pop_mark()),
    "TUPLE": lambda machine, _: machine.push_tuple(machine.pop_mark()),
    "TUPLE1": _take(1),
    "TUPLE2": _take(2),
    "TUPLE3": _take(3),
    "DICT": _dict,
    "FROZENSET": _frozenset,
    "APPEND": lambda machine, _: machine.append([machine.pop()]),
    "APPENDS": lambda machine, _: machine.append(machine.pop_mark()),
    "SETITEM": _setitem,
    "SETITEMS": lambda machine, _: machine.set_items(machine.pop_mark()),
    "ADDITEMS": lambda machine, _: machine.members(machine.pop_mark()),
    "MARK": lambda machine, _: machine.mark(),
    "POP": _pop,
    "POP_MARK": lambda machine, _: _discard(machine.pop_mark()),
    "DUP": lambda machine, _: machine.push_again(machine.top()),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), Machine.put),
    "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), Machine.get),
    "GLOBAL": Machine.class_name,
    "STACK_GLOBAL": Machine.named_class,
    "REDUCE": _reduce,
    "NEWOBJ": _newobj,
    "NEWOBJ_EX": _newobj_ex,
    "INST": Machine.instance,
    "OBJ": Machine.old_object,
    "BUILD": lambda machine, _: machine.build(machine.pop()),
    **dict.fromkeys(("EXT1", "EXT2", "EXT4"), Machine.extension),
    "PERSID": Machine.persistent,
    "BINPERSID": lambda machine, _: machine.persistent(machine.pop()),
    "NEXT_BUFFER": Machine.buffer,
    "READONLY_BUFFER": Machine.read_only,
    "PROTO": Machine.protocol,
    "FRAME": _nothing,
    "STOP": _stop,
}


def _discard(_: list[Any]) -> None:
    pass


#: The readers of `pickletools` decode names and text of Python 2 as ASCII.
_READERS: dict[str, Callable[[Any], Any]] = {
    "GLOBAL": _two_lines,
    "INST": _two_lines,
    "STRING": _escaped,
}

#: By the byte of each opcode: what it does, and what reads its argument.
_CODES = {
    each.code.encode("latin-1"): (
        _DO[each.name],
        _READERS.get(each.name, None if each.arg is None else each.arg.reader),
    )
    for each in pickletools.opcodes
}
