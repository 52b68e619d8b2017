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

/** A column as a frame: its head was read and has no fault, its rows are made when they are asked for. */
export class Frame {
  constructor(
    readonly bytes: Uint8Array,
    readonly at: number,
    readonly n: number,
    readonly width: number,
    readonly base: number | bigint,
    readonly signed: boolean,
  ) {}

  /** Whether all rows are of a kind, whatever the fields are: from its least number up to its largest. */
  isWithin(least: number, largest: number): boolean {
    const { base, width } = this;
    return typeof base === "number" && width < 53 && base >= least && base + 2 ** width - 1 <= largest;
  }

  rows(): IntRows {
    const { base, bytes, n, width } = this;
    // Below 2^52 nothing wraps, and all sums are exact.
    if (width <= 51 && typeof base === "number" && Math.abs(base) < 2 ** 52) {
      const small = width <= 30 && base >= -(2 ** 31) && base + 2 ** width <= 2 ** 31;
      if (width === 0) return (small ? new Int32Array(n) : new Float64Array(n)).fill(base);
      return small ? unpackSmall(n, bytes, this.at, width, base) : unpack(n, bytes, this.at, width, base);
    }
    const rows: bigint[] = new Array(n);
    const bits = new Bits(bytes, this.at);
    const from = BigInt(base);
    for (let i = 0; i < n; i++) rows[i] = wrap(from + bits.big(width), this.signed);
    return narrow(rows);
  }
}

/** What follows the encoding byte of a frame, without the check of the kind's range. */
export function readFrame(input: Input, encoding: number, n: number, signed: boolean, padded = false): Frame {
  const width = encoding & 0x7f;
  const base = encoding & 0x80 ? (signed ? input.signed() : input.exact()) : 0;
  const size = Math.ceil((n * width) / 8);
  const isPadded = padded && (encoding === 0x10 || encoding === 0x20 || encoding === 0x40);
  const at = isPadded ? input.takePadded(size) : input.take(size);
  checkUnused(input, n * width);
  return new Frame(input.bytes, at, n, width, base, signed);
}

/** Payloads are copied into words of 32 bits. Platforms of JavaScript are little-endian. */
let words = new Uint32Array(1024);
let wordBytes = new Uint8Array(words.buffer);

/** Puts a payload into words, and returns them. The loops read up to 8 bytes beyond the last field, and do not use them. */
function toWords(bytes: Uint8Array, start: number, size: number): Uint32Array {
  if (wordBytes.length < size + 8) {
    words = new Uint32Array(Math.max(size / 4 + 3, 2 * words.length));
    wordBytes = new Uint8Array(words.buffer);
  }
  wordBytes.set(bytes.subarray(start, start + size));
  return words;
}

/** Fields of up to 30 bits whose sums are below 2^31. A function for one kind of array takes a third of the time of one for both. */
function unpackSmall(n: number, bytes: Uint8Array, start: number, width: number, base: number): Int32Array {
  const rows = new Int32Array(n);
  if (width === 8) {
    for (let i = 0; i < n; i++) rows[i] = (bytes[start + i]! + base) | 0;
    return rows;
  }
  const source = toWords(bytes, start, Math.ceil((n * width) / 8));
  const mask = (1 << width) - 1;
  let at = 0;
  let shift = 0;
  for (let i = 0; i < n; i++) {
    let field = source[at]! >>> shift;
    shift += width;
    // A shift by 32 or more is one by 32 less: bits of the next word are wanted only beyond the end of this one.
    if (shift > 32) field |= source[at + 1]! << (32 + width - shift);
    rows[i] = ((field & mask) + base) | 0;
    at += shift >> 5;
    shift &= 31;
  }
  return rows;
}

/** Fields of up to 51 bits, plus the base. */
function unpack(n: number, bytes: Uint8Array, start: number, width: number, base: number): Float64Array {
  const rows = new Float64Array(n);
  const source = toWords(bytes, start, Math.ceil((n * width) / 8));
  let at = 0;
  let shift = 0;
  if (width <= 32) {
    const mask = width < 32 ? 2 ** width - 1 : -1;
    for (let i = 0; i < n; i++) {
      let field = source[at]! >>> shift;
      shift += width;
      if (shift > 32) field |= source[at + 1]! << (32 + width - shift);
      rows[i] = ((field & mask) >>> 0) + base;
      at += shift >> 5;
      shift &= 31;
    }
    return rows;
  }
  const mask = 2 ** (width - 32) - 1;
  for (let i = 0; i < n; i++) {
    const next = source[at + 1]!;
    // For shift 0, `next << 32` would be `next`: so it is shifted in two steps.
    const low = ((source[at]! >>> shift) | ((next << 1) << (31 - shift))) >>> 0;
    const high = ((next >>> shift) | ((source[at + 2]! << 1) << (31 - shift))) & mask;
    rows[i] = low + high * 4294967296 + base;
    shift += width;
    at += shift >> 5;
    shift &= 31;
  }
  return rows;
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
