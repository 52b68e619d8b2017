"""Pickles converted to messages: the same values as `pickle.loads` gives, from every protocol, without running them."""

from __future__ import annotations

import collections
import copyreg
import datetime
import io
import pickle
import pickletools
import uuid
from pathlib import Path
from typing import Any

import holdall
import numpy as np
import pytest
from checks import differing
from hypothesis import given
from hypothesis import strategies as st
from pickle_samples import VALUES, Colour, User, ada, make, pickled
from sample_values import EVERY
from samples import AttrsDict, MyDict, MyList, Plain
from test_graphs import cyclic
from test_properties import graphs


def check(value: Any, **options: Any) -> int:
    count = 0
    for data, back in pickled(value):
        converted = holdall.convert_pickle(data, **options)
        assert converted.report == ()
        own = options.get("types", ())
        differences = list(differing(back, holdall.loads(converted.data, types=own)))
        assert not differences, (data[:2], differences[0])
        count += 1
    return count


def has_own_values(value: Any) -> bool:
    """Whether it is a value of this package, or has one: what `Record` pickles is no class of the program."""
    return any(b"holdall._impl._values" in data for data, _ in pickled(value))


def is_swapped(value: Any) -> bool:
    """Whether pickle changes the order of its bytes."""
    return isinstance(value, np.ndarray) and not value.dtype.isnative


def test_what_asking_for_attributes_leaves_in_a_pickle_is_no_data() -> None:
    error = ValueError("x")
    assert error.__dict__ == {}
    assert error.__reduce__() == (ValueError, ("x",), {})
    check([error])
    hashed = AttrsDict(4)
    assert isinstance(hash(hashed), int)
    check([hashed])


@pytest.mark.parametrize("number", range(len(EVERY)))
def test_every_sample_is_converted_from_every_protocol(number: int) -> None:
    value = EVERY[number]
    if not has_own_values(value) and not is_swapped(value):
        check(value)


@pytest.mark.parametrize("name", [name for name in cyclic() if name not in ("unknown", "variant")])
def test_cycles_are_converted_from_every_protocol(name: str) -> None:
    value = cyclic()[name]
    check(value)
    check([value, (value,)])


@given(graphs())
def test_random_graphs_are_those_that_pickle_reads(value: Any) -> None:
    if not has_own_values(value):
        check(value)


@given(st.lists(st.sampled_from([each for each in EVERY if not has_own_values(each)]), max_size=6))
def test_samples_in_any_mix_are_those_that_pickle_reads(values: Any) -> None:
    if not any(map(is_swapped, values)):
        check(values)


def test_most_samples_are_in_every_protocol() -> None:
    assert sum(sum(1 for _ in pickled(each)) for each in EVERY) > 1000


def test_big_endian_arrays_keep_their_order() -> None:
    array = np.array([1, 2], dtype=">i4")
    for data, _ in pickled(array):
        back = holdall.loads(holdall.convert_pickle(data).data)
        assert back.dtype == array.dtype
        assert back.tolist() == [1, 2]


def test_generators_of_numpy_go_on_where_they_were() -> None:
    for kind in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        made = np.random.Generator(getattr(np.random, kind)(5))
        made.random(3)
        for data, back in pickled(made):
            converted = holdall.convert_pickle(data)
            assert converted.report == ()
            own = holdall.loads(converted.data)
            assert own.random(5).tolist() == back.random(5).tolist()
            assert (
                own.bit_generator.seed_seq.spawn(1)[0].generate_state(2).tolist()
                == back.bit_generator.seed_seq.spawn(1)[0].generate_state(2).tolist()
            )
    state = np.random.RandomState(3)
    state.standard_normal()
    for data, back in pickled(state):
        own = holdall.loads(holdall.convert_pickle(data).data)
        assert own.standard_normal(5).tolist() == back.standard_normal(5).tolist()


# ---- classes ----


@pytest.mark.parametrize("name", VALUES)
def test_objects_of_allowed_classes_are_those_that_pickle_makes(name: str) -> None:
    value, types = VALUES[name]
    assert check(value, types=types) >= 2


