/** XXH64 with seed 0, of which the checksum of a zstd frame is a part. */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

const u64 = (x: bigint): bigint => BigInt.asUintN(64, x);
const rotate = (x: bigint, by: bigint): bigint => u64(x << by) | (x >> (64n - by));
const round = (sum: bigint, word: bigint): bigint => u64(rotate(u64(sum + word * P2), 31n) * P1);

/** The hash of bytes, as a number below 2^64. */
export function xxh64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let hash = P5;
  if (bytes.length >= 32) {
    const sums = [u64(P1 + P2), P2, 0n, u64(-P1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) sums[i] = round(sums[i]!, view.getBigUint64(at + 8 * i, true));
    }
    hash = u64(rotate(sums[0]!, 1n) + rotate(sums[1]!, 7n) + rotate(sums[2]!, 12n) + rotate(sums[3]!, 18n));
    for (const sum of sums) hash = u64((hash ^ round(0n, sum)) * P1 + P4);
  }
  hash = u64(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    hash = u64(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  }
  if (at + 4 <= bytes.length) {
    hash = u64(rotate(hash ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) hash = u64(rotate(hash ^ u64(BigInt(bytes[at]!) * P5), 11n) * P1);
  hash = u64((hash ^ (hash >> 33n)) * P2);
  hash = u64((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
