/** Bit packing: field i of a frame (F-29) has w bits from bit i·w on, counted from the lowest bit of the first byte. */

import type { Output } from "./output.js";

/** Packs bits into words of 32, of which it writes the bytes. Platforms of JavaScript are little-endian. */
let words = new Uint32Array(1024);
let wordBytes = new Uint8Array(words.buffer);

function wordsFor(count: number): Uint32Array {
  if (words.length < count) {
    words = new Uint32Array(Math.max(count, 2 * words.length));
    wordBytes = new Uint8Array(words.buffer);
  }
  return words;
}

/** Numbers, which are safe integers, minus a base: fields of up to 54 bits, or 64. */
export function packFields(out: Output, rows: ArrayLike<number>, count: number, base: number, width: number): void {
  if (width === 0) return;
  const size = Math.ceil((count * width) / 8);
  if (width === 8) {
    out.reserve(size);
    const { bytes, length } = out;
    for (let i = 0; i < count; i++) bytes[length + i] = rows[i]! - base;
    out.length += size;
    return;
  }
  const packed = wordsFor(Math.ceil(size / 4) + 2);
  if (width <= 32) packNarrow(packed, rows, count, base, width);
  else packWide(packed, rows, count, base, width);
  out.reserve(size);
  out.bytes.set(size === wordBytes.length ? wordBytes : wordBytes.subarray(0, size), out.length);
  out.length += size;
}

function packNarrow(packed: Uint32Array, rows: ArrayLike<number>, count: number, base: number, width: number): void {
  let at = 0;
  let word = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    const field = (rows[i]! - base) | 0;
    word |= field << filled;
    filled += width;
    if (filled >= 32) {
      packed[at++] = word;
      filled -= 32;
      // A shift by 32 is one by 0 in JavaScript.
      word = filled > 0 ? field >>> (width - filled) : 0;
    }
  }
  packed[at] = word;
}

/** Fields of more than 32 bits: their low 32 bits, then the others. */
function packWide(packed: Uint32Array, rows: ArrayLike<number>, count: number, base: number, width: number): void {
  const highWidth = width - 32;
  let at = 0;
  let word = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    const field = rows[i]! - base;
    const low = field | 0;
    // Of negative fields, which only width 64 has, this is the upper half of two's complement.
    const high = Math.floor(field / 4294967296) | 0;
    packed[at++] = word | (low << filled);
    word = filled > 0 ? low >>> (32 - filled) : 0;
    word |= high << filled;
    filled += highWidth;
    if (filled >= 32) {
      packed[at++] = word;
      filled -= 32;
      word = filled > 0 ? high >>> (highWidth - filled) : 0;
    }
  }
  packed[at] = word;
}

/** Fields as pairs of 32 bits, the lower first: of numbers that are not safe. */
export function packPairs(out: Output, pairs: Uint32Array, count: number, width: number): void {
  const size = Math.ceil((count * width) / 8);
  const packed = wordsFor(Math.ceil(size / 4) + 2);
  packed.fill(0, 0, Math.ceil(size / 4) + 2);
  let bit = 0;
  for (let i = 0; i < count; i++) {
    putBits(packed, bit, pairs[2 * i]!, Math.min(width, 32));
    if (width > 32) putBits(packed, bit + 32, pairs[2 * i + 1]!, width - 32);
    bit += width;
  }
  out.write(wordBytes.subarray(0, size));
}

/** Adds bits at a place whose bits are still zero. */
function putBits(packed: Uint32Array, bit: number, value: number, width: number): void {
  const at = Math.floor(bit / 32);
  const shift = bit % 32;
  packed[at]! |= value << shift;
  if (shift + width > 32) packed[at + 1]! |= value >>> (32 - shift);
}

/** The bits below the highest one bit of each pattern (F-29, widths): `widths` has one for each row, of the pattern. */
export function packBelowHighest(out: Output, patterns: ArrayLike<number>, widths: Uint8Array, bits: number): void {
  const size = Math.ceil(bits / 8);
  const packed = wordsFor(Math.ceil(size / 4) + 2);
  packed.fill(0, 0, Math.ceil(size / 4) + 2);
  let bit = 0;
  for (let i = 0; i < widths.length; i++) {
    const width = widths[i]! - 1;
    if (width <= 0) continue;
    const pattern = patterns[i]!;
    const low = pattern >>> 0;
    if (width <= 32) {
      putBits(packed, bit, width === 32 ? low : low & ((2 ** width - 1) >>> 0), width);
    } else {
      const high = Math.floor(pattern / 4294967296);
      putBits(packed, bit, low, 32);
      putBits(packed, bit + 32, high & ((2 ** (width - 32) - 1) >>> 0), width - 32);
    }
    bit += width;
  }
  out.write(wordBytes.subarray(0, size));
}
