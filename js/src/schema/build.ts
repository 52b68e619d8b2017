/**
 * Types written by hand: `Schema.from(s.record({ id: s.int, name: s.string }))`. Each knows the TypeScript type of its values,
 * which `Infer` gives.
 */

import { Output } from "../kernel/output.js";
import type * as V from "../values.js";
import * as K from "./logical.js";
import { TypeWriter } from "./type_writer.js";
import * as T from "./types.js";

/** A type of the format whose values are V. */
export interface Shape<V> {
  /**
   * The type; the numbers of definitions come from the builder.
   * @internal
   */
  make(builder: Builder): T.Type;
  /** The type of values, which exists only for TypeScript. */
  readonly "~value"?: V;
}

/** The TypeScript type of a shape's values. */
export type ValueOf<S> = S extends Shape<infer V> ? V : never;
/** The fields of a record or struct, or the variants of a union. */
export type Fields = { readonly [name: string]: Shape<unknown> };
/** The TypeScript types of fields. */
export type ValuesOf<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]> };

/** Numbers the definitions of a schema as they are mentioned first (F-20). */
export class Builder {
  readonly shapes: Shape<unknown>[] = [];

  numberOf(shape: Shape<unknown>): number {
    const number = this.shapes.indexOf(shape);
    return number < 0 ? this.shapes.push(shape) - 1 : number;
  }
}

/** The bytes of a schema alone (F-22). */
export function schemaBytesOf(shape: Shape<unknown>): Uint8Array {
  const builder = new Builder();
  const writer = new TypeWriter();
  writer.type(shape.make(builder));
  // Each may mention others.
  for (let i = 0; i < builder.shapes.length; i++) writer.type(builder.shapes[i]!.make(builder));
  const { out } = writer;
  const whole = new Output(out.length + 9);
  whole.varint(builder.shapes.length);
  whole.write(out.bytes.subarray(0, out.length));
  return whole.bytes.slice(0, whole.length);
}

function scalar<V>(code: T.ScalarType["code"]): Shape<V> {
  return { make: () => ({ code }) };
}

const null_: Shape<null> = /* @__PURE__ */ scalar(T.NULL);

export { null_ as null };
export const bool: Shape<boolean> = /* @__PURE__ */ scalar(T.BOOL);
/** An integer of any size. */
export const int: Shape<V.Integer> = /* @__PURE__ */ scalar(T.INT);
export const u8: Shape<number> = /* @__PURE__ */ scalar(T.U8);
export const u16: Shape<number> = /* @__PURE__ */ scalar(T.U16);
export const u32: Shape<number> = /* @__PURE__ */ scalar(T.U32);
export const u64: Shape<V.Integer> = /* @__PURE__ */ scalar(T.U64);
export const u128: Shape<V.Integer> = /* @__PURE__ */ scalar(T.U128);
export const i8: Shape<number> = /* @__PURE__ */ scalar(T.I8);
export const i16: Shape<number> = /* @__PURE__ */ scalar(T.I16);
export const i32: Shape<number> = /* @__PURE__ */ scalar(T.I32);
export const i64: Shape<V.Integer> = /* @__PURE__ */ scalar(T.I64);
export const i128: Shape<V.Integer> = /* @__PURE__ */ scalar(T.I128);
export const f16: Shape<number> = /* @__PURE__ */ scalar(T.F16);
export const bf16: Shape<number> = /* @__PURE__ */ scalar(T.BF16);
export const f32: Shape<number> = /* @__PURE__ */ scalar(T.F32);
/** Any number: integers are read as floats where they are exact. */
export const f64: Shape<number> = /* @__PURE__ */ scalar(T.F64);
export const string: Shape<string> = /* @__PURE__ */ scalar(T.STRING);
export const bytes: Shape<Uint8Array> = /* @__PURE__ */ scalar(T.BYTES);

/** Bytes of one length. */
export function fixed(size: number): Shape<Uint8Array> {
  return { make: () => ({ code: T.FIXED, size }) };
}

