"""The samples are valid, and together they have all encodings."""

from __future__ import annotations

import pytest
from holdall_reference import decode_message, message_schema, schema_text

from tests.samples import LISTS, SHARED_TYPES, TYPES, samples
from tests.support import Input, hx


@pytest.mark.parametrize("given", samples())
def test_samples_are_valid(given: Input) -> None:
    assert decode_message(given.data)


def test_samples_have_all_encodings() -> None:
    encodings = {byte for _, text in LISTS for byte in hx(text)[1:3]}
    assert encodings >= {0x41, 0x42, 0x45, 0x46, 0x5B, 0x5C, 0x61, 0x62, 0x70}


def test_samples_have_all_types() -> None:
    messages = [hx("C1 10" + "".join(each)) for each in TYPES]
    messages += [hx("C1 12" + "".join(each)) for each in SHARED_TYPES]
    texts = " ".join(schema_text(message_schema(message)) for message in messages)
    words = "f16 bf16 fixed array tensor packed shared set long_tuple logical extension unknown"
    assert [word for word in words.split() if word not in texts] == []
