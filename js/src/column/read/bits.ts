/** Bits (F-28). */

import { fault } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { readEncoded } from "./encoded.js";

/** Reads a column of n bits, n > 0, each 0 or 1. */
export function readBits(input: Input, n: number): Uint8Array {
  if (n <= 8) return readRaw(input, n);
  return readEncoded(input, (inside, encoding) => {
    if (encoding === 0x50) return new Uint8Array(n);
    if (encoding === 0x51) return new Uint8Array(n).fill(1);
    return encoding === 0x52 ? readRaw(inside, n) : undefined;
  });
}

function readRaw(input: Input, n: number): Uint8Array {
  const { bytes } = input;
  const at = input.take(Math.ceil(n / 8));
  if (n % 8 > 0 && bytes[input.pos - 1]! >> (n % 8) !== 0) throw fault("nonzero_padding", input.pos - 1);
  const rows = new Uint8Array(n);
  for (let i = 0; i < n; i++) rows[i] = (bytes[at + (i >> 3)]! >> (i & 7)) & 1;
  return rows;
}

/** How many bits are 1. */
export function ones(bits: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += bits[i]!;
  return count;
}
