"""Damaged messages: the reference, Rust's `Value` and Python return the same value, or refuse with the same code, offset and path.

The reference does not find the row of a fault in a column, so indices in the paths of these are not compared. The message that its
writer makes of its value is read by Python. Rust's exact values, with the widths of ints and the order of elements, are compared
with the reference's in its own tests.
"""

from __future__ import annotations

import collections
import contextlib
import random
import re
from typing import Any

import holdall
import pytest
from checks import differing
from holdall import _holdall
from holdall_reference import FormatError, Tagged, decode_message
from holdall_reference.writer import WriterError, encode_message
from test_view_laws import MESSAGES, code_of, valid
from tests.support import EXHAUSTIVE, MUTATIONS, mutate

#: Many mutations are shared among processes; few are not, so that each share meets most errors.
SHARES = 8 if EXHAUSTIVE else 1

#: What only Python refuses: values that it has no object for, or could not free. It does so before faults that follow.
PYTHON_ALONE = {"unrepresentable", "custom", "limit_depth"}


#: What is refused: code, offset and path.
Refusal = tuple[str, int | None, str | None]


#: Faults that the walk finds, which knows each index.
OF_WALK = {"bad_reference", "duplicate_key"}


def compared(code: str, path: str | None) -> str | None:
    """The path of a fault, for one in a column without the indices of items."""
    return path if code in OF_WALK else path and re.sub(r"\[\d+\]", "[]", path)


def read_by_rust(data: bytes) -> bytes | Refusal:
    """The message that Rust makes of the value."""
    try:
        return _holdall.through_value(data, "balanced")
    except holdall.DecodeError as error:
        return error.code, error.offset, error.path


def read_by_reference(data: bytes) -> Tagged | FormatError:
    try:
        return decode_message(data)
    except FormatError as error:
        return error


def check_reference(data: bytes, rust: bytes | Refusal, reference: Tagged | FormatError) -> None:
    """The reference reads what Rust reads, and refuses what Rust refuses."""
    if isinstance(rust, bytes):
        assert not isinstance(reference, FormatError), (data.hex(), reference)
        return
    code, offset, path = rust
    if offset is None:
        # One of writing: a reader does not see that two keys are equal if one is a reference.
        return
    assert isinstance(reference, FormatError), (data.hex(), rust)
    refused = (reference.code, reference.offset, compared(code, reference.path))
    assert refused == (code, offset, compared(code, path)), data.hex()


def check_values(data: bytes, value: Any, rust: bytes, reference: Tagged | FormatError) -> None:
    """Python's value is that of the messages that Rust and the reference make of theirs."""
    messages = [rust]
    # What is unknown, or shared by a key, cannot be written.
    with contextlib.suppress(WriterError):
        messages.append(encode_message(reference, "fast"))
    for message in messages:
        difference = next(differing(value, holdall.loads(message)), None)
        assert difference is None, (data.hex(), difference)


def outcome(data: bytes) -> str:
    """What happened; fails if the three differ."""
    rust, reference = read_by_rust(data), read_by_reference(data)
    check_reference(data, rust, reference)
    try:
        value = holdall.loads(data)
    except holdall.DecodeError as error:
        if code_of(error) not in PYTHON_ALONE:
            assert (error.code, error.offset, error.path) == rust, data.hex()
        return error.code
    if not isinstance(rust, bytes):
        # Rust reads types that are nested more deeply than any that it writes.
        assert rust[0] == "unsupported_value", (data.hex(), rust)
        return rust[0]
    check_values(data, value, rust, reference)
    return "value"


@pytest.mark.parametrize("share", range(SHARES))
def test_damaged_messages_are_the_same_for_all_three(share: int) -> None:
    chance = random.Random(17 + share)
    met = collections.Counter[str]()
    count = MUTATIONS * 2 // SHARES
    for number in range(count):
        data = MESSAGES[number % len(MESSAGES)]
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            data = mutate(chance, data, chance.choice(MESSAGES))
        met[outcome(data)] += 1
    assert met["value"] > count // 20, met
    assert len(met) > 30, met


#: The valid vectors that `loads` refuses, by what it says.
REFUSED = {
    "unknown_fingerprint": {
        "aligned_with_a_fingerprint",
        "checksum_with_a_fingerprint",
        "fingerprint_stands_for_the_schema",
        "fingerprint_stands_for_a_schema_with_definitions",
        "fingerprint_of_a_record",
        "metadata_with_a_fingerprint",
    },
    "numpy has no arrays of the shape": {
        "aligned_tensor_without_elements",
        "zero_times_huge_is_zero",
        "huge_times_zero_is_zero",
    },
    "unhashable type: ": {
        "list_at_nesting_level_98_in_a_storage_is_a_definition",
        "arrays_as_keys",
        "equal_arrays_as_keys_are_not_checked",
        "members_of_a_set_by_their_messages",
        "a_set_as_a_value_of_a_record_in_a_set",
        "the_first_place_of_a_shared_value_follows_from_the_order",
        "members_of_equal_messages",
        "map_in_its_key",
        "reference_as_a_key",
        "same_key_twice_in_a_map",
        "list_in_a_set",
        "set_in_itself",
        "record_in_a_set_folds",
        "set_over_a_definition_inside",
        "map_with_equal_keys_of_lists_is_not_checked",
        "tensors_as_keys",
    },
    "equal, such as 1 and True": {
        "members_of_a_set_by_type_then_value",
        "equal_extensions_as_keys_are_not_checked",
        "f16_zeros_of_both_signs_are_two_keys",
        "same_scalar_key_twice_in_typed_data",
        "set_of_members_that_are_equal",
        "set_in_the_order_of_members",
        "dates_as_keys",
        "map_with_float_keys_of_both_zeros",
        "map_with_keys_equal_but_for_their_type",
        "map_with_equal_keys_of_tuples_is_not_checked",
        "map_with_equal_keys_of_a_definition_is_not_checked",
        "map_with_equal_keys_of_a_named_union_is_not_checked",
        "map_with_equal_keys_of_options_of_options_is_not_checked",
        "equal_packed_keys_are_not_checked",
        "unknown_types_in_a_map",
        "unknown_type_in_an_array_an_extension_and_a_set",
        "encoding_of_a_later_version_of_keys",
    },
    "'list' object is not an instance of 'tuple'": {
        "extension_over_a_list",
    },
    "a date that Python": {
        "date_beyond_64_bits",
    },
    "an invalid decimal": {
        "decimal_of_a_form_without_meaning",
    },
    "ZeroDivisionError: Fraction(1, 0)": {
        "rational_with_a_denominator_of_0",
    },
    "UnicodeDecodeError": {
        "path_of_style_windows_as_bytes",
    },
}


def test_every_valid_vector_is_the_same_for_all_three() -> None:
    reasons = {name: reason for reason, names in REFUSED.items() for name in names}
    read = 0
    for name, data in valid(budgets=True):
        if name not in reasons:
            # What is unknown cannot be written again, to be compared.
            assert outcome(data) in ("value", "unsupported_value"), name
            read += 1
            continue
        with pytest.raises(holdall.Error, match=re.escape(reasons.pop(name))) as refused:
            pytest.fail(f"{name}: {holdall.loads(data)!r}")
        code_of(refused.value)
    assert not reasons
    assert read > 1200
