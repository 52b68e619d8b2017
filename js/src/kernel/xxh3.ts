/** XXH3-64 with seed 0, the fingerprint of a schema (F-22). Schemas are short, so bigints are fast enough. */

const SECRET_HEX =
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
  "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
  "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";

const P64_1 = 0x9e3779b185ebca87n;
const P64_2 = 0xc2b2ae3d27d4eb4fn;
const P64_3 = 0x165667b19e3779f9n;
const P64_4 = 0x85ebca77c2b2ae63n;
const P64_5 = 0x27d4eb2f165667c5n;
const P32_1 = P64_1 >> 32n;
const P32_2 = P64_4 >> 32n;
const P32_3 = P64_2 >> 32n;
const MASK = 0xffffffffffffffffn;
const MASK32 = 0xffffffffn;

let secretView: DataView | undefined;

function secret(at: number): bigint {
  secretView ??= new DataView(Uint8Array.from(SECRET_HEX.match(/../g)!, (pair) => Number.parseInt(pair, 16)).buffer);
  return secretView.getBigUint64(at, true);
}

function shiftXor(x: bigint, by: bigint): bigint {
  return x ^ (x >> by);
}

function fold(a: bigint, b: bigint): bigint {
  const product = a * b;
  return (product & MASK) ^ (product >> 64n);
}

function avalanche(x: bigint): bigint {
  return shiftXor((shiftXor(x & MASK, 37n) * 0x165667919e3779f9n) & MASK, 32n);
}

function avalanche64(x: bigint): bigint {
  const y = (shiftXor(x, 33n) * P64_2) & MASK;
  return shiftXor((shiftXor(y, 29n) * P64_3) & MASK, 32n);
}

function rotate(x: bigint, by: bigint): bigint {
  return ((x << by) | (x >> (64n - by))) & MASK;
}

function swap(x: bigint): bigint {
  let y = 0n;
  for (let i = 0n; i < 64n; i += 8n) y = (y << 8n) | ((x >> i) & 255n);
  return y;
}

/** The hash of bytes, as a number below 2^64. */
export function xxh3(bytes: Uint8Array): bigint {
  const length = bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const word = (at: number): bigint => view.getBigUint64(at, true);
  const mix = (at: number, key: number): bigint => fold(word(at) ^ secret(key), word(at + 8) ^ secret(key + 8));
  const size = BigInt(length);

  if (length === 0) return avalanche64(secret(56) ^ secret(64));
  if (length <= 3) {
    const combined = (bytes[0]! << 16) | (bytes[length >> 1]! << 24) | bytes[length - 1]! | (length << 8);
    const key = secret(0);
    return avalanche64(BigInt(combined >>> 0) ^ (key & MASK32) ^ (key >> 32n));
  }
  if (length <= 8) {
    const input = BigInt(view.getUint32(length - 4, true)) + (BigInt(view.getUint32(0, true)) << 32n);
    let x = input ^ secret(8) ^ secret(16);
    x ^= rotate(x, 49n) ^ rotate(x, 24n);
    x = (x * 0x9fb21c651e98df25n) & MASK;
    x ^= ((x >> 35n) + size) & MASK;
    x = (x * 0x9fb21c651e98df25n) & MASK;
    return shiftXor(x, 28n);
  }
  if (length <= 16) {
    const low = word(0) ^ secret(24) ^ secret(32);
    const high = word(length - 8) ^ secret(40) ^ secret(48);
    return avalanche(size + swap(low) + high + fold(low, high));
  }
  let sum = size * P64_1;
  if (length <= 128) {
    for (let i = (length - 1) >> 5; i >= 0; i--) {
      sum += mix(16 * i, 32 * i) + mix(length - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(sum);
  }
  if (length <= 240) {
    for (let i = 0; i < 8; i++) sum += mix(16 * i, 16 * i);
    sum = avalanche(sum);
    for (let i = 8; i < length >> 4; i++) sum += mix(16 * i, 16 * (i - 8) + 3);
    return avalanche(sum + mix(length - 16, 136 - 17));
  }
  return long(bytes, word);
}

function long(bytes: Uint8Array, word: (at: number) => bigint): bigint {
  const sums = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1];
  const stripe = (at: number, key: number): void => {
    for (let i = 0; i < 8; i++) {
      const value = word(at + 8 * i);
      const keyed = value ^ secret(key + 8 * i);
      sums[i ^ 1] = (sums[i ^ 1]! + value) & MASK;
      sums[i] = (sums[i]! + (keyed & MASK32) * (keyed >> 32n)) & MASK;
    }
  };
  // A block has 16 stripes of 64 bytes; after each, the sums are scrambled.
  const stripes = (bytes.length - 1) >> 6;
  for (let i = 0; i < stripes; i++) {
    stripe(64 * i, 8 * (i & 15));
    if ((i & 15) === 15) {
      for (let j = 0; j < 8; j++) sums[j] = ((shiftXor(sums[j]!, 47n) ^ secret(128 + 8 * j)) * P32_1) & MASK;
    }
  }
  stripe(bytes.length - 64, 121);
  let result = BigInt(bytes.length) * P64_1;
  for (let i = 0; i < 4; i++) {
    result += fold(sums[2 * i]! ^ secret(11 + 16 * i), sums[2 * i + 1]! ^ secret(19 + 16 * i));
  }
  return avalanche(result);
}
