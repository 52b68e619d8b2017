/** The headers of zstd frames (RFC 8878, 3.1.1.1), as far as F-60 allows them. */

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const LARGEST_WINDOW = 0x88;

/** The error of everything that is not a frame, which is thrown and caught in these modules alone. */
export function bad(): RangeError {
  return new RangeError("not a zstd frame");
}

/** The header of a frame of `size` bytes: where its blocks begin, and whether a checksum follows them. */
export function readHeader(bytes: Uint8Array, size: number): { at: number; hasChecksum: boolean } {
  let at = 0;
  const take = (count: number): number => {
    const value = numberAt(bytes, at, count);
    at += count;
    return value;
  };
  for (const byte of MAGIC) if (take(1) !== byte) throw bad();
  const descriptor = take(1);
  const single = (descriptor & 32) !== 0;
  if (descriptor & 8) throw bad();
  if (!single && take(1) > LARGEST_WINDOW) throw bad();
  if (take([0, 1, 2, 4][descriptor & 3]!) !== 0) throw bad();
  const flag = descriptor >> 6;
  if (flag === 0 && !single) throw bad();
  if (take(1 << flag) + (flag === 1 ? 256 : 0) !== size) throw bad();
  return { at, hasChecksum: (descriptor & 4) !== 0 };
}

/** A little-endian number. */
export function numberAt(bytes: Uint8Array, at: number, count: number): number {
  if (at + count > bytes.length) throw bad();
  let value = 0;
  for (let i = 0; i < count; i++) value += bytes[at + i]! * 2 ** (8 * i);
  return value;
}