/** A value or null. */
export function option<V>(item: Shape<V>): Shape<V | null> {
  return { make: (builder) => ({ code: T.OPTION, item: item.make(builder) }) };
}

export function list<V>(item: Shape<V>): Shape<V[]> {
  return { make: (builder) => ({ code: T.LIST, item: item.make(builder) }) };
}

/** A list of one length. */
export function array<V>(size: number, item: Shape<V>): Shape<V[]> {
  return { make: (builder) => ({ code: T.ARRAY, size, item: item.make(builder) }) };
}

export function tuple<I extends Shape<unknown>[]>(...items: I): Shape<{ [K in keyof I]: ValueOf<I[K]> }> {
  return { make: (builder) => ({ code: T.TUPLE, items: items.map((item) => item.make(builder)) }) };
}

function named(builder: Builder, fields: Fields): T.NamedType[] {
  return Object.entries(fields).map(([name, shape]) => ({ name, type: shape.make(builder) }));
}

/** A plain object that has all of these fields. */
export function record<F extends Fields>(fields: F): Shape<ValuesOf<F>> {
  return {
    make: (builder) => ({ code: T.RECORD, name: "", fields: named(builder, fields), form: T.FORM_ALL, shapes: [] }),
  };
}

/** A plain object that has any of these fields. */
export function partial<F extends Fields>(fields: F): Shape<Partial<ValuesOf<F>>> {
  return {
    make: (builder) => ({ code: T.RECORD, name: "", fields: named(builder, fields), form: T.FORM_SPARSE, shapes: [] }),
  };
}

/** An object of the class that is registered under this name, or else a `Record`. */
export function struct<F extends Fields, V = V.Record<ValuesOf<F>>>(name: string, fields: F): Shape<V> {
  return {
    make: (builder) => ({ code: T.STRUCT, name, fields: named(builder, fields), form: T.FORM_ALL, shapes: [] }),
  };
}

/** A map: a plain object if its keys are strings. */
export function map<V>(key: Shape<string>, value: Shape<V>): Shape<{ [key: string]: V }>;
export function map<K, V>(key: Shape<K>, value: Shape<V>): Shape<Map<K, V>>;
export function map(key: Shape<unknown>, value: Shape<unknown>): Shape<unknown> {
  return { make: (builder) => ({ code: T.MAP, key: key.make(builder), value: value.make(builder) }) };
}

/** One of several variants, each with a name: a `Variant`. */
export function variants<F extends Fields>(
  fields: F,
): Shape<{ [K in keyof F & string]: V.Variant<ValueOf<F[K]>> & { readonly name: K } }[keyof F & string]> {
  return { make: (builder) => ({ code: T.UNION, named: true, variants: named(builder, fields) }) };
}

/** A value of one of several types. */
export function union<I extends Shape<unknown>[]>(...items: I): Shape<ValueOf<I[number]>> {
  return {
    make: (builder) => ({
      code: T.UNION,
      named: false,
      variants: items.map((item) => ({ name: "", type: item.make(builder) })),
    }),
  };
}

/** A tensor of numbers: a typed array if it has one dimension and JavaScript has one for its elements. */
export function tensor<V = ArrayBufferView | V.Tensor>(element: Shape<unknown>): Shape<V> {
  return { make: (builder) => ({ code: T.TENSOR, item: element.make(builder) }) };
}

export function extension<V>(name: string, item: Shape<V>): Shape<V.Extension<V>> {
  return { make: (builder) => ({ code: T.EXTENSION, name, item: item.make(builder) }) };
}

/** A type that can contain itself; the function gives it when it is needed, and always the same one. */
export function recursive<V>(shape: () => Shape<V>): Shape<V> {
  return { make: (builder) => ({ code: T.DEF, index: builder.numberOf(shape()) }) };
}

/** The same, where several places can have the same object. */
export function shared<V>(shape: () => Shape<V>): Shape<V> {
  return { make: (builder) => ({ code: T.SHARED, index: builder.numberOf(shape()) }) };
}