def test_a_report_lists_what_is_not_data() -> None:
    data = pickle.dumps([ada(), ada(), Colour.RED, print], 4)
    converted = holdall.convert_pickle(data)
    found = {(each.kind, each.name.rpartition(".")[2], each.count) for each in converted.report}
    assert found == {("object", "User", 2), ("object", "Colour", 1), ("name", "print", 1)}
    for each in converted.report:
        code = [code.name for code, _, at in pickletools.genops(data) if at == each.offset]
        assert code in (["NEWOBJ"], ["REDUCE"], ["STACK_GLOBAL"])
    assert str(converted.report[0]) == (
        f"2 of {User.__module__}.User, first at offset {converted.report[0].offset}: kept as a record; "
        "to read objects, name the class or function in types="
    )


def test_missing_error_lists_all_that_is_not_allowed() -> None:
    data = pickle.dumps([ada(), Colour.RED])
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.convert_pickle(data, missing="error")
    text = str(failed.value)
    assert text.startswith(
        "the pickle has more than data, which this program does not allow:\n    1 of"
    )
    assert f"types=[{User.__module__}.User, {User.__module__}.Colour]" in text
    assert holdall.convert_pickle(data, missing="error", types=[User, Colour]).report == ()


def test_a_function_is_not_offered_to_be_allowed() -> None:
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.convert_pickle(b"cposix\nsystem\n(S'x'\ntR.", missing="error")
    assert "types=" not in str(failed.value).partition("\n")[2].replace("in types=", "")


def test_modules_and_renames_find_classes() -> None:
    data = pickle.dumps(ada())
    for options in (
        {"types": [f"{User.__module__}.*"]},
        {"renames": {f"{User.__module__}.User": User}},
    ):
        converted = holdall.convert_pickle(data, **options)  # type: ignore[arg-type]
        assert converted.report == ()
        assert type(holdall.loads(converted.data, types=[User])) is User


@pytest.mark.usefixtures("forgets_classes")
def test_options_of_registered_classes_apply_to_what_is_written() -> None:
    holdall.register(
        User, name="moved.User", aliases=["old.User"], rename={"name": "who"}, version=3
    )
    converted = holdall.convert_pickle(pickle.dumps(ada()))
    assert (
        str(holdall.schema(converted.data))
        .partition(" = ")[2]
        .startswith('struct "moved.User@3" {who: string')
    )
    back = holdall.loads(converted.data)
    assert (type(back), back.name, back.friends[0]) == (User, "Ada", back)
    old = holdall.convert_pickle(b"cold\nUser\n)\x81}U\x04nameU\x01xsb.")
    assert holdall.loads(old.data).name == "x"


def test_options_of_dumps_apply() -> None:
    data = pickle.dumps({"a": [1, 2, 3]})
    converted = holdall.convert_pickle(data, checksum=True, metadata={"from": "a.pkl"})
    assert converted.data == holdall.dumps(
        {"a": [1, 2, 3]}, checksum=True, metadata={"from": "a.pkl"}
    )
    with pytest.raises(TypeError, match="did you mean 'types'"):
        holdall.convert_pickle(data, type=[User])  # type: ignore[call-arg]


# ---- other forms ----


def test_text_of_python_2_has_an_encoding() -> None:
    data = b"U\x01\xe9."
    with pytest.raises(holdall.DecodeError, match="bad_pickle at offset 0: UnicodeDecodeError"):
        holdall.convert_pickle(data)
    assert holdall.loads(holdall.convert_pickle(data, encoding="latin-1").data) == "é"
    assert holdall.loads(holdall.convert_pickle(data, encoding="bytes").data) == b"\xe9"
    escaped = b"S'\\xe9\\n'\n."
    assert holdall.loads(holdall.convert_pickle(escaped, encoding="latin-1").data) == "é\n"


