/**
 * The values that JavaScript lacks, as classes. They hold exactly what the data hold, and pack to the same bytes again.
 *
 * | type | form in JavaScript |
 * |---|---|
 * | null, an absent option | `null` |
 * | bool | `boolean` |
 * | int, u8 to u128, i8 to i128 | `number` where safe, else `bigint`; the option `int` chooses |
 * | f16, bf16, f32, f64 | `number`; the payload of a NaN is kept in columns and tensors alone |
 * | string | `string` |
 * | bytes, fixed(k) | `Uint8Array` |
 * | list, array(k) | `Array` |
 * | tuple, long tuple | `Tuple`, an `Array` |
 * | record, map of string keys | an object; keys that look like array indices come first, as in every object |
 * | map of other keys, ordered map | `Map`; `Pairs` where a `Map` would take two keys for one (0 and -0, 1 and 1.0) |
 * | a row with string keys alone in a map that has other keys, too | an object |
 * | struct | an object of the registered class, else `Record` |
 * | named union | `Variant` |
 * | unnamed union, packed | the value itself |
 * | tensor of one dimension | `Int8Array`, `Int16Array` ... `BigUint64Array`, `Float32Array`, `Float64Array` by its element; of u8 and others `Tensor` |
 * | any other tensor | `Tensor` |
 * | timestamp[ms, utc] | `Date`, if it is in the range of dates; else `Timestamp` |
 * | any other timestamp | `Timestamp` |
 * | date, time, duration | `CalendarDate`, `TimeOfDay`, `Duration` |
 * | decimal, rational, complex | `Decimal`, `Rational`, `Complex` |
 * | uuid, char, symbol | `Uuid`, `Char`, `Identifier` |
 * | set, frozen set | `Set`, `FrozenSet`; `Logical` if two members are equal in JavaScript, or one is -0 |
 * | byte array | `ArrayBuffer` |
 * | bit vector | `BitVector` |
 * | path, range | `Path`, `Range` |
 * | url, regular expression | `URL`, `RegExp`, if it is one of JavaScript's in the same text; else `Logical` |
 * | ip address, ip network | `IpAddress`, `IpNetwork` |
 * | wtf8 string | `string` with lone surrogates |
 * | extension | `Extension` |
 * | logical types of later versions | `Logical` |
 * | types and encodings of later versions | `UNKNOWN` |
 */

import { HoldallError } from "./error.js";
import { KINDS } from "./schema/logical.js";
import type { Type } from "./schema/types.js";

/** An integer: a number where it is safe, else a bigint. */
export type Integer = number | bigint;

/** The unit of a time. */
export type Unit = "s" | "ms" | "us" | "ns";
export const UNITS: readonly Unit[] = ["s", "ms", "us", "ns"];

/** What the number of a timestamp counts from, and the clock that showed it. */
export type Zone = "local" | "utc" | "offset" | "zone";
export const ZONES: readonly Zone[] = ["local", "utc", "offset", "zone"];

/** A value whose type or encoding this version does not know. It cannot be written. */
export const UNKNOWN: unique symbol = Symbol("holdall.unknown");

/** A tuple. `new Tuple(a, b)` has these items, also if there is one and it is a number. */
export class Tuple<T = unknown> extends Array<T> {
  constructor(...items: T[]) {
    super();
    for (let i = 0; i < items.length; i++) this[i] = items[i]!;
  }

  /** map, filter and the like return arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** An object of a class that this program did not register: the name of the class, and the fields. */
export class Record<F extends object = { [field: string]: unknown }> {
  constructor(
    readonly name: string,
    readonly fields: F,
  ) {}
}

/** A variant of a named union, such as an enum of Rust. */
export class Variant<T = unknown> {
  constructor(
    readonly name: string,
    readonly value: T = null as T,
  ) {}
}

/** A value with the name of a type that a program chose, such as `py.deque`. */
export class Extension<T = unknown> {
  constructor(
    readonly name: string,
    readonly value: T,
  ) {}
}

/** A logical type as it is stored, for which this version or JavaScript has no form: the kind's code, parameters, storage. */
export class Logical<T = unknown> {
  constructor(
    readonly kind: number,
    readonly parameters: Uint8Array,
    readonly storage: T,
  ) {}

  /** The name of the kind. */
  get name(): string {
    return KINDS[this.kind]?.[0] ?? `logical[${this.kind.toString(16).toUpperCase()}]`;
  }
}

/**
 * The entries of a map whose keys are not all different keys of a JavaScript `Map`. Without entries, and not ordered, it is
 * written like an empty dict of Python.
 */
export class Pairs<K = unknown, V = unknown> {
  constructor(
    readonly entries: [K, V][],
    readonly ordered = false,
  ) {}
}

/** A set that does not change. */
export class FrozenSet<T = unknown> extends Set<T> {}

/** The bytes of a tensor's elements, in the order in which they are stored. */
export class Tensor {
  constructor(
    /** The element's type: packable. */
    readonly element: Type,
    readonly shape: readonly Integer[],
    /** The elements, little-endian, without padding between them. */
    readonly bytes: Uint8Array,
    /** Whether the last dimension runs fastest (`row`) or the first. */
    readonly order: "row" | "column" = "row",
  ) {}
}

/** Days since 1970-01-01. */
export class CalendarDate {
  constructor(readonly days: Integer) {}

