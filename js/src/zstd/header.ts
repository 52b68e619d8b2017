/** The headers of zstd frames (RFC 8878, 3.1.1.1), as far as F-60 allows them. */

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const LARGEST_WINDOW = 0x88;

/** The error of everything that is not a frame, which is thrown and caught in these modules alone. */
export function bad(): RangeError {
  return new RangeError("not a zstd frame");
}

/** The header of a frame: the size of its content, where its blocks begin, and whether a checksum follows them. */
export interface Header {
  readonly size: number;
  readonly at: number;
  readonly hasChecksum: boolean;
}

/** Reads a header from its first byte on, or from the byte after its magic number. */
export function readHeader(bytes: Uint8Array, hasMagic = true): Header {
  let at = 0;
  const take = (count: number): number => {
    const value = numberAt(bytes, at, count);
    at += count;
    return value;
  };
  if (hasMagic) for (const byte of MAGIC) if (take(1) !== byte) throw bad();
  const descriptor = take(1);
  const single = (descriptor & 32) !== 0;
  if (descriptor & 8) throw bad();
  if (!single && take(1) > LARGEST_WINDOW) throw bad();
  if (take([0, 1, 2, 4][descriptor & 3]!) !== 0) throw bad();
  const flag = descriptor >> 6;
  if (flag === 0 && !single) throw bad();
  const size = take(1 << flag) + (flag === 1 ? 256 : 0);
  return { size, at, hasChecksum: (descriptor & 4) !== 0 };
}

/** Checks that the blocks of a frame, and its checksum, end where the bytes do. */
export function checkEnd(bytes: Uint8Array, header: Header): void {
  let { at } = header;
  for (let last = false; !last; ) {
    const head = numberAt(bytes, at, 3);
    last = (head & 1) !== 0;
    const kind = (head >> 1) & 3;
    at += 3 + (kind === 1 ? 1 : head >> 3);
    if (kind === 3) throw bad();
  }
  if (at + (header.hasChecksum ? 4 : 0) !== bytes.length) throw bad();
}

/** A little-endian number. */
export function numberAt(bytes: Uint8Array, at: number, count: number): number {
  if (at + count > bytes.length) throw bad();
  let value = 0;
  for (let i = 0; i < count; i++) value += bytes[at + i]! * 2 ** (8 * i);
  return value;
}
