/** Text (F-32): columns of strings and byte strings. */

import { fault, inRow } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { decodeRows, isAscii } from "../../kernel/strings.js";
import { latin1 } from "../../kernel/utf8.js";
import { readEncoded, skipMarker } from "./encoded.js";
import type { IntRows } from "./frame.js";
import { maximum, readInner, total } from "./inner.js";
import { readTemplates } from "./templates.js";

/**
 * The rows of a Text column, or what makes the next of them, without a fault, when they are asked for, and begins again after the
 * last: a view asks for few columns, records for some rows at a time.
 */
export type TextRows<S> = S[] | ((count?: number) => S[]);

/** Reads a column of n strings, n > 0. */
export function readStrings(input: Input, n: number): TextRows<string> {
  return readText(input, n, strings);
}

/** Reads a column of n byte strings, n > 0: parts of the input. */
export function readByteStrings(input: Input, n: number): TextRows<Uint8Array> {
  return readText(input, n, byteStrings);
}

/** Cuts a payload at lengths. */
type Cut<S> = (bytes: Uint8Array, at: number, lengths: IntRows, n: number) => TextRows<S>;

function made<S>(rows: TextRows<S>): S[] {
  return typeof rows === "function" ? rows() : rows;
}

function readText<S extends string | Uint8Array>(input: Input, n: number, cut: Cut<S>): TextRows<S> {
  if (n < 4 && !skipMarker(input)) {
    const lengths = new Float64Array(n);
    for (let i = 0; i < n; i++) lengths[i] = input.varint();
    return readTexts(input, lengths, n, cut, true);
  }
  return readEncoded<TextRows<S>>(input, (inside, encoding, at) => {
    if (encoding === 0x60) return readTexts(inside, readInner(inside, n), n, cut, true);
    if (encoding === 0x61) return readDictionary(inside, n, at, cut);
    if (encoding !== 0x62) return undefined;
    const templatesAt = inside.pos;
    const inner = inside.byte();
    if (inner !== 0x60 && inner !== 0x61 && inner !== 0x70) throw fault("bad_inner_encoding", templatesAt);
    inside.pos = templatesAt;
    const templates = readEncoded<TextRows<Uint8Array>>(inside, (source, code, place) => {
      if (code === 0x60) return readTexts(source, readInner(source, n), n, byteStrings, true);
      return code === 0x61 ? readDictionary(source, n, place, byteStrings) : undefined;
    });
    return readTemplates(inside, made(templates), templatesAt, at, cut === (strings as unknown)) as S[];
  });
}

function readTexts<S>(input: Input, lengths: IntRows, n: number, cut: Cut<S>, charged: boolean): TextRows<S> {
  const size = total(lengths);
  const at = input.take(size);
  if (charged) input.charge(size, at);
  return cut(input.bytes, at, lengths, n);
}

function readDictionary<S extends string | Uint8Array>(
  input: Input,
  n: number,
  start: number,
  cut: Cut<S>,
): TextRows<S> {
  let at = input.pos;
  const count = input.varint();
  if (count < 1 || count > n) throw fault("bad_dictionary", at);
  const lengths = readInner(input, count);
  const entries = made(readTexts(input, lengths, count, cut, false));
  at = input.pos;
  const indices = readInner(input, n);
  if (maximum(indices) >= count) {
    throw inRow(
      fault("index_out_of_range", at),
      Array.prototype.findIndex.call(indices, (index) => index >= count),
    );
  }
  let size = 0;
  for (let i = 0; i < n; i++) size += lengths[indices[i] as number] as number;
  input.charge(size, start);
  let next = 0;
  return (count = n) => {
    const rows: S[] = new Array(count);
    for (let i = 0; i < count; i++) rows[i] = entries[indices[next++] as number]!;
    if (next === n) next = 0;
    return rows;
  };
}

function byteStrings(bytes: Uint8Array, start: number, lengths: IntRows, n: number): Uint8Array[] {
  const rows: Uint8Array[] = new Array(n);
  let at = start;
  for (let i = 0; i < n; i++) {
    const end = at + (lengths[i] as number);
    rows[i] = bytes.subarray(at, end);
    at = end;
  }
  return rows;
}

/** Strings, each UTF-8 by itself. */
function strings(bytes: Uint8Array, start: number, lengths: IntRows, n: number): TextRows<string> {
  const end = start + total(lengths);
  if (!isAscii(bytes, start, end)) {
    const rows = decodeRows(bytes, start, lengths as ArrayLike<number>, n);
    if (typeof rows !== "number") return rows;
    throw inRow(fault("invalid_utf8", start + total(lengths.slice(0, rows) as IntRows)), rows);
  }
  const text = latin1(bytes.subarray(start, end));
  let at = 0;
  let next = 0;
  return (count = n) => {
    const rows: string[] = new Array(count);
    for (let i = 0; i < count; i++) rows[i] = text.substring(at, (at += lengths[next++] as number));
    if (next === n) at = next = 0;
    return rows;
  };
}
