"""Chapter 9: errors."""

from __future__ import annotations

# F-41: the codes of a reader's errors.
CODES = frozenset(
    {
        "truncated",
        "varint_overlong",
        "bad_magic",
        "bad_version",
        "bad_flags",
        "bad_checksum",
        "unsupported",
        "unknown_fingerprint",
        "unknown_dictionary",
        "unknown_type",
        "unknown_encoding",
        "unknown_kind",
        "bad_packed",
        "bad_bool",
        "bad_parameters",
        "bad_storage",
        "bad_inner_encoding",
        "invalid_utf8",
        "name_repeated",
        "duplicate_name",
        "index_out_of_range",
        "bad_form",
        "bad_shape",
        "bad_union",
        "bad_definition",
        "bad_definition_count",
        "bad_reference",
        "never_has_rows",
        "nonzero_padding",
        "int_out_of_range",
        "int_not_shortest",
        "bad_scale",
        "bad_widths",
        "bad_bins",
        "bad_decimal",
        "bad_planes",
        "bad_patches",
        "bad_dictionary",
        "bad_templates",
        "bad_zstd",
        "limit_nesting",
        "limit_sites",
        "limit_rank",
        "limit_budget",
        "trailing_bytes",
        "bad_sync",
        "bad_frame",
        "bad_directory",
        "bad_index",
        "missing_frames",
        "repeated_frame",
        "definition_rows_mismatch",
        "unreachable_rows",
        "duplicate_key",
    }
)


class FormatError(Exception):
    """A fault in the input: its code, and its offset from the input's first byte.

    F-41: code and offset are part of the format, path and texts are for people. The reference has no texts,
    and does not look for the rows of faults in columns: all items there are `[]`.
    """

    #: The path to the value with the fault, if it is inside one.
    path: str | None = None

    def __init__(self, code: str, offset: int) -> None:
        super().__init__(f"{code} @ {offset}")
        if code not in CODES:
            raise AssertionError(f"{code} is not in F-41")
        self.code = code
        self.offset = offset