  /** `2026-01-31`, if it is a year of four digits. */
  toString(): string {
    return dateText(Number(this.days) * 86_400_000).replace(/T.*/, "");
  }
}

/** Units since midnight. */
export class TimeOfDay {
  constructor(
    readonly value: Integer,
    readonly unit: Unit,
  ) {}
}

/** Units since 1970-01-01 00:00: of a clock (`local`), or of UTC with the local offset in seconds or the name of the zone. */
export class Timestamp {
  constructor(
    readonly value: Integer,
    readonly unit: Unit,
    readonly zone: Zone = "utc",
    /** Of zone `offset` the seconds, of `zone` the name in the IANA database. */
    readonly place: number | string | null = null,
  ) {}

  /** The date, without what is finer than a millisecond. */
  toDate(): Date {
    const power = [1000n, 1n, -1000n, -1000000n][UNITS.indexOf(this.unit)]!;
    const value = BigInt(this.value);
    if (power > 0n) return new Date(Number(value * power));
    const rest = ((value % -power) - power) % -power;
    return new Date(Number((value - rest) / -power));
  }

  toString(): string {
    return dateText(this.toDate().getTime());
  }
}

/** A number of units. */
export class Duration {
  constructor(
    readonly value: Integer,
    readonly unit: Unit,
  ) {}
}

/** A decimal number: coefficient · 10^exponent. The form is that of the spec: 0, 1 negative, 2 and 3 infinities, 4 to 7 NaNs. */
export class Decimal {
  constructor(
    readonly form: number,
    readonly coefficient: Integer,
    readonly exponent: Integer,
  ) {}

  toString(): string {
    const sign = this.form & 1 ? "-" : "";
    if (this.form >= 4) return `${sign}${this.form >= 6 ? "s" : ""}NaN${this.coefficient || ""}`;
    if (this.form >= 2) return `${sign}Infinity`;
    const digits = this.coefficient.toString();
    const exponent = Number(this.exponent);
    if (exponent > 0 || exponent < -6 - digits.length) return `${sign}${digits}e${this.exponent}`;
    if (exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - exponent, "0");
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
}

/** A fraction, not necessarily reduced. */
export class Rational {
  constructor(
    readonly numerator: Integer,
    readonly denominator: Integer,
  ) {}
}

/** A complex number of two f64, or of two f32 if its width is 4. */
export class Complex {
  constructor(
    readonly re: number,
    readonly im: number,
    readonly width: 4 | 8 = 8,
  ) {}
}

/** 16 bytes in the order of RFC 9562. */
export class Uuid {
  constructor(readonly bytes: Uint8Array) {}

  toString(): string {
    return hex(this.bytes).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}

/** A Unicode scalar value. The number need not be one: the bytes are valid whatever the storage contains. */
export class Char {
  constructor(readonly codePoint: number) {}

  toString(): string {
    return String.fromCodePoint(this.codePoint);
  }
}

/** A name, as symbols are in Ruby and Lisp. */
export class Identifier {
  constructor(readonly name: string) {}
}

/** A vector of bits, of which bit i is bit i mod 8 of byte i / 8. */
export class BitVector {
  constructor(
    readonly length: number,
    readonly bytes: Uint8Array,
  ) {}

  at(index: number): boolean {
    return ((this.bytes[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }
}

/** A path of a file, as text or bytes. */
export class Path {
  constructor(
    readonly path: string | Uint8Array,
    readonly style: "any" | "posix" | "windows" = "any",
  ) {}
}

/** 4 or 16 bytes in network order. */
export class IpAddress {
  constructor(readonly bytes: Uint8Array) {}

  toString(): string {
    return addressText(this.bytes);
  }
}

/** An address, and the length of the network's prefix in bits. */
export class IpNetwork {
  constructor(
    readonly bytes: Uint8Array,
    readonly prefix: number,
  ) {}

  toString(): string {
    return `${addressText(this.bytes)}/${this.prefix}`;
  }
}

/** The integers from start on, by steps, up to but without stop. */
export class Range {
  constructor(
    readonly start: Integer,
    readonly stop: Integer,
    readonly step: Integer = 1,
  ) {}
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return hex(bytes)
    .replace(/0{0,3}(.{1,4}?)(?=(.{4})*$)/g, "$1:")
    .slice(0, -1);
}

function dateText(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) {
    throw new HoldallError("unrepresentable", { got: "a time beyond the range of Date" });
  }
  return date.toISOString();
}
