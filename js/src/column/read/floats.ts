/** Floats (F-30). Typed arrays have the byte order of the machine: every engine of JavaScript runs little-endian. */

import { fault } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { fromBf16, fromF16 } from "../../kernel/numbers.js";
import { BF16, F16, F32, F64 } from "../../schema/types.js";
import { readEncoded } from "./encoded.js";
import { maximum, readInner } from "./inner.js";

/** The numbers of f32 and f64, the bits of f16 and bf16. */
export type FloatBits = Uint16Array | Float32Array | Float64Array;

const ARRAYS = { [F16]: Uint16Array, [BF16]: Uint16Array, [F32]: Float32Array, [F64]: Float64Array };

const POWERS = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
];

/** A payload of n rows, over the buffer where its place is a multiple of the size. */
export function rawRows(input: Input, code: number, at: number, n: number): FloatBits {
  const Rows = ARRAYS[code as typeof F64];
  const size = Rows.BYTES_PER_ELEMENT;
  const { buffer, byteOffset } = input.bytes;
  if ((byteOffset + at) % size === 0) return new Rows(buffer as ArrayBuffer, byteOffset + at, n);
  return new Rows(input.bytes.slice(at, at + n * size).buffer as ArrayBuffer);
}

/** Reads a column of n floats, n > 0. */
export function readFloats(input: Input, code: number, n: number): FloatBits {
  if (n < 4) return rawRows(input, code, input.take(n * ARRAYS[code as typeof F64].BYTES_PER_ELEMENT), n);
  return readEncoded(input, (inside, encoding) => readEncodedFloats(inside, code, n, encoding));
}

/** What follows an encoding byte other than `70`; undefined if there is no such encoding. */
export function readEncodedFloats(input: Input, code: number, n: number, encoding: number): FloatBits | undefined {
  const Rows = ARRAYS[code as typeof F64];
  const size = Rows.BYTES_PER_ELEMENT;
  switch (encoding) {
    case 0x58:
      return rawRows(input, code, input.takePadded(n * size), n);
    case 0x59: {
      // The bits, because a NaN need not keep its payload as a number.
      const value = new Uint8Array(rawRows(input, code, input.take(size), 1).slice().buffer);
      const bytes = new Uint8Array(n * size);
      for (let i = 0; i < bytes.length; i += size) bytes.set(value, i);
      return new Rows(bytes.buffer);
    }
    case 0x5b:
      return code === F64 ? readDecimal(input, n) : undefined;
    case 0x5c: {
      const at = input.pos;
      const numbers = readInner(input, n);
      if (size < 8 && maximum(numbers) >= 2 ** (8 * size)) throw fault("int_out_of_range", at);
      if (size === 8) return new Float64Array(BigUint64Array.from(numbers as bigint[], BigInt).buffer);
      const Words = size === 4 ? Uint32Array : Uint16Array;
      return new Rows(Words.from(numbers as Float64Array).buffer);
    }
  }
  return undefined;
}

function readDecimal(input: Input, n: number): Float64Array {
  let at = input.pos;
  const power = POWERS[input.byte()];
  if (power === undefined) throw fault("bad_decimal", at);
  const digits = readInner(input, n, true);
  const rows = new Float64Array(n);
  for (let i = 0; i < n; i++) rows[i] = Number(digits[i]) / power;
  at = input.pos;
  const count = input.varint();
  if (count > n) throw fault("bad_patches", at);
  if (count === 0) return rows;
  at = input.pos;
  const positions = readInner(input, count);
  for (let i = 0; i < count; i++) {
    if (positions[i]! >= n || (i > 0 && positions[i]! <= positions[i - 1]!)) throw fault("bad_patches", at);
  }
  const values = rawRows(input, F64, input.take(8 * count), count);
  for (let i = 0; i < count; i++) rows[positions[i] as number] = values[i]!;
  return rows;
}

/** The numbers of a column of floats. */
export function floatNumbers(code: number, bits: FloatBits): Float32Array | Float64Array {
  if (!(bits instanceof Uint16Array)) return bits;
  return Float32Array.from(bits, code === F16 ? fromF16 : fromBf16);
}
