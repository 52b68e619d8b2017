/** CRC-32C (Castagnoli), as checksums of messages and frames have it (F-67). */

import { wordAt } from "./numbers.js";

let tables: Int32Array | undefined;

/** Eight tables of 256 entries: table k moves a byte on by k more bytes. */
function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    made[i] = c;
  }
  for (let i = 256; i < 8 * 256; i++) {
    const c = made[i - 256]!;
    made[i] = (c >>> 8) ^ made[c & 255]!;
  }
  return made;
}

/** The CRC-32C of bytes, as a number below 2^32. `before` is that of the bytes before them. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  const t = (tables ??= makeTables());
  let c = ~before;
  let i = start;
  for (; i + 8 <= end; i += 8) {
    c ^= wordAt(bytes, i);
    c =
      t[1792 + (c & 255)]! ^
      t[1536 + ((c >>> 8) & 255)]! ^
      t[1280 + ((c >>> 16) & 255)]! ^
      t[1024 + (c >>> 24)]! ^
      t[768 + bytes[i + 4]!]! ^
      t[512 + bytes[i + 5]!]! ^
      t[256 + bytes[i + 6]!]! ^
      t[bytes[i + 7]!]!;
  }
  for (; i < end; i++) c = (c >>> 8) ^ t[(c ^ bytes[i]!) & 255]!;
  return ~c >>> 0;
}
