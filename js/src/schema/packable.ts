/** Packable types (F-70): their widths in bytes, and the values in one of them. */

import * as T from "./types.js";

/** The bytes of each scalar by its code; 0 is not packable. */
export const SCALAR_WIDTHS = [0, 0, 1, 0, 1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 2, 2, 4, 8, 0, 0];

const CONTAINERS = [T.FIXED, T.ARRAY, T.TUPLE, T.STRUCT, T.RECORD, T.LOGICAL, T.EXTENSION] as number[];

export function isPackableCode(code: number): boolean {
  return (SCALAR_WIDTHS[code] ?? 0) > 0 || CONTAINERS.includes(code);
}

/** The number of bytes of a value of a packable type. */
export function valueWidth(type: T.Type): number {
  if (type.code <= T.BYTES) return SCALAR_WIDTHS[type.code]!;
  if (type.code === T.FIXED) return type.size;
  return sumInside(type, valueWidth);
}

/** The number of values in one of a packable type, itself included (F-26). */
export function valueCount(type: T.Type): number {
  return 1 + sumInside(type, valueCount);
}

function sumInside(type: T.Type, measure: (type: T.Type) => number): number {
  let sum = 0;
  for (const inside of T.typesInside(type)) sum += measure(inside);
  return type.code === T.ARRAY ? type.size * sum : sum;
}

/** The offset of the first bool other than 0 and 1 among the bytes of values, or -1. */
export function badBool(type: T.Type, bytes: Uint8Array): number {
  const offsets: number[] = [];
  collectBools(type, 0, offsets);
  if (offsets.length === 0) return -1;
  const width = valueWidth(type);
  for (let at = 0; at < bytes.length; at += width) {
    for (const offset of offsets) if (bytes[at + offset]! > 1) return at + offset;
  }
  return -1;
}

function collectBools(type: T.Type, start: number, offsets: number[]): void {
  if (type.code === T.BOOL) offsets.push(start);
  let at = start;
  for (let i = 0; i < (type.code === T.ARRAY ? type.size : 1); i++) {
    const before = offsets.length;
    for (const inside of T.typesInside(type)) {
      collectBools(inside, at, offsets);
      at += valueWidth(inside);
    }
    if (offsets.length === before) return;
  }
}
