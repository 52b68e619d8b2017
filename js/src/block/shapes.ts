/** Records whose rows do not all have the same fields (F-18). */

import type * as T from "../schema/types.js";
import type { Site } from "./read.js";

/** The numbers of the fields of a row, in their order. */
export function shapeOf(site: Site, type: T.RecordType, row: number): ArrayLike<number> {
  return site.shapes?.[row] ?? type.shapes[(site.data as Int32Array)[row]!]!;
}
