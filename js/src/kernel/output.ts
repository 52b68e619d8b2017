/** The output of a writer: bytes that grow, and the numbers of chapter 2. */

import { HoldallError } from "../error.js";

const TWO32 = 4294967296;

/** Every engine of JavaScript runs little-endian. */
const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

const { Buffer } = globalThis as { Buffer?: { allocUnsafeSlow?(size: number): { readonly buffer: ArrayBuffer } } };

/** Memory that is all written next: in Node it need not be cleared first, which takes as long as to write it. */
function uncleared(size: number): Uint8Array {
  return Buffer?.allocUnsafeSlow === undefined
    ? new Uint8Array(size)
    : new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}

/** Smaller arrays are copied twice: output and message grow with all that is in them. */
const LEAST_DEFERRED = 2 ** 16;

export class Output {
  bytes: Uint8Array;
  length = 0;
  /** Whether large arrays of bytes are copied once, into the message, and what precedes each and the next. */
  defers = false;
  private readonly parts: Uint8Array[] = [];
  /** The bytes of the arrays among the parts, and how many of `bytes` are in parts. */
  private deferred = 0;
  private cut = 0;
  /** F-69: where offsets count from in an aligned message; -1 in others. */
  alignedFrom = -1;
  /** What a reader charges for the columns so far (F-39). */
  units = 0;

  constructor(
    capacity = 256,
    /** F-40: the most bytes that the caller allows. */
    public limit = Number.POSITIVE_INFINITY,
  ) {
    this.bytes = new Uint8Array(capacity);
  }

  /** The bytes so far. */
  get total(): number {
    return this.deferred + this.length;
  }

  /** Forgets all bytes. */
  clear(): void {
    this.length = this.units = this.deferred = this.cut = 0;
    this.parts.length = 0;
  }

  /** A copy of all bytes. */
  take(): Uint8Array {
    if (this.total < LEAST_DEFERRED) return this.bytes.slice(0, this.length);
    const whole = uncleared(this.total);
    let at = 0;
    for (const part of [...this.parts, this.bytes.subarray(this.cut, this.length)]) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** Makes room for that many more bytes. */
  reserve(size: number): void {
    const needed = this.length + size;
    if (needed > this.bytes.length) this.grow(needed);
  }

  private grow(needed: number): void {
    if (this.deferred + needed - 64 > this.limit) this.checkLimit(this.deferred + needed - 64);
    const bytes = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
  }

  /** F-40. What is reserved may be up to 64 bytes more than what is written. */
  checkLimit(length = this.total): void {
    if (length > this.limit) {
      throw new HoldallError("limit_output", { expected: `at most ${this.limit} bytes`, got: "more" });
    }
  }

  byte(byte: number): void {
    if (this.length === this.bytes.length) this.grow(this.length + 1);
    this.bytes[this.length++] = byte;
  }

  /** An f64. A NaN is the one of positive sign without a payload. */
  double(value: number): void {
    this.reserve(8);
    double[0] = value;
    for (let i = 0; i < 8; i++) this.bytes[this.length++] = doubleBytes[i]!;
  }

  zeros(count: number): void {
    this.reserve(count);
    this.bytes.fill(0, this.length, (this.length += count));
  }

  write(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Adds bytes that do not change before all are taken. */
  defer(bytes: Uint8Array): void {
    if (!this.defers || bytes.length < LEAST_DEFERRED) {
      this.write(bytes);
      return;
    }
    this.parts.push(this.bytes.slice(this.cut, this.length), bytes);
    this.cut = this.length;
    this.deferred += bytes.length;
    this.checkLimit();
  }

  /** Zero bytes up to a multiple of a number, counted from an offset (F-69). */
  pad(multiple: number, from = 0): void {
    const rest = (this.total - from) % multiple;
    if (rest > 0) this.zeros(multiple - rest);
  }

  /** The padding before a large payload of an aligned message (F-69). */
  align(): void {
    if (this.alignedFrom >= 0) this.pad(64, this.alignedFrom);
  }

  /** A varint (F-3) of a number up to 2^53. */
  varint(number: number): void {
    if (this.length + 9 > this.bytes.length) this.grow(this.length + 9);
    const bytes = this.bytes;
    if (number < 0x80) {
      bytes[this.length++] = number << 1;
    } else if (number < 0x4000) {
      bytes[this.length++] = (number << 2) | 1;
      bytes[this.length++] = number >> 6;
    } else if (number < 0x200000) {
      bytes[this.length++] = (number << 3) | 3;
      bytes[this.length++] = number >> 5;
      bytes[this.length++] = number >> 13;
    } else {
      const size = varintSize(number);
      if (size === 9) {
        bytes[this.length++] = 0xff;
        this.little(number, 8);
        return;
      }
      // The bits of the first byte that belong to the number: 8 minus the ones and the zero before them.
      const bits = 8 - size;
      const scale = 1 << bits;
      bytes[this.length++] = ((number % scale) << size) | ((1 << (size - 1)) - 1);
      this.little(Math.floor(number / scale), size - 1);
    }
  }

  /** A varint of the zigzag of a number from -2^52 to 2^52. */
  signedVarint(number: number): void {
    this.varint(number >= 0 ? 2 * number : -2 * number - 1);
  }

  /** A varint (F-3) of any number below 2^64. */
  bigVarint(number: bigint): void {
    if (number < 9007199254740992n) {
      this.varint(Number(number));
      return;
    }
    this.reserve(9);
    if (number >= 0x100000000000000n) {
      this.bytes[this.length++] = 0xff;
    } else {
      this.bytes[this.length++] = 0x7f;
    }
    const size = number >= 0x100000000000000n ? 8 : 7;
    for (let i = 0; i < size; i++) this.bytes[this.length++] = Number((number >> BigInt(8 * i)) & 255n);
  }

  /** A number of up to 53 bits as bytes, little-endian. */
  little(number: number, size: number): void {
    this.reserve(size);
    let low = number >>> 0;
    let high = Math.floor(number / TWO32) >>> 0;
    for (let i = 0; i < size; i++) {
      this.bytes[this.length++] = low;
      low = (low >>> 8) | (high << 24);
      high >>>= 8;
    }
  }
}

/** The bytes of a varint (F-3) of a number up to 2^53. */
export function varintSize(number: number): number {
  if (number < 0x80) return 1;
  if (number < 0x4000) return 2;
  if (number < 0x200000) return 3;
  if (number < 0x10000000) return 4;
  if (number < 0x800000000) return 5;
  if (number < 0x40000000000) return 6;
  if (number < 0x2000000000000) return 7;
  return number < 0x100000000000000 ? 8 : 9;
}

/** The bytes of a varint of any number below 2^64. */
export function bigVarintSize(number: bigint): number {
  if (number < 9007199254740992n) return varintSize(Number(number));
  return number < 0x100000000000000n ? 8 : 9;
}
