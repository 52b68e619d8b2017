/**
 * Many short texts from UTF-8, each by itself. Rows are decoded together, up to a few kilobytes, and are parts of one string: for
 * a single row a call of TextDecoder takes about 300 ns, and for many, where one character is not ASCII, twice as long as this.
 */

import { decodeUtf8, hasUnits, textOf } from "./utf8.js";

/** Bytes that are decoded together. */
const CHUNK = 1 << 14;

/** Whether all bytes are ASCII: word by word, which takes a quarter of the time. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes.byteOffset + at) % 4 > 0) if (bytes[at++]! > 127) return false;
  const words = new Uint32Array(bytes.buffer, at < end ? bytes.byteOffset + at : 0, (end - at) >> 2);
  for (let i = 0; i < words.length; i++) if ((words[i]! & 0x80808080) !== 0) return false;
  for (at += 4 * words.length; at < end; at++) if (bytes[at]! > 127) return false;
  return true;
}

/** One for all columns: to make it takes as long as to decode some hundred bytes. */
let units: Uint16Array | undefined;

/** The texts of n rows of these lengths, or the number of the first that is not UTF-8. */
export function decodeRows(bytes: Uint8Array, start: number, lengths: ArrayLike<number>, n: number): string[] | number {
  const rows: string[] = new Array(n);
  const ends: number[] = [];
  let at = start;
  for (let i = 0; i < n; ) {
    const first = i;
    const begin = at;
    for (; i < n && (i === first || at - begin + lengths[i]! <= CHUNK); i++) {
      at += lengths[i]!;
      ends[i - first] = at - begin;
    }
    ends.length = i - first;
    const part = bytes.subarray(begin, at);
    const text = hasUnits && part.length <= CHUNK ? byUnits(part, ends) : byDecoder(part, ends);
    if (text === undefined) {
      for (i = first, at = begin; decodeUtf8(bytes, at, at + lengths[i]!) !== undefined; i++) at += lengths[i]!;
      return i;
    }
    for (let j = first, from = 0; j < i; j++) rows[j] = text.substring(from, (from = ends[j - first]!));
  }
  return rows;
}

/** The text of rows, or undefined if one is not UTF-8. Where they end in bytes becomes where they end in code units. */
function byUnits(bytes: Uint8Array, ends: number[]): string | undefined {
  units ??= new Uint16Array(CHUNK);
  let at = 0;
  let to = 0;
  let all = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i]!;
    while (at < end) {
      const byte = bytes[at++]!;
      if (byte < 128) {
        units[to++] = byte;
        // Four at once take half the time.
        for (; at + 3 < end; at += 4) {
          const a = bytes[at]!;
          const b = bytes[at + 1]!;
          const c = bytes[at + 2]!;
          const d = bytes[at + 3]!;
          if ((a | b | c | d) > 127) break;
          units[to] = a;
          units[to + 1] = b;
          units[to + 2] = c;
          units[to + 3] = d;
          to += 4;
        }
        continue;
      }
      const more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte < 0xc2 || byte > 0xf4 || at + more > end) return undefined;
      let point = byte & (63 >> more);
      for (let j = 0; j < more; j++) {
        const next = bytes[at++]! ^ 0x80;
        if (next > 63) return undefined;
        point = (point << 6) | next;
      }
      all |= point;
      // In more bytes than it needs, a surrogate, beyond the last.
      if ((more > 1 && point < 1 << (5 * more + 1)) || point >> 11 === 0x1b || point > 0x10ffff) return undefined;
      if (more > 2) {
        units[to++] = 0xd7c0 + (point >> 10);
        point = 0xdc00 | (point & 1023);
      }
      units[to++] = point;
    }
    ends[i] = to;
  }
  return textOf(units.subarray(0, to), all);
}

/**
 * The same by TextDecoder, with code units counted from the bytes that begin a character: in Chromium, 0.7 of the time of a loop
 * that decodes them too (50,000 strings).
 */
function byDecoder(bytes: Uint8Array, ends: number[]): string | undefined {
  let at = 0;
  let to = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i]!;
    // A row that begins inside a character.
    if (at < end && bytes[at]! >> 6 === 2) return undefined;
    to += end - at;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte > 127) {
        if (byte < 0xc0) to--;
        else if (byte >= 0xf0) to++;
      }
    }
    ends[i] = to;
  }
  return decodeUtf8(bytes, 0, at);
}
