/** Ints (F-29): columns of integers of all kinds, and of the numbers that the format itself needs. */

import { type ErrorCode, fault, inRow } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { I8, I16, I32, I64, I128, INT, U8, U16, U32, U64, U128 } from "../../schema/types.js";
import { readEncoded, skipMarker } from "./encoded.js";
import { type Frame, type IntRows, isFrame, narrow, readFrame } from "./frame.js";
import { OUTSIDE, readInner, readNumbers, total } from "./inner.js";

/** Whether the numbers of a kind, by its type code, are signed. */
function isSigned(kind: number): boolean {
  return kind === INT || kind >= I8;
}

const BITS: { readonly [kind: number]: number } = {
  [U8]: 8,
  [U16]: 16,
  [U32]: 32,
  [U64]: 64,
  [U128]: 128,
  [I8]: 8,
  [I16]: 16,
  [I32]: 32,
  [I64]: 64,
  [I128]: 128,
};

function holds(kind: number, value: number | bigint): boolean {
  if (kind === INT) return true;
  const bits = BITS[kind]!;
  if (typeof value === "number") {
    return isSigned(kind) ? value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1) : value >= 0 && value < 2 ** bits;
  }
  return (isSigned(kind) ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
}

/** Where a fault in a row of the last column that was read is reported (F-27). */
export interface RowOffsets {
  /** The column's first byte, after a marker. */
  start: number;
  /** The offsets of the varints of fewer than 4 rows; else empty. */
  varints: number[];
}

/** Reads a column of n integers, n > 0. `places` receives where its rows are. */
export function readInts(input: Input, kind: number, n: number, places?: RowOffsets): IntRows {
  if (n < 4) {
    if (kind === U8 || kind === I8) {
      const at = input.take(n);
      const rows = new Int32Array(n);
      for (let i = 0; i < n; i++) {
        const byte = input.bytes[at + i]!;
        rows[i] = kind === I8 ? (byte << 24) >> 24 : byte;
      }
      return rows;
    }
    if (!skipMarker(input)) return readFew(input, kind, n, places);
  }
  if (places !== undefined) {
    places.start = input.pos;
    places.varints.length = 0;
  }
  return readEncoded(input, (inside, encoding, at) => readEncodedInts(inside, kind, n, encoding, at));
}

/** Moves past a column of n integers, n > 3, that is a frame and has no fault behind its head; undefined if it is another. */
export function skipFrame(input: Input, kind: number, n: number): Frame | undefined {
  const start = input.pos;
  if (input.remaining === 0 || !isFrame(input.bytes[start]!)) return undefined;
  const frame = readFrame(input, input.byte(), n, isSigned(kind), true);
  if (kind === INT || BITS[kind]! >= 64) return frame;
  const bits = BITS[kind]!;
  const least = isSigned(kind) ? -(2 ** (bits - 1)) : 0;
  if (frame.isWithin(least, least + 2 ** bits - 1)) return frame;
  input.pos = start;
  return undefined;
}

function readFew(input: Input, kind: number, n: number, places: RowOffsets | undefined): IntRows {
  const signed = isSigned(kind);
  const rows = new Float64Array(n);
  let bigs: bigint[] | undefined;
  if (places !== undefined) {
    places.start = input.pos;
    places.varints.length = 0;
  }
  for (let i = 0; i < n; i++) {
    const at = input.pos;
    places?.varints.push(at);
    const row = signed ? input.signed() : input.exact();
    if (!holds(kind, row)) throw inRow(fault("int_out_of_range", at), i);
    if (bigs === undefined && typeof row === "bigint") bigs = Array.from(rows.subarray(0, i), BigInt);
    if (bigs === undefined) rows[i] = row as number;
    else bigs.push(BigInt(row));
  }
  return bigs ?? rows;
}

/** What follows an encoding byte other than `70`; undefined if there is no such encoding. */
export function readEncodedInts(
  input: Input,
  kind: number,
  n: number,
  encoding: number,
  at: number,
): IntRows | undefined {
  if (encoding === 0x44) return kind === INT || kind === U128 || kind === I128 ? readBigs(input, kind, n) : undefined;
  const rows = readNumbers(input, encoding, n, isSigned(kind), OUTSIDE, true);
  // 64 bits hold no number beyond the larger kinds' ranges.
  if (rows !== undefined && kind !== INT && BITS[kind]! < 64) {
    for (let i = 0; i < n; i++) if (!holds(kind, rows[i]!)) throw inRow(fault("int_out_of_range", at), i);
  }
  return rows;
}

function readBigs(input: Input, kind: number, n: number): IntRows {
  const lengthsAt = input.pos;
  const lengths = readInner(input, n);
  for (let i = 0; i < n; i++) if (lengths[i]! <= 0) throw fault("int_not_shortest", lengthsAt);
  const size = total(lengths);
  let at = input.take(size);
  input.charge(size, at);
  const rows: bigint[] = new Array(n);
  for (let i = 0; i < n; i++) {
    const length = lengths[i] as number;
    const row = bigAt(input.bytes, at, length);
    if (row === undefined) throw inRow(fault("int_not_shortest", at), i);
    if (!holds(kind, row)) throw inRow(fault("int_out_of_range", at), i);
    rows[i] = row;
    at += length;
  }
  return narrow(rows);
}

/** F-6: a big, or undefined if it is not in its shortest form. */
function bigAt(bytes: Uint8Array, at: number, length: number): bigint | undefined {
  const top = bytes[at + length - 1]!;
  if (length > 1 && top === (bytes[at + length - 2]! > 127 ? 255 : 0)) return undefined;
  let text = "0x";
  for (let i = at + length - 1; i >= at; i--) text += bytes[i]!.toString(16).padStart(2, "0");
  return BigInt.asIntN(8 * length, BigInt(text));
}

const places: RowOffsets = { start: 0, varints: [] };

/** Reads a column of numbers that say how many rows another column has, or which. A row of `bound` or more is a fault. */
export function readCounts(
  input: Input,
  n: number,
  bound = Infinity,
  code: ErrorCode = "index_out_of_range",
): Int32Array | Float64Array {
  const rows = readInts(input, U64, n, places);
  for (let i = 0; bound < Infinity && i < n; i++) {
    if (rows[i]! >= bound) throw inRow(fault(code, places.varints[i] ?? places.start), i);
  }
  // Beyond 2^53 the count is only near, and exceeds any budget.
  return Array.isArray(rows) ? Float64Array.from(rows, Number) : rows;
}

/** The column's first byte, after a marker, and the varints of the column that `readCounts` read last. */
export function lastRowOffsets(): RowOffsets {
  return { start: places.start, varints: places.varints.slice() };
}
