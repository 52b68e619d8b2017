/** Text (F-32): plain (F-43) and, in balanced, dictionary (F-62). Of strings, and of bytes. */

import { type Output, varintSize } from "../../kernel/output.js";
import { type Frame, innerFrame, writeFrame } from "./frame.js";

const PLAIN = 0x60;
const DICTIONARY = 0x61;

/** F-62. */
const FIRST = 128;
const SAMPLE = 1024;
const FEWEST_REPEATS = 3;
const MOST_DIFFERENT = 819;

/** Texts are joined up to about this many characters, and encoded at once. */
const JOINED = 1 << 20;
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

/** Writes the texts one after the other. */
function writeStrings(out: Output, texts: readonly string[], count: number): void {
  let from = 0;
  while (from < count) {
    let length = 0;
    let to = from;
    while (to < count && length < JOINED) length += texts[to++]!.length;
    const text =
      to - from === 1
        ? texts[from]!
        : from === 0 && to === texts.length
          ? texts.join("")
          : texts.slice(from, to).join("");
    encodeInto(out, text);
    from = to;
  }
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

/** Writes a text in UTF-8. */
export function encodeInto(out: Output, text: string): void {
  const { length } = text;
  if (length <= SHORT) {
    out.reserve(3 * length);
    if (asciiInto(out.bytes, out.length, text)) {
      out.length += length;
      return;
    }
  }
  out.reserve(3 * length);
  out.length += encoder.encodeInto(text, out.bytes.subarray(out.length)).written;
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

/** How rows of one kind are measured, told apart and written. */
interface Texts<T> {
  size(row: T): number;
  key(row: T): string;
  write(out: Output, rows: readonly T[], count: number): void;
}

function sizesOf<T>(rows: readonly T[], count: number, texts: Texts<T>): Float64Array {
  const sizes = new Float64Array(count);
  for (let i = 0; i < count; i++) sizes[i] = texts.size(rows[i]!);
  return sizes;
}

function writeTexts<T>(out: Output, rows: readonly T[], count: number, balanced: boolean, texts: Texts<T>): void {
  if (count < 4) {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const size = texts.size(rows[i]!);
      total += size;
      out.varint(size);
    }
    out.units += total;
    texts.write(out, rows, count);
    return;
  }
  const dictionary = balanced ? dictionaryOf(rows, count, texts.key) : undefined;
  if (dictionary === undefined) {
    const sizes = sizesOf(rows, count, texts);
    out.units += sum(sizes, count);
    writePlain(out, rows, count, sizes, innerFrame(sizes, count), texts);
    return;
  }
  const { entries, indices } = dictionary;
  const entrySizes = sizesOf(entries, entries.length, texts);
  let total = 0;
  for (let i = 0; i < count; i++) total += entrySizes[indices[i]!]!;
  out.units += total;
  // Each entry is the text of some row, so their sizes have the same bounds.
  const entryFrame = innerFrame(entrySizes, entries.length);
  const plainFrame = innerFrame(entrySizes, entries.length, false, count);
  const indexFrame = innerFrame(indices, count);
  const entryTotal = sum(entrySizes, entries.length);
  const size = varintSize(entries.length) + 2 + entryFrame.size + entryTotal + indexFrame.size;
  if (size < 1 + plainFrame.size + total) {
    out.byte(DICTIONARY);
    out.varint(entries.length);
    writeFrame(out, entrySizes, entries.length, entryFrame, false);
    texts.write(out, entries, entries.length);
    writeFrame(out, indices, count, indexFrame, false);
  } else {
    writePlain(out, rows, count, sizesOf(rows, count, texts), plainFrame, texts);
  }
}

function writePlain<T>(
  out: Output,
  rows: readonly T[],
  count: number,
  sizes: Float64Array,
  frame: Frame,
  texts: Texts<T>,
): void {
  out.byte(PLAIN);
  writeFrame(out, sizes, count, frame, false);
  texts.write(out, rows, count);
}

const STRINGS: Texts<string> = { size: utf8Size, key: (row) => row, write: writeStrings };

const BYTES: Texts<Uint8Array> = {
  size: (row) => row.length,
  key: (row) =>
    String.fromCharCode(...row.subarray(0, 0x4000)) + (row.length > 0x4000 ? `${row.subarray(0x4000)}` : ""),
  write(out, rows, count) {
    for (let i = 0; i < count; i++) out.write(rows[i]!);
  },
};

export function writeText(out: Output, rows: readonly string[], count: number, balanced: boolean): void {
  writeTexts(out, rows, count, balanced, STRINGS);
}

export function writeByteStrings(out: Output, rows: readonly Uint8Array[], count: number, balanced: boolean): void {
  writeTexts(out, rows, count, balanced, BYTES);
}