function logical<V>(kind: number, storage: Shape<unknown>, ...parameters: number[]): Shape<V> {
  return {
    make: (builder) => ({
      code: T.LOGICAL,
      kind,
      parameters: Uint8Array.from(parameters),
      storage: storage.make(builder),
    }),
  };
}

const UNITS: readonly V.Unit[] = ["s", "ms", "us", "ns"];
const ZONES: readonly V.Zone[] = ["local", "utc", "offset", "zone"];

/** A `Date`: a timestamp of UTC in milliseconds. */
export const date: Shape<Date> = /* @__PURE__ */ logical(K.TIMESTAMP, int, 1, 1);
export const calendarDate: Shape<V.CalendarDate> = /* @__PURE__ */ logical(K.DATE, int);

export function time(unit: V.Unit): Shape<V.TimeOfDay> {
  return logical(K.TIME, int, UNITS.indexOf(unit));
}

/** A timestamp; that of `ms` and `utc` is `date`. */
export function timestamp(unit: V.Unit, zone: V.Zone): Shape<V.Timestamp> {
  const storage = zone === "offset" ? tuple(int, i32) : zone === "zone" ? tuple(int, string) : int;
  return logical(K.TIMESTAMP, storage, UNITS.indexOf(unit), ZONES.indexOf(zone));
}

export function duration(unit: V.Unit): Shape<V.Duration> {
  return logical(K.DURATION, int, UNITS.indexOf(unit));
}

export const decimal: Shape<V.Decimal> = /* @__PURE__ */ logical(K.DECIMAL, /* @__PURE__ */ tuple(u8, int, int));
export const rational: Shape<V.Rational> = /* @__PURE__ */ logical(K.RATIONAL, /* @__PURE__ */ tuple(int, int));
export const complex: Shape<V.Complex> = /* @__PURE__ */ logical(K.COMPLEX, /* @__PURE__ */ tuple(f64, f64), 8);
export const uuid: Shape<V.Uuid> = /* @__PURE__ */ logical(K.UUID, /* @__PURE__ */ fixed(16));
export const char: Shape<V.Char> = /* @__PURE__ */ logical(K.CHAR, u32);

export function set<V>(item: Shape<V>): Shape<Set<V>> {
  return logical(K.SET, list(item));
}

export function frozenSet<V>(item: Shape<V>): Shape<V.FrozenSet<V>> {
  return logical(K.FROZEN_SET, list(item));
}

/** A `Map` whose order counts. */
export function orderedMap<K, V>(key: Shape<K>, value: Shape<V>): Shape<Map<K, V>> {
  return logical(K.ORDERED_MAP, map(key, value));
}

export const arrayBuffer: Shape<ArrayBuffer> = /* @__PURE__ */ logical(K.BYTE_ARRAY, bytes);
export const bitVector: Shape<V.BitVector> = /* @__PURE__ */ logical(K.BIT_VECTOR, /* @__PURE__ */ list(bool));
export const identifier: Shape<V.Identifier> = /* @__PURE__ */ logical(K.SYMBOL, string);
export const path: Shape<V.Path> = /* @__PURE__ */ logical(K.PATH, string, 0, 0);
export const url: Shape<URL> = /* @__PURE__ */ logical(K.URL_KIND, string);

export function ipAddress(version: 4 | 6): Shape<V.IpAddress> {
  return logical(K.IP_ADDRESS, fixed(version === 4 ? 4 : 16), version);
}

export function ipNetwork(version: 4 | 6): Shape<V.IpNetwork> {
  return logical(K.IP_NETWORK, tuple(fixed(version === 4 ? 4 : 16), u8), version);
}

export const regularExpression: Shape<RegExp> = /* @__PURE__ */ logical(
  K.REGULAR_EXPRESSION,
  /* @__PURE__ */ tuple(string, string),
);
export const range: Shape<V.Range> = /* @__PURE__ */ logical(K.RANGE, /* @__PURE__ */ tuple(int, int, int));
/** A string that can have lone surrogates. */
export const wtf8: Shape<string> = /* @__PURE__ */ logical(K.WTF8, bytes);