def test_pickles_of_python_2_are_converted() -> None:
    # pickle.dumps([set([1]), datetime.date(2020, 1, 2), {u"a": 10**20}, xrange(3)], 2) of Python 2.7
    data = (
        b"\x80\x02]q\x00(c__builtin__\nset\nq\x01]q\x02K\x01a\x85q\x03Rq\x04cdatetime\ndate\nq\x05U\x04\x07\xe4\x01\x02q\x06"
        b"\x85q\x07Rq\x08}q\tX\x01\x00\x00\x00aq\n\x8a\x09\x00\x00\x10c-^\xc7k\x05sc__builtin__\nxrange\nq\x0bK\x00K\x03K\x01\x87q\x0cRq\re."
    )
    back = holdall.loads(holdall.convert_pickle(data, encoding="latin-1").data)
    assert back == [{1}, datetime.date(2020, 1, 2), {"a": 10**20}, range(3)]


def test_objects_of_old_classes_are_converted() -> None:
    for data in (b"(iold\nUser\n(dS'a'\nI1\nsb.", b"(cold\nUser\no}U\x01aK\x01sb."):
        back = holdall.loads(holdall.convert_pickle(data).data)
        assert back == holdall.Record("old.User", a=1)
    called = holdall.loads(holdall.convert_pickle(b"(I5\niold\nUser\n.").data)
    assert called == holdall.Record("old.User", {"<args>": (5,)})


def test_persistent_ids_are_kept() -> None:
    class Pickler(pickle.Pickler):
        def persistent_id(self, value: Any) -> Any:
            return ("user", value.name) if isinstance(value, User) else None

    for protocol in (1, 4):
        file = io.BytesIO()
        Pickler(file, protocol).dump([ada(), 1])
        converted = holdall.convert_pickle(file.getvalue())
        assert holdall.loads(converted.data)[0] == holdall.Extension(
            "pickle.persistent_id", ("user", "Ada")
        )
        assert [(each.kind, each.count) for each in converted.report] == [("persistent_id", 1)]


def test_extension_codes_are_names() -> None:
    copyreg.add_extension(User.__module__, "User", 5)
    try:
        data = pickle.dumps(ada(), 2)
    finally:
        copyreg.remove_extension(User.__module__, "User", 5)
    unknown = holdall.convert_pickle(data)
    assert {each.kind for each in unknown.report} == {"extension_code", "object"}
    assert holdall.loads(unknown.data).__holdall_name__ == "copyreg.extension_5"
    copyreg.add_extension(User.__module__, "User", 5)
    try:
        known = holdall.convert_pickle(data, types=[User])
    finally:
        copyreg.remove_extension(User.__module__, "User", 5)
    assert holdall.loads(known.data, types=[User]).name == "Ada"


def test_buffers_outside_the_pickle_come_back_into_the_message() -> None:
    buffers: list[Any] = []
    value = [np.arange(1000), pickle.PickleBuffer(b"read"), pickle.PickleBuffer(bytearray(b"w"))]
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    array, read, written = holdall.loads(holdall.convert_pickle(data, buffers=buffers).data)
    assert array.tolist() == list(range(1000))
    assert (read, written) == (b"read", bytearray(b"w"))
    with pytest.raises(holdall.DecodeError, match="pass those of its buffer_callback as buffers="):
        holdall.convert_pickle(data)
    with pytest.raises(holdall.DecodeError, match="more buffers than buffers= has"):
        holdall.convert_pickle(data, buffers=buffers[:1])


def test_factories_of_default_dicts_are_known_or_named() -> None:
    plain = pickle.dumps(collections.defaultdict(list, a=[1]))
    assert holdall.loads(holdall.convert_pickle(plain).data).default_factory is list
    data = pickle.dumps(collections.defaultdict(make, a=1))
    converted = holdall.convert_pickle(data)
    assert [each.name for each in converted.report] == [
        "collections.defaultdict",
        f"{User.__module__}.make",
    ]
    back = holdall.loads(converted.data, types=[make, collections.defaultdict])
    assert (back.default_factory, back) == (make, {"a": 1})


def test_the_message_is_that_of_dumps() -> None:
    for value in (
        [1, "a", {"b": 2.5}],
        {uuid.UUID(int=5): Path("a/b")},
        MyList([1]),
        MyDict(a=1),
        Plain(5),
    ):
        data = pickle.dumps(value)
        assert holdall.convert_pickle(data).data == holdall.dumps(value)
