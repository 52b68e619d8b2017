/** Bits (F-28, F-43). */

import type { Output } from "../../kernel/output.js";

const ALL_FALSE = 0x50;
const ALL_TRUE = 0x51;
const RAW = 0x52;

/** Writes rows, each of which is 0 or 1. */
export function writeBits(out: Output, rows: ArrayLike<number>, count: number): void {
  if (count <= 8) {
    let byte = 0;
    for (let i = 0; i < count; i++) byte |= rows[i]! << i;
    out.byte(byte);
    return;
  }
  let ones = 0;
  for (let i = 0; i < count; i++) ones += rows[i]!;
  if (ones === 0 || ones === count) {
    out.byte(ones === 0 ? ALL_FALSE : ALL_TRUE);
    return;
  }
  out.byte(RAW);
  const size = Math.ceil(count / 8);
  out.reserve(size);
  const { bytes } = out;
  let at = out.length;
  const full = count & ~7;
  for (let i = 0; i < full; i += 8) {
    bytes[at++] =
      rows[i]! |
      (rows[i + 1]! << 1) |
      (rows[i + 2]! << 2) |
      (rows[i + 3]! << 3) |
      (rows[i + 4]! << 4) |
      (rows[i + 5]! << 5) |
      (rows[i + 6]! << 6) |
      (rows[i + 7]! << 7);
  }
  if (full < count) {
    let byte = 0;
    for (let i = full; i < count; i++) byte |= rows[i]! << (i - full);
    bytes[at] = byte;
  }
  out.length += size;
}
