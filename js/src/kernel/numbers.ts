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
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  const e = size < 2 ** exponent ? exponent - 1 : size >= 2 ** (exponent + 1) ? exponent + 1 : exponent;
  return sign + ((e + 15) << 10) + roundEven((size / 2 ** e - 1) * 1024);
}

/** The bits of the nearest bfloat16, ties to even. */
export function toBf16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  // The nearest bfloat16 of the double itself: rounding to f32 first would round twice.
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (size === Number.POSITIVE_INFINITY) return sign | 0x7f80;
  if (size < 2 ** -126) return sign | roundEven(size * 2 ** 133);
  const exponent = Math.floor(Math.log2(size));
  const e = size < 2 ** exponent ? exponent - 1 : size >= 2 ** (exponent + 1) ? exponent + 1 : exponent;
  const bits = ((e + 127) << 7) + roundEven((size / 2 ** e - 1) * 128);
  return sign | Math.min(bits, 0x7f80);
}

function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
