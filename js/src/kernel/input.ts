/** The input of a reader, and its items (chapters 1 and 2). */

import { fault } from "../error.js";
import { fromZigzag, fromZigzagBig } from "./numbers.js";

/** F-39, F-95: inputs of which 1,000 times the length exceeds this have a larger budget, and may have filler. */
export const LEAST_BUDGET = 2 ** 26;
export const UNITS_PER_BYTE = 1000;

/** F-69: payloads of this many bytes are padded to a multiple of 64 in aligned messages. */
const PADDED_SIZE = 4096;

/** What holds bytes: a Uint8Array, a buffer, or a view of one. */
export type Bytes = Uint8Array | ArrayBufferLike | ArrayBufferView;

/** The bytes themselves, not a copy. A Buffer of Node becomes one whose `slice` is a copy, and whose text is that of numbers. */
export function asBytes(source: Bytes): Uint8Array {
  if (source?.constructor === Uint8Array) return source as Uint8Array;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return new Uint8Array(source);
}

/** Every engine of JavaScript runs little-endian. */
const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** A position in the input, and what is left of the budget. */
export class Input {
  pos: number;
  /** Whether there is padding (F-69). */
  aligned = false;
  /** The units that are left (F-39). */
  budget: number;
  /** Decompresses columns in zstd (F-60). */
  decompress: ((payload: Uint8Array, size: number) => Uint8Array | undefined) | undefined = undefined;
  /** The halves of the last varint. */
  private low = 0;
  private high = 0;

  constructor(
    readonly bytes: Uint8Array,
    budget: number | undefined = undefined,
    start = 0,
    /** Where the input ends: before the checksum, if there is one (F-67). */
    public end = bytes.length,
  ) {
    this.pos = start;
    this.budget = budget ?? Math.max(LEAST_BUDGET, UNITS_PER_BYTE * (end - start));
  }

  get remaining(): number {
    return this.end - this.pos;
  }

  /** F-39. */
  charge(units: number, at = this.pos): void {
    if (units > this.budget) throw fault("limit_budget", at, { help: "pass a larger `budget`" });
    this.budget -= units;
  }

  byte(): number {
    if (this.pos >= this.end) throw fault("truncated", this.pos);
    return this.bytes[this.pos++]!;
  }

  /** Whether a marker is next (chapter 6). */
  isAtMarker(): boolean {
    const { bytes, pos } = this;
    return bytes[pos] === 1 && bytes[pos + 1] === 0 && this.end - pos >= 2;
  }

  /** A number of 8 bytes. */
  f64(): number {
    const at = this.take(8);
    for (let i = 0; i < 8; i++) doubleBytes[i] = this.bytes[at + i]!;
    return double[0]!;
  }

  /** The position of an item of that many bytes, which this moves past (F-2). */
  take(size: number): number {
    const at = this.pos;
    if (size > this.end - at) throw fault("truncated", at);
    this.pos = at + size;
    return at;
  }

  /** Zero bytes up to a multiple, in an aligned message (F-69). */
  skipPadding(multiple: number): void {
    if (!this.aligned) return;
    const start = this.pos;
    this.take((multiple - (start % multiple)) % multiple);
    for (let at = start; at < this.pos; at++) if (this.bytes[at] !== 0) throw fault("nonzero_padding", at);
  }

  /** A payload of raw rows, with padding before it if it is large (F-69). */
  takePadded(size: number): number {
    if (size >= PADDED_SIZE) this.skipPadding(64);
    return this.take(size);
  }

  /** What follows the block: nothing, or filler (F-11, F-95). `whole` is the length of the input, checksum included. */
  finish(whole: number): void {
    let at = this.pos;
    if (UNITS_PER_BYTE * whole > LEAST_BUDGET) while (at < this.end && this.bytes[at] === 0) at++;
    if (at < this.end) throw fault("trailing_bytes", this.pos);
  }

  /** A varint (F-3). From 2^53 on the number is only near: such counts exceed every input and budget. */
  varint(): number {
    const first = this.bytes[this.pos]!;
    if (!(first & 1) && this.pos < this.end) {
      this.pos++;
      return first >> 1;
    }
    this.words();
    return this.high * 4294967296 + this.low;
  }

  /** A varint, exactly. */
  exact(): number | bigint {
    this.words();
    return this.high < 0x200000 ? this.high * 4294967296 + this.low : this.big();
  }

  /** A varint of a count, which from 2^53 on is only near, and what its lowest bits say, exactly. */
  head(size: 2 | 4): [count: number, rest: number] {
    this.words();
    const rest = this.low % size;
    return [(this.high * 4294967296 + this.low - rest) / size, rest];
  }

  /** A varint of a zigzag number, exactly. */
  signed(): number | bigint {
    this.words();
    return this.high < 0x200000 ? fromZigzag(this.high * 4294967296 + this.low) : fromZigzagBig(this.big());
  }

  private big(): bigint {
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** Reads a varint into two halves, and checks that it is the shortest form (F-4). */
  private words(): void {
    const { bytes, pos } = this;
    if (pos >= this.end) throw fault("truncated", pos);
    const first = bytes[pos]!;
    // The number of ones at the low end.
    const k = first === 255 ? 8 : 31 - Math.clz32(~first & -~first);
    this.take(k + 1);
    if (k < 4) {
      let n = first;
      if (k > 0) n |= bytes[pos + 1]! << 8;
      if (k > 1) n |= bytes[pos + 2]! << 16;
      if (k > 2) n |= bytes[pos + 3]! << 24;
      this.low = n >>> (k + 1);
      this.high = 0;
      if (k > 0 && this.low < 1 << (7 * k)) throw fault("varint_overlong", pos);
      return;
    }
    const start = k === 8 ? pos + 1 : pos;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 4; i++) low |= bytes[start + i]! << (8 * i);
    for (let i = 4; start + i <= pos + k; i++) high |= bytes[start + i]! << (8 * (i - 4));
    if (k < 8) {
      const shift = k + 1;
      low = (low >>> shift) | (high << (32 - shift));
      high >>>= shift;
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
    if (k === 4 ? high === 0 && this.low < 2 ** 28 : this.high < 2 ** (7 * k - 32)) throw fault("varint_overlong", pos);
  }
}
