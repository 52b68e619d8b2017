/** Integers and floats as other integers and floats (F-78, lines 17 to 19). */

import type { FloatBits } from "../column/read/floats.js";
import { fromBf16, fromF16 } from "../kernel/numbers.js";
import { SCALAR_WIDTHS } from "../schema/packable.js";
import * as T from "../schema/types.js";
import type { Integer } from "../values.js";

/** Whether an integer type holds a number. */
export function inRange(value: Integer, code: number): boolean {
  if (code === T.INT) return true;
  const bits = 8 * SCALAR_WIDTHS[code]!;
  const isSigned = code >= T.I8;
  if (typeof value === "number" && bits <= 32) {
    return isSigned ? value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1) : value >= 0 && value < 2 ** bits;
  }
  const big = BigInt(value);
  const low = isSigned ? -(1n << BigInt(bits - 1)) : 0n;
  return big >= low && big < low + (1n << BigInt(bits));
}

/** An IEEE 754 format: the bits of the exponent and of the fraction. */
interface Format {
  readonly bits: bigint;
  readonly fraction: bigint;
  readonly infinity: bigint;
  /** The power of two that is the least number above 0. */
  readonly least: bigint;
}

function format(exponent: bigint, fraction: bigint): Format {
  return {
    bits: 1n + exponent + fraction,
    fraction,
    infinity: ((1n << exponent) - 1n) << fraction,
    least: 2n - (1n << (exponent - 1n)) - fraction,
  };
}

const FORMATS: { readonly [code: number]: Format } = {
  [T.F16]: /* @__PURE__ */ format(5n, 10n),
  [T.BF16]: /* @__PURE__ */ format(8n, 7n),
  [T.F32]: /* @__PURE__ */ format(8n, 23n),
  [T.F64]: /* @__PURE__ */ format(11n, 52n),
};

/** The bits of a row of a column of floats. */
export function floatBits(code: number, data: FloatBits, row: number): bigint {
  if (code === T.F32) return BigInt(new DataView(data.buffer, data.byteOffset).getUint32(4 * row, true));
  if (code === T.F64) return new DataView(data.buffer, data.byteOffset).getBigUint64(8 * row, true);
  return BigInt(data[row]!);
}

/** The number that bits are. */
export function floatOf(code: number, bits: bigint): number {
  if (code === T.F16) return fromF16(Number(bits));
  if (code === T.BF16) return fromBf16(Number(bits));
  const view = new DataView(new ArrayBuffer(8));
  if (code === T.F64) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  view.setUint32(0, Number(bits));
  return view.getFloat32(0);
}

/** The bits of the float that is exactly this number; undefined if there is none. */
export function floatFromInt(value: Integer, code: number): bigint | undefined {
  const number = BigInt(value);
  const to = FORMATS[code]!;
  const [magnitude, isExact] = nearest(number < 0n ? -number : number, 0n, to);
  return isExact ? signed(number < 0n, magnitude, to) : undefined;
}

/** The bits of a float as another type; undefined if that does not hold it and it is not to be rounded. */
export function floatFromFloat(bits: bigint, source: number, code: number, rounds: boolean): bigint | undefined {
  const from = FORMATS[source]!;
  const to = FORMATS[code]!;
  const isNegative = bits >> (from.bits - 1n) === 1n;
  const size = BigInt.asUintN(Number(from.bits - 1n), bits);
  const exponent = size >> from.fraction;
  const fraction = BigInt.asUintN(Number(from.fraction), size);
  let found: [bigint, boolean];
  if (size > from.infinity) found = notANumber(fraction, from, to);
  else if (size === from.infinity) found = [to.infinity, true];
  else if (exponent === 0n) found = nearest(fraction, from.least, to);
  else found = nearest(fraction + (1n << from.fraction), from.least + exponent - 1n, to);
  return found[1] || rounds ? signed(isNegative, found[0], to) : undefined;
}

/** A NaN keeps the bits of its fraction from the highest on. Rounded, it loses the others and is made quiet. */
function notANumber(fraction: bigint, from: Format, to: Format): [bigint, boolean] {
  const lacking = from.fraction - to.fraction;
  if (lacking <= 0n) return [to.infinity | (fraction << -lacking), true];
  const kept = fraction >> lacking;
  if (kept << lacking === fraction) return [to.infinity | kept, true];
  return [to.infinity | kept | (1n << (to.fraction - 1n)), false];
}

/** The bits without sign of mantissa · 2^power, to nearest, ties to even; and whether they are exact. */
function nearest(mantissa: bigint, power: bigint, to: Format): [bigint, boolean] {
  if (mantissa === 0n) return [0n, true];
  // The power of two of the result's last digit.
  let last = power + BigInt(bitLength(mantissa)) - (to.fraction + 1n);
  if (last < to.least) last = to.least;
  const shift = last - power;
  let kept: bigint;
  let isExact = true;
  if (shift <= 0n) kept = mantissa << -shift;
  else {
    kept = mantissa >> shift;
    const lost = mantissa - (kept << shift);
    isExact = lost === 0n;
    const half = 1n << (shift - 1n);
    if (lost > half || (lost === half && (kept & 1n) === 1n)) kept++;
  }
  // The highest of the digits is not stored: it adds 1 to the exponent, as it should. So does a carry out of it.
  const magnitude = ((last - to.least) << to.fraction) + kept;
  return magnitude >= to.infinity ? [to.infinity, false] : [magnitude, isExact];
}

function bitLength(value: bigint): number {
  const digits = value.toString(16);
  return 4 * digits.length - Math.clz32(Number.parseInt(digits[0]!, 16)) + 28;
}

function signed(isNegative: boolean, magnitude: bigint, to: Format): bigint {
  return isNegative ? magnitude | (1n << (to.bits - 1n)) : magnitude;
}

/** Scalars in the bytes of F-70; floats are given as their bits. */
export function packScalars(code: number, values: readonly unknown[]): Uint8Array {
  const width = SCALAR_WIDTHS[code]!;
  const bytes = new Uint8Array(values.length * width);
  values.forEach((value, i) => {
    if (width === 1) bytes[i] = Number(value);
    else {
      let rest = BigInt.asUintN(8 * width, BigInt(value as Integer));
      for (let at = i * width; at < (i + 1) * width; at++, rest >>= 8n) bytes[at] = Number(rest & 255n);
    }
  });
  return bytes;
}
