/** Floats (F-30): the encodings of profiles fast (F-43) and balanced (F-93). */

import type { Output } from "../../kernel/output.js";
import { varintSize } from "../../kernel/output.js";
import { innerFrame, writeFrame } from "./frame.js";
import { planIntegers, saves } from "./ints.js";
import { NumberRows } from "./numbers.js";

const RAW = 0x58;
const CONSTANT = 0x59;
const DECIMAL = 0x5b;
const PADDED_SIZE = 4096;

/** F-93. */
const SAMPLE = 64;
const LARGEST_DIGITS = 2 ** 53;
/** Numbers from here on have no fraction. */
const WHOLE = 2 ** 52;

const POWERS = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
];

/** Rows of f64. A NaN is the one of positive sign without a payload, unless its bits are given. */
export class FloatRows extends NumberRows {
  /** The bits of NaNs of other bits, by row. */
  payloads: Map<number, bigint> | undefined = undefined;

  pushBits(bits: bigint): void {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, bits);
    const row = view.getFloat64(0);
    if (Number.isNaN(row)) (this.payloads ??= new Map()).set(this.length, bits);
    this.push(row);
  }

  override empty(): void {
    super.empty();
    this.payloads = undefined;
  }
}

/** Writes rows of f64. */
export function writeFloats(out: Output, column: FloatRows, balanced: boolean): void {
  const { length: count } = column;
  const bits = bitsOf(column);
  if (count < 4) {
    out.write(bits);
    return;
  }
  const words = new Uint32Array(bits.buffer);
  if (isConstant(words)) {
    out.byte(CONSTANT);
    out.write(bits.subarray(0, 8));
    return;
  }
  if (balanced && writeDecimal(out, column.rows, count, 1 + bits.length, words)) return;
  out.byte(RAW);
  if (bits.length >= PADDED_SIZE) out.align();
  out.write(bits);
}

function bitsOf(column: FloatRows): Uint8Array {
  const { rows, length } = column;
  const numbers = new Float64Array(length);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < length; i++) {
    const row = rows[i]!;
    numbers[i] = row;
    if (Number.isNaN(row)) {
      words[2 * i] = 0;
      words[2 * i + 1] = 0x7ff80000;
    }
  }
  for (const [row, bits] of column.payloads ?? []) new BigUint64Array(numbers.buffer)[row] = bits;
  return new Uint8Array(numbers.buffer);
}

function isConstant(words: Uint32Array): boolean {
  const low = words[0]!;
  const high = words[1]!;
  for (let i = 2; i < words.length; i += 2) if (words[i] !== low || words[i + 1] !== high) return false;
  return true;
}

/** Writes floats of other widths, as their bytes. */
export function writeRawFloats(out: Output, rows: readonly Uint8Array[]): void {
  const [first] = rows;
  if (rows.length >= 4) {
    if (rows.every((row) => row.every((byte, i) => byte === first![i]))) {
      out.byte(CONSTANT);
      out.write(first!);
      return;
    }
    out.byte(RAW);
    if (rows.length * first!.length >= PADDED_SIZE) out.align();
  }
  for (const row of rows) out.write(row);
}

/** The digits of a row at a power of ten (F-93), or NaN if it has none. */
function digitsOf(row: number, power: number): number {
  const product = row * power;
  // To a whole number, ties to even.
  const digits =
    product >= WHOLE || product <= -WHOLE ? product : product >= 0 ? product + WHOLE - WHOLE : product - WHOLE + WHOLE;
  if (digits > LARGEST_DIGITS || digits < -LARGEST_DIGITS || digits / power !== row) return Number.NaN;
  // -0 has none.
  return row === 0 && 1 / row < 0 ? Number.NaN : digits + 0;
}

/** F-93. Returns whether decimal is written. */
function writeDecimal(
  out: Output,
  rows: ArrayLike<number>,
  count: number,
  rawSize: number,
  words: Uint32Array,
): boolean {
  const m = Math.min(count, SAMPLE);
  let e = 0;
  let most = 0;
  let fill = 0;
  for (let each = 0; each < POWERS.length && most < m; each++) {
    const power = POWERS[each]!;
    let found = 0;
    let first = 0;
    for (let k = 0; k < m; k++) {
      const digits = digitsOf(rows[Math.floor((k * count) / m)]!, power);
      if (!Number.isNaN(digits) && found++ === 0) first = digits;
    }
    if (found > most) {
      most = found;
      e = each;
      fill = first;
    }
  }
  if (4 * most < 3 * m) return false;
  const power = POWERS[e]!;
  const digits = new Float64Array(count);
  const positions: number[] = [];
  for (let i = 0; i < count; i++) {
    const row = digitsOf(rows[i]!, power);
    if (!Number.isNaN(row)) {
      digits[i] = row;
    } else {
      digits[i] = fill;
      positions.push(i);
    }
  }
  const plan = planIntegers(digits, count, true);
  let size = 2 + plan.size + varintSize(positions.length);
  const frame = positions.length > 0 ? innerFrame(positions, positions.length) : undefined;
  if (frame) size += 1 + frame.size + 8 * positions.length;
  if (!saves(size, rawSize)) return false;
  out.byte(DECIMAL);
  out.byte(e);
  plan.write(out);
  out.varint(positions.length);
  if (frame) {
    writeFrame(out, positions, positions.length, frame, false);
    for (const row of positions) out.write(new Uint8Array(words.buffer, 8 * row, 8));
  }
  return true;
}
