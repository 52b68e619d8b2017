/** The one list of error codes: chapter 9 of the spec, readers, writers and libraries. */
export const CODES = [
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
  "limit_output",
  "limit_depth",
  "bad_store",
  "unsupported_value",
  "bad_source",
  "incompatible",
  "missing_field",
  "unknown_field",
  "unconvertible",
  "bad_input",
  "unrepresentable",
  "out_of_memory",
  "custom",
  "io",
  "locked",
] as const;

/** The code of an error, by which a program distinguishes errors. */
export type ErrorCode = (typeof CODES)[number];

/** What an error says besides its code. */
export interface ErrorDetails {
  /** The offset in the input, in bytes, at which a reader found the fault. */
  offset?: number | undefined;
  /** The place in the value, such as `$.users[3].name`. */
  path?: string | undefined;
  /** What was expected. */
  expected?: string | undefined;
  /** What was found. */
  got?: string | undefined;
  /** What the caller can do. */
  help?: string | undefined;
  /** The rule of the spec that a value breaks when it is read with another schema. */
  rule?: string | undefined;
  /** The error that caused this one. */
  cause?: unknown;
}

/** Every error of this package. `code`, and `offset` of a reader's errors, are part of the format; the rest is for people. */
export class HoldallError extends Error {
  override readonly name = "HoldallError";
  readonly code: ErrorCode;
  readonly offset: number | undefined;
  readonly path: string | undefined;
  readonly expected: string | undefined;
  readonly got: string | undefined;
  readonly help: string | undefined;
  readonly rule: string | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { offset, path, expected, got, help, rule } = details;
    let text: string = code;
    if (offset !== undefined) text += ` at byte ${offset}`;
    if (path !== undefined) text += ` at ${path}`;
    if (expected !== undefined) text += `: expected ${expected}`;
    if (got !== undefined) text += `${expected === undefined ? ": " : ", "}got ${got}`;
    if (rule !== undefined) text += ` (${rule})`;
    if (help !== undefined) text += `; ${help}`;
    super(text, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.offset = offset;
    this.path = path;
    this.expected = expected;
    this.got = got;
    this.help = help;
    this.rule = rule;
  }

  /** The same error in an input that has that many bytes before this one. */
  moved(by: number): HoldallError {
    return this.with({ offset: (this.offset ?? 0) + by });
  }

  /** The same error with other details. */
  with(details: ErrorDetails): HoldallError {
    const { offset, path, expected, got, help, rule, cause } = this;
    return new HoldallError(this.code, { offset, path, expected, got, help, rule, cause, ...details });
  }
}

/** The error of a reader at an offset. */
export function fault(code: ErrorCode, offset: number, details?: ErrorDetails): HoldallError {
  return new HoldallError(code, { ...details, offset });
}

const rows: WeakMap<HoldallError, number> = /* @__PURE__ */ new WeakMap();

/** Notes the row of a column in which a fault is, of which its path is made. */
export function inRow(error: HoldallError, row: number | undefined): HoldallError {
  if (row !== undefined) rows.set(error, row);
  return error;
}

/** The row that `inRow` noted. */
export function rowOf(error: HoldallError): number | undefined {
  return rows.get(error);
}
