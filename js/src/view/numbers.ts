/** Columns of numbers as typed arrays. */

import type { Site } from "../block/read.js";
import type { Frame } from "../column/read/frame.js";
import * as T from "../schema/types.js";

type Integers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

interface Kind {
  new (buffer: ArrayBufferLike, at: number, n: number): Integers;
  from(values: ArrayLike<number>): Integers;
  readonly BYTES_PER_ELEMENT: number;
}

/** The arrays of integers of fixed width; those of more than 32 bits are numbers too, if they are safe. */
const KINDS: { readonly [code: number]: Kind } = {
  [T.U8]: Uint8Array,
  [T.U16]: Uint16Array,
  [T.U32]: Uint32Array,
  [T.I8]: Int8Array,
  [T.I16]: Int16Array,
  [T.I32]: Int32Array,
};

/** The arrays of integers as a frame without a base has them. */
const RAW: { readonly [width: number]: Kind } = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array };

/** The rows of a site of integers; undefined if it has other values, or if no typed array holds them. */
export function numbersOf(site: Site, ints: "auto" | "number" | "bigint"): Integers | undefined {
  const { code } = site.type;
  if (code < T.INT || code > T.I128 || site.n === 0 || site.unknown) return undefined;
  const { frame } = site;
  if (ints === "bigint") {
    const signed = code === T.INT || code >= T.I8;
    const Big = signed ? BigInt64Array : BigUint64Array;
    if (frame?.width === 64) return rawOf(frame, Big as unknown as Kind) ?? bigInts(site, Big);
    return bigInts(site, Big);
  }
  const Kind = KINDS[code];
  const Raw = frame && RAW[frame.width];
  if (Raw !== undefined && (Kind ?? Raw) === Raw) {
    const raw = rawOf(frame!, Raw);
    if (raw !== undefined) return raw;
  }
  const rows = site.data as Int32Array | Float64Array | bigint[];
  if (Array.isArray(rows)) return undefined;
  return Kind === undefined || rows instanceof Kind ? rows : Kind.from(rows);
}

/** The rows over the buffer, or as a copy where they are not aligned in memory; undefined if they have a base. */
function rawOf({ at, base, bytes, n }: Frame, Kind: Kind): Integers | undefined {
  if (base !== 0) return undefined;
  const size = Kind.BYTES_PER_ELEMENT;
  const start = bytes.byteOffset + at;
  if (start % size === 0) return new Kind(bytes.buffer, start, n);
  return new Kind(bytes.slice(at, at + n * size).buffer, 0, n);
}

function bigInts(site: Site, Big: typeof BigInt64Array | typeof BigUint64Array): Integers | undefined {
  const rows = site.data as ArrayLike<number | bigint>;
  const all = new Big(rows.length);
  for (let i = 0; i < all.length; i++) {
    const row = BigInt(rows[i]!);
    all[i] = row;
    // Of 64 bits it keeps the low ones.
    if (all[i] !== row) return undefined;
  }
  return all;
}

/** Columns one after the other: a typed array if all are. */
export function joined(columns: ArrayLike<unknown>[]): ArrayLike<unknown> {
  const filled = columns.filter((column) => column.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const first = filled[0]!.constructor;
  // Integers of one block can take fewer bits than those of another.
  const isSame = filled.every((column) => column.constructor === first);
  const areNumbers = filled.every((column) => ArrayBuffer.isView(column) && typeof column[0] === "number");
  if (!areNumbers && !(isSame && ArrayBuffer.isView(filled[0]))) return filled.flatMap((column) => Array.from(column));
  const Kind = (isSame ? first : Float64Array) as new (length: number) => Float64Array;
  const all = new Kind(filled.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of filled) {
    all.set(column as Float64Array, at);
    at += column.length;
  }
  return all;
}
