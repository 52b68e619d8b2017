/** How much memory the rows of a shredder take, about. */

import type { RowTypes } from "./row_types.js";
import { ListRows, type RowType, type Site, type Variant } from "./sites.js";

/** Bytes of a row of numbers. */
const ROW = 8;

/** The bytes of all rows before they are encoded: 8 for each number, a byte for each character or byte. */
export function sizeOf(types: RowTypes): number {
  const seen = new Set<RowType>();
  const open: Site[] = [types.root];
  let size = 0;
  for (let site = open.pop(); site !== undefined; site = open.pop()) {
    size += (site.presence?.length ?? 0) + (site.numbers?.length ?? 0);
    for (const variant of site.variants) {
      size += sizeOfRows(variant);
      const { type } = variant;
      if (type === null || seen.has(type)) continue;
      seen.add(type);
      size += ROW * type.numbers.length;
      for (const elements of type.tensors?.elements.rows ?? []) size += elements.length;
      open.push(...type.inside);
    }
  }
  return size;
}

function sizeOfRows(variant: Variant): number {
  if (variant.type !== null || !(variant.rows instanceof ListRows)) return ROW * variant.count;
  let size = variant.count;
  for (const row of variant.rows.rows) if (typeof row !== "number") size += row.length;
  return size;
}
