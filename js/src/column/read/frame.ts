/** Frames of reference (F-29): numbers in a fixed number of bits each, beside a base. */

import { fault } from "../../error.js";
import type { Input } from "../../kernel/input.js";

/** The rows of a column of integers: numbers if all are safe, else bigints. */
export type IntRows = Int32Array | Float64Array | bigint[];

export function isFrame(encoding: number): boolean {
  const width = encoding & 0x7f;
  return width <= 57 || width === 64;
}

/** The number mod 2^64, read as signed if the kind is. */
export function wrap(value: bigint, signed: boolean): bigint {
  return signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
}

/** Rows as numbers if all are safe. */
export function narrow(rows: bigint[]): IntRows {
  const numbers = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const number = Number(rows[i]);
    if (!Number.isSafeInteger(number)) return rows;
    numbers[i] = number;
  }
  return numbers;
}

/** Unused bits of the last byte of a payload are zero. */
export function checkUnused(input: Input, bits: number): void {
  const used = bits % 8;
  if (used > 0 && input.bytes[input.pos - 1]! >> used !== 0) throw fault("nonzero_padding", input.pos - 1);
}

/** What follows the encoding byte of a frame, without the check of the kind's range. */
export function readFrame(input: Input, encoding: number, n: number, signed: boolean, padded = false): IntRows {
  const width = encoding & 0x7f;
  const base = encoding & 0x80 ? (signed ? input.signed() : input.exact()) : 0;
  const size = Math.ceil((n * width) / 8);
  const isPadded = padded && (encoding === 0x10 || encoding === 0x20 || encoding === 0x40);
  const at = isPadded ? input.takePadded(size) : input.take(size);
  checkUnused(input, n * width);
  // Below 2^52 nothing wraps, and all sums are exact.
  if (width <= 51 && typeof base === "number" && Math.abs(base) < 2 ** 52) {
    const small = width <= 30 && base >= -(2 ** 31) && base + 2 ** width <= 2 ** 31;
    const rows = small ? new Int32Array(n) : new Float64Array(n);
    if (width === 0) rows.fill(base);
    else unpack(rows, input.bytes, at, size, width, base);
    return rows;
  }
  const rows: bigint[] = new Array(n);
  const bits = new Bits(input.bytes, at);
  const from = BigInt(base);
  for (let i = 0; i < n; i++) rows[i] = wrap(from + bits.big(width), signed);
  return narrow(rows);
}

/** Fields of up to 51 bits, plus the base. */
function unpack(
  rows: Int32Array | Float64Array,
  source: Uint8Array,
  start: number,
  size: number,
  width: number,
  base: number,
): void {
  const n = rows.length;
  let bytes = source;
  let at = start;
  if (width === 8) {
    for (let i = 0; i < n; i++) rows[i] = bytes[at + i]! + base;
    return;
  }
  // The loops read up to 8 bytes beyond the field's first.
  if (start + size + 8 > source.length) {
    bytes = new Uint8Array(size + 8);
    bytes.set(source.subarray(start, start + size));
    at = 0;
  }
  let shift = 0;
  if (width <= 24) {
    const mask = 2 ** width - 1;
    for (let i = 0; i < n; i++) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      rows[i] = ((word >>> shift) & mask) + base;
      shift += width;
      at += shift >> 3;
      shift &= 7;
    }
    return;
  }
  const low = width < 32 ? 2 ** width - 1 : -1;
  const high = width > 32 ? 2 ** (width - 32) - 1 : 0;
  for (let i = 0; i < n; i++) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    const next = bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24);
    // For shift 0, `next << 32` would be `next`: so it is shifted in two steps.
    const field = (((word >>> shift) | ((next << 1) << (31 - shift))) & low) >>> 0;
    rows[i] = field + ((next >>> shift) & high) * 4294967296 + base;
    shift += width;
    at += shift >> 3;
    shift &= 7;
  }
}

/** Reads numbers of various widths, one after the other, bits counted as in a frame. */
export class Bits {
  private shift = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  /** The next number of up to 53 bits. */
  number(width: number): number {
    let value = 0;
    let scale = 1;
    for (let left = width; left > 0; ) {
      const take = Math.min(8 - this.shift, left);
      value += ((this.bytes[this.at]! >> this.shift) & ((1 << take) - 1)) * scale;
      scale *= 1 << take;
      left -= take;
      this.shift += take;
      this.at += this.shift >> 3;
      this.shift &= 7;
    }
    return value;
  }

  /** The next number of up to 64 bits. */
  big(width: number): bigint {
    const low = this.number(Math.min(width, 32));
    return width > 32 ? BigInt(low) | (BigInt(this.number(width - 32)) << 32n) : BigInt(low);
  }
}
