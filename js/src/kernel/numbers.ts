/** Numbers that every part uses: zigzag (F-5), widths in bits, floats of 16 bits (F-30). */

/** The signed number that zigzag maps to this one, a safe integer. */
export function fromZigzag(u: number): number {
  return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
}

/** The unsigned number of a signed one, whose double must be safe. */
export function toZigzag(s: number): number {
  return s >= 0 ? 2 * s : -2 * s - 1;
}

export function fromZigzagBig(u: bigint): bigint {
  return u & 1n ? -((u + 1n) >> 1n) : u >> 1n;
}

export function toZigzagBig(s: bigint): bigint {
  return s >= 0n ? s << 1n : -(s << 1n) - 1n;
}

/** The number of bits of a safe integer of 0 or more, from its highest one bit down. */
export function bitWidth(u: number): number {
  return u < 4294967296 ? 32 - Math.clz32(u) : 64 - Math.clz32(Math.floor(u / 4294967296));
}

/** The number of bits of a bigint of 0 or more. */
export function bitWidthBig(u: bigint): number {
  return u === 0n ? 0 : u.toString(2).length;
}

/** A number of 4 bytes. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

const pair = new DataView(new ArrayBuffer(8));

/** The number of an IEEE 754 half. */
export function fromF16(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The number of a bfloat16: the upper half of an f32. */
export function fromBf16(bits: number): number {
  pair.setUint32(0, bits * 65536);
  return pair.getFloat32(0);
}

/** The bits of the nearest IEEE 754 half, ties to even. */
export function toF16(value: number): number {
  return toSmall(value, 10, 15);
}

/** The bits of the nearest bfloat16, ties to even: of the double itself, since rounding to f32 first would round twice. */
export function toBf16(value: number): number {
  return toSmall(value, 7, 127);
}

/** The bits of the nearest float of 16 bits. */
function toSmall(value: number, fraction: number, bias: number): number {
  const infinite = (2 * bias + 1) << fraction;
  if (Number.isNaN(value)) return infinite | (1 << (fraction - 1));
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 2 ** (bias + 1)) return sign | infinite;
  // The logarithm of a number near a power may be rounded to it.
  let e = Math.floor(Math.log2(size));
  if (size < 2 ** e) e--;
  else if (size >= 2 ** (e + 1)) e++;
  // Below 2^(1 - bias) the exponent is the least, and a subnormal number has no leading one.
  e = Math.max(e, 1 - bias);
  // A fraction that is rounded up to 2 makes the exponent one more, at last that of infinity.
  return sign | (((e + bias - 1) << fraction) + roundEven((size / 2 ** e) * 2 ** fraction));
}

/** The bits of an f16, bf16, f32 or f64 near a number. A NaN is the one of positive sign without a payload. */
export function floatBits(type: string, value: number): bigint {
  if (type === "f16") return BigInt(toF16(value));
  if (type === "bf16") return BigInt(toBf16(value));
  if (Number.isNaN(value)) return type === "f32" ? 0x7fc00000n : 0x7ff8000000000000n;
  if (type === "f32") pair.setFloat32(0, value);
  else pair.setFloat64(0, value);
  return type === "f32" ? BigInt(pair.getUint32(0)) : pair.getBigUint64(0);
}

function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
