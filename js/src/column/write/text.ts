/** Text (F-32): plain (F-43) and, in balanced, dictionary (F-62). Of strings, and of bytes. */

import { Output, varintSize } from "../../kernel/output.js";
import { type Frame, innerFrame, writeFrame } from "./frame.js";

const PLAIN = 0x60;
const DICTIONARY = 0x61;

/** F-62. */
const FIRST = 128;
const SAMPLE = 1024;
const FEWEST_REPEATS = 3;
const MOST_DIFFERENT = 819;

/** The memory of texts that are encoded before their sizes are written; larger ones are not kept. */
const POOLED = 4096;
const LARGEST_POOLED = 2 ** 20;
/** Texts up to this length are encoded by a loop: a call of TextEncoder takes about 100 ns. */
export const SHORT = 64;

const encoder = new TextEncoder();

/** The size of a text without lone surrogates in UTF-8. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate is half of four bytes.
    if (unit > 0x7f) size += unit > 0x7ff && unit >> 11 !== 0x1b ? 2 : 1;
  }
  return size;
}

/** Writes a text at an offset, where there is room; false if it is not ASCII. */
export function asciiInto(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return false;
    bytes[at + i] = unit;
  }
  return true;
}

/** Writes a text without lone surrogates in UTF-8. */
export function encodeInto(out: Output, text: string): void {
  const { length } = text;
  out.reserve(3 * length);
  const { bytes } = out;
  if (length > SHORT) {
    out.length += encoder.encodeInto(text, bytes.subarray(out.length)).written;
    return;
  }
  let at = out.length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes[at++] = unit;
    else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 63);
    } else if (unit >> 11 !== 0x1b) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 63);
      bytes[at++] = 0x80 | (unit & 63);
    } else {
      const point = text.codePointAt(i++)!;
      bytes[at++] = 0xf0 | (point >> 18);
      bytes[at++] = 0x80 | ((point >> 12) & 63);
      bytes[at++] = 0x80 | ((point >> 6) & 63);
      bytes[at++] = 0x80 | (point & 63);
    }
  }
  out.length = at;
}

/** Entries in the order of their first appearance, and the rows' numbers. */
interface Dictionary<T> {
  readonly entries: T[];
  readonly indices: Int32Array;
}

/** Rows as a dictionary, if F-62 tries it. */
function dictionaryOf<T>(rows: readonly T[], count: number, key: (row: T) => string): Dictionary<T> | undefined {
  const numbers = new Map<string, number>();
  const entries: T[] = [];
  const indices = new Int32Array(count);
  const m = Math.min(count, SAMPLE);
  let before: T | undefined;
  let number: number | undefined;
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    // Sorted rows repeat the row before, which takes no table.
    if (row !== before || number === undefined) {
      const text = key(row);
      number = numbers.get(text);
      if (number === undefined) {
        number = entries.length;
        numbers.set(text, number);
        entries.push(row);
      }
      before = row;
    }
    indices[i] = number;
    if (i === FIRST - 1 && entries.length === FIRST) return undefined;
    if (i === m - 1 && (m - entries.length < FEWEST_REPEATS || (count >= SAMPLE && entries.length > MOST_DIFFERENT))) {
      return undefined;
    }
  }
  return { entries, indices };
}

function sum(sizes: ArrayLike<number>, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += sizes[i]!;
  return total;
}

/** Rows with their sizes in bytes. */
interface Encoded {
  readonly sizes: Float64Array;
  write(out: Output): void;
}

/** How rows of one kind are told apart and encoded. What was encoded is written before other rows are encoded. */
interface Texts<T> {
  key(row: T): string;
  encode(rows: readonly T[], count: number): Encoded;
}

function writeTexts<T>(out: Output, rows: readonly T[], count: number, balanced: boolean, texts: Texts<T>): void {
  if (count < 4) {
    const encoded = texts.encode(rows, count);
    for (const size of encoded.sizes) out.varint(size);
    out.units += sum(encoded.sizes, count);
    encoded.write(out);
    return;
  }
  const dictionary = balanced ? dictionaryOf(rows, count, texts.key) : undefined;
  if (dictionary === undefined) {
    const encoded = texts.encode(rows, count);
    out.units += sum(encoded.sizes, count);
    writePlain(out, encoded, count, innerFrame(encoded.sizes, count));
    return;
  }
  const { entries, indices } = dictionary;
  const encoded = texts.encode(entries, entries.length);
  const { sizes } = encoded;
  let total = 0;
  for (let i = 0; i < count; i++) total += sizes[indices[i]!]!;
  out.units += total;
  // Each entry is the text of some row, so their sizes have the same bounds.
  const entryFrame = innerFrame(sizes, entries.length);
  const plainFrame = innerFrame(sizes, entries.length, false, count);
  const indexFrame = innerFrame(indices, count);
  const entryTotal = sum(sizes, entries.length);
  const size = varintSize(entries.length) + 2 + entryFrame.size + entryTotal + indexFrame.size;
  if (size < 1 + plainFrame.size + total) {
    out.byte(DICTIONARY);
    out.varint(entries.length);
    writeFrame(out, sizes, entries.length, entryFrame, false);
    encoded.write(out);
    writeFrame(out, indices, count, indexFrame, false);
  } else {
    writePlain(out, texts.encode(rows, count), count, plainFrame);
  }
}

function writePlain(out: Output, encoded: Encoded, count: number, frame: Frame): void {
  out.byte(PLAIN);
  writeFrame(out, encoded.sizes, count, frame, false);
  encoded.write(out);
}

let pooled = new Output(POOLED);

const STRINGS: Texts<string> = {
  key: (row) => row,
  encode(rows, count) {
    const encoded = pooled;
    encoded.length = 0;
    const sizes = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const start = encoded.length;
      encodeInto(encoded, rows[i]!);
      sizes[i] = encoded.length - start;
    }
    if (encoded.bytes.length > LARGEST_POOLED) pooled = new Output(POOLED);
    return { sizes, write: (out) => out.write(encoded.bytes.subarray(0, encoded.length)) };
  },
};

const BYTES: Texts<Uint8Array> = {
  key: (row) =>
    String.fromCharCode(...row.subarray(0, 0x4000)) + (row.length > 0x4000 ? `${row.subarray(0x4000)}` : ""),
  encode(rows, count) {
    return {
      sizes: Float64Array.from({ length: count }, (_, i) => rows[i]!.length),
      write(out) {
        for (let i = 0; i < count; i++) out.defer(rows[i]!);
      },
    };
  },
};

export function writeText(out: Output, rows: readonly string[], count: number, balanced: boolean): void {
  writeTexts(out, rows, count, balanced, STRINGS);
}

export function writeByteStrings(out: Output, rows: readonly Uint8Array[], count: number, balanced: boolean): void {
  writeTexts(out, rows, count, balanced, BYTES);
}
