/** Inner columns (F-59), and the encodings of integers that contain them: delta, scaled, widths (F-29). */

import { fault } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { fromZigzag, fromZigzagBig } from "../../kernel/numbers.js";
import { readBins } from "./bins.js";
import { Bits, checkUnused, type IntRows, isFrame, narrow, readFrame, wrap } from "./frame.js";

/** Where an encoding is: scaled contains no scaled, delta contains neither (F-59). */
export const OUTSIDE = 0;
const IN_SCALED = 1;
const IN_DELTA = 2;

/** What follows an encoding byte of integers other than big; undefined if there is none such here. */
export function readNumbers(
  input: Input,
  encoding: number,
  n: number,
  signed: boolean,
  place: number,
  padded = false,
): IntRows | undefined {
  if (isFrame(encoding)) return readFrame(input, encoding, n, signed, padded).rows();
  switch (encoding) {
    case 0x41:
      return place < IN_DELTA ? readDelta(input, n, signed) : undefined;
    case 0x42:
      return place < IN_SCALED ? readScaled(input, n, signed) : undefined;
    case 0x45:
      return readWidths(input, n, signed);
    case 0x46:
      return readBins(input, n, signed);
  }
  return undefined;
}

/** An inner column of n rows. */
export function readInner(input: Input, n: number, signed = false, place = OUTSIDE): IntRows {
  const at = input.pos;
  const rows = readNumbers(input, input.byte(), n, signed, place);
  if (rows === undefined) throw fault("bad_inner_encoding", at);
  return rows;
}

/** An inner frame of n rows. */
export function readInnerFrame(input: Input, n: number, signed = false): IntRows {
  const at = input.pos;
  const encoding = input.byte();
  if (!isFrame(encoding)) throw fault("bad_inner_encoding", at);
  return readFrame(input, encoding, n, signed).rows();
}

function readDelta(input: Input, n: number, signed: boolean): IntRows {
  const first = signed ? input.signed() : input.exact();
  const differences = n > 1 ? readInner(input, n - 1, true, IN_DELTA) : new Int32Array(0);
  if (typeof first === "number" && !Array.isArray(differences)) {
    const rows = new Float64Array(n);
    let row = first;
    let low = first;
    let high = first;
    rows[0] = first;
    for (let i = 1; i < n; i++) {
      rows[i] = row += differences[i - 1]!;
      if (row < low) low = row;
      else if (row > high) high = row;
    }
    // Sums of safe numbers are exact up to the first that is not safe.
    if (high <= Number.MAX_SAFE_INTEGER && low >= (signed ? Number.MIN_SAFE_INTEGER : 0)) return rows;
  }
  const rows: bigint[] = new Array(n);
  let row = BigInt(first);
  for (let i = 0; ; i++) {
    rows[i] = row;
    if (i === n - 1) return narrow(rows);
    row = wrap(row + BigInt(differences[i]!), signed);
  }
}

function readScaled(input: Input, n: number, signed: boolean): IntRows {
  const base = signed ? input.signed() : input.exact();
  const at = input.pos;
  const g = input.exact();
  if (g < 2) throw fault("bad_scale", at);
  const quotients = readInner(input, n, false, IN_SCALED);
  if (typeof base === "number" && typeof g === "number" && !Array.isArray(quotients)) {
    const most = maximum(quotients);
    if (Math.abs(base) + g * most <= Number.MAX_SAFE_INTEGER) {
      const rows = new Float64Array(n);
      for (let i = 0; i < n; i++) rows[i] = base + g * quotients[i]!;
      return rows;
    }
  }
  const rows: bigint[] = new Array(n);
  for (let i = 0; i < n; i++) rows[i] = wrap(BigInt(base) + BigInt(g) * BigInt(quotients[i]!), signed);
  return narrow(rows);
}

function readWidths(input: Input, n: number, signed: boolean): IntRows {
  const at = input.pos;
  const widths = readInnerFrame(input, n);
  const most = Number(maximum(widths));
  if (most > 64) throw fault("bad_widths", at);
  let bits = 0;
  for (let i = 0; i < n; i++) if (Number(widths[i]) > 0) bits += Number(widths[i]) - 1;
  const bytes = new Bits(input.bytes, input.take(Math.ceil(bits / 8)));
  checkUnused(input, bits);
  if (most <= 53) {
    const rows = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const width = widths[i] as number;
      const pattern = width === 0 ? 0 : 2 ** (width - 1) + bytes.number(width - 1);
      rows[i] = signed ? fromZigzag(pattern) : pattern;
    }
    return rows;
  }
  const rows: bigint[] = new Array(n);
  for (let i = 0; i < n; i++) {
    const width = widths[i] as number;
    const pattern = width === 0 ? 0n : (1n << BigInt(width - 1)) + bytes.big(width - 1);
    rows[i] = signed ? fromZigzagBig(pattern) : pattern;
  }
  return narrow(rows);
}

/** The largest row. */
export function maximum(rows: IntRows): number {
  let most = -Infinity;
  for (let i = 0; i < rows.length; i++) if (rows[i]! > most) most = Number(rows[i]);
  return most;
}

/** The sum of rows of 0 or more. Beyond 2^53 it is only near, which is more than any input or budget. */
export function total(rows: IntRows): number {
  let sum = 0;
  if (Array.isArray(rows)) for (const row of rows) sum += Number(row);
  else for (let i = 0; i < rows.length; i++) sum += rows[i]!;
  return sum;
}
