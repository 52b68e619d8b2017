/** A value of exactly one type of the format, where JavaScript's own values leave a choice to the writer. */

import type { ScalarName } from "./schema/types.js";

/** The types of which an `Exact` can be. */
export type ExactType = ScalarName | "fixed" | "array";

/**
 * `new Exact("f64", 2)` is written as f64, where the number 2 is an int; `new Exact("u8", 2)`, `new Exact("fixed", bytes)`
 * and `new Exact("array", [1, 2])` are of types that no JavaScript value has. The value of a float may be a bigint: its bits.
 */
export class Exact {
  constructor(
    readonly type: ExactType,
    readonly value: number | bigint | string | boolean | Uint8Array | readonly unknown[] | null,
  ) {}
}
