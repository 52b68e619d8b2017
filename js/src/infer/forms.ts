/** The forms of values that are neither plain objects nor arrays: which types of the format they are written as. */

import { IntRows } from "../column/write/ints.js";
import { Exact } from "../exact.js";
import { asBytes } from "../kernel/input.js";
import { encodeWtf8 } from "../kernel/utf8.js";
import { type Registration, registrationOf } from "../registry.js";
import * as kinds from "../schema/logical.js";
import * as codes from "../schema/types.js";
import * as values from "../values.js";
import { hasScalarsAlone, writeExact } from "./exact_rows.js";
import { checkedStorage, logical } from "./logical_rows.js";
import { writeMap } from "./map_rows.js";
import { refused, type Shredder } from "./shredder.js";
import type { RowKind, Site } from "./sites.js";
import { temporalForm } from "./temporal_rows.js";
import { TYPED_ARRAYS, writeTensor, writeTypedArray } from "./tensor_rows.js";

/** How values of one class are written. */
export interface Form<T = never> {
  /** Absent: all have an identity. */
  hasIdentity?(value: T): boolean;
  write(shredder: Shredder, site: Site, value: T): void;
}

const never = () => false;

function extension(name: string): RowKind {
  return { kind: "extension", key: `e:${name}`, name };
}

/** A form that is one logical row, whose storage `fill` writes. */
function row<T>(kind: number, fill: (shredder: Shredder, site: Site, value: T) => void, parameters = ""): Form<T> {
  const what = logical(kind, parameters);
  return { write: (shredder, site, value) => fill(shredder, shredder.row(site, what).inside[0]!, value) };
}

/** A form whose parameters depend on the value. */
function rows<T>(write: (shredder: Shredder, site: Site, value: T) => void): Form<T> {
  return { write };
}

/** The sites of a tuple, which is the storage of a logical row. */
function pair(shredder: Shredder, site: Site, count = 2): readonly Site[] {
  return shredder.row(site, { kind: "tuple", key: `t${count}`, size: count }).inside;
}

const UNIT: { readonly [unit: string]: string } = { s: "00", ms: "01", us: "02", ns: "03" };
const STYLE = { any: "00", posix: "01", windows: "02" };

const BYTES: Form<Uint8Array> = {
  hasIdentity: never,
  write: (shredder, site, value) => shredder.bytes(site, value),
};

const WTF8: Form<string> = row(kinds.WTF8, (shredder, site, value) => shredder.bytes(site, encodeWtf8(value)));

const SET: Form<Set<unknown>> = {
  write(shredder, site, value) {
    const kind = value instanceof values.FrozenSet ? kinds.FROZEN_SET : kinds.SET;
    const members = [...value];
    const ordered = shredder.options.order?.(members, value) ?? members;
    shredder.list(shredder.row(site, logical(kind)).inside[0]!, ordered);
  },
};

/** The builtin errors. Others are written as the one that they extend, with their name. */
const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError, Error];

const ERROR: Form<Error> = {
  write(shredder, site, error) {
    const builtin = ERRORS.find((each) => error instanceof each) ?? Error;
    const fields: { [name: string]: unknown } = { message: String(error.message) };
    if (error.name !== builtin.name) fields["name"] = String(error.name);
    if (Object.hasOwn(error, "cause")) fields["cause"] = error.cause;
    if (Object.hasOwn(error, "errors")) fields["errors"] = (error as AggregateError).errors;
    for (const key of Object.keys(error)) if (key !== "stack") fields[key] = (error as unknown as typeof fields)[key];
    shredder.struct(site, `js.${builtin.name}`, fields);
  },
};

const DATE: Form<Date> = rows((shredder, site, value) => {
  const ms = value.getTime();
  if (Number.isNaN(ms)) shredder.null(shredder.row(site, extension("js.invalid_date")).inside[0]!);
  else shredder.int(shredder.row(site, logical(kinds.TIMESTAMP, "0101")).inside[0]!, ms);
});

const REGEXP: Form<RegExp> = row(kinds.REGULAR_EXPRESSION, (shredder, site, value) => {
  const [source, flags] = pair(shredder, site);
  writeText(shredder, source!, value.source);
  shredder.text(flags!, value.flags);
});

/** Text that must be a string of the format. */
function writeText(shredder: Shredder, site: Site, text: string): void {
  if (!text.isWellFormed()) throw refused(text, "text with a lone surrogate");
  shredder.text(site, text);
}

/** The forms of builtins by their tag, which objects of other realms have too. */
const BUILTINS: { readonly [tag: string]: Form } = {
  Date: DATE,
  RegExp: REGEXP,
  Map: { write: writeMap } satisfies Form<Map<unknown, unknown>> as Form,
  Set: SET,
  ArrayBuffer: row<ArrayBuffer>(kinds.BYTE_ARRAY, (shredder, site, value) => shredder.bytes(site, asBytes(value))),
  DataView: rows<DataView>((shredder, site, value) =>
    shredder.bytes(shredder.row(site, extension("js.DataView")).inside[0]!, asBytes(value)),
  ),
  Uint8ClampedArray: rows<Uint8ClampedArray>((shredder, site, value) =>
    shredder.bytes(shredder.row(site, extension("js.Uint8ClampedArray")).inside[0]!, asBytes(value)),
  ),
  URL: row<URL>(kinds.URL_KIND, (shredder, site, value) => writeText(shredder, site, value.href)),
};

/** The forms of this package's own classes. */
const OWN: [abstract new (...items: never[]) => object, Form][] = [
  [Exact, { hasIdentity: (value: Exact) => value.type === "array", write: writeExact } satisfies Form<Exact> as Form],
  [
    values.Tuple,
    {
      hasIdentity: (value) => value.length > 8 || !hasScalarsAlone(value),
      write(shredder, site, value) {
        const { length } = value;
        if (length <= 8) shredder.fields(site, { kind: "tuple", key: `t${length}`, size: length }, value);
        else shredder.list(shredder.row(site, logical(kinds.LONG_TUPLE)).inside[0]!, value);
      },
    } satisfies Form<values.Tuple> as Form,
  ],
  [values.Record, rows<values.Record>((shredder, site, value) => shredder.struct(site, value.name, value.fields))],
  [
    values.Variant,
    rows<values.Variant>((shredder, site, value) => {
      shredder.variant(site, { kind: "union", key: "union" }, value.name, value.value);
    }),
  ],
  [
    values.Extension,
    rows<values.Extension>((shredder, site, value) => {
      shredder.checkGrounded(value, insideOf);
      if (!value.name.isWellFormed()) throw refused(value, "a name with a lone surrogate");
      shredder.fields(site, extension(value.name), [value.value]);
    }),
  ],
  [
    values.Logical,
    rows<values.Logical>((shredder, site, value) => {
      shredder.checkGrounded(value, insideOf);
      const what = logical(
        value.kind,
        Array.from(value.parameters, (byte) => byte.toString(16).padStart(2, "0")).join(""),
      );
      const storage = checkedStorage(value);
      const isSet = value.kind === kinds.SET || value.kind === kinds.FROZEN_SET;
      const { order } = shredder.options;
      shredder.fields(site, what, [isSet && order ? order(storage as unknown[], storage as unknown[]) : storage]);
    }),
  ],
  [
    values.Pairs,
    { write: (shredder, site, value) => writeMap(shredder, site, value) } satisfies Form<values.Pairs> as Form,
  ],
  [values.FrozenSet, SET as Form],
  [values.Tensor, rows<values.Tensor>(writeTensor)],
  [values.CalendarDate, row<values.CalendarDate>(kinds.DATE, (s, site, value) => s.int(site, value.days))],
  [
    values.TimeOfDay,
    rows<values.TimeOfDay>((s, site, value) => {
      s.int(s.row(site, logical(kinds.TIME, UNIT[value.unit])).inside[0]!, value.value);
    }),
  ],
  [
    values.Duration,
    rows<values.Duration>((s, site, value) => {
      s.int(s.row(site, logical(kinds.DURATION, UNIT[value.unit])).inside[0]!, value.value);
    }),
  ],
  [
    values.Timestamp,
    rows<values.Timestamp>((s, site, { value, unit, zone, place }) => {
      const inside = s.row(site, logical(kinds.TIMESTAMP, `${UNIT[unit]}0${values.ZONES.indexOf(zone)}`)).inside[0]!;
      if (zone === "local" || zone === "utc") {
        s.int(inside, value);
        return;
      }
      const [number, where] = pair(s, inside);
      s.int(number!, value);
      if (zone === "zone") writeText(s, where!, place as string);
      else s.exact(where!, "i32", codes.I32, 0, IntRows).push(place as number);
    }),
  ],
  [
    values.Decimal,
    row<values.Decimal>(kinds.DECIMAL, (s, site, value) => {
      const [form, coefficient, exponent] = pair(s, site, 3);
      s.exact(form!, "u8", codes.U8, 0, IntRows).push(value.form);
      s.int(coefficient!, value.coefficient);
      s.int(exponent!, value.exponent);
    }),
  ],
  [
    values.Rational,
    row<values.Rational>(kinds.RATIONAL, (s, site, value) => {
      const [numerator, denominator] = pair(s, site);
      s.int(numerator!, value.numerator);
      s.int(denominator!, value.denominator);
    }),
  ],
  [
    values.Complex,
    rows<values.Complex>((s, site, value) => {
      const [re, im] = pair(s, s.row(site, logical(kinds.COMPLEX, `0${value.width}`)).inside[0]!);
      const type = value.width === 8 ? "f64" : "f32";
      writeExact(s, re!, new Exact(type, value.re));
      writeExact(s, im!, new Exact(type, value.im));
    }),
  ],
  [values.Uuid, row<values.Uuid>(kinds.UUID, (s, site, value) => writeExact(s, site, new Exact("fixed", value.bytes)))],
  [
    values.Char,
    row<values.Char>(kinds.CHAR, (s, site, value) => writeExact(s, site, new Exact("u32", value.codePoint))),
  ],
  [values.Identifier, row<values.Identifier>(kinds.SYMBOL, (s, site, value) => writeText(s, site, value.name))],
  [
    values.BitVector,
    row<values.BitVector>(kinds.BIT_VECTOR, (s, site, value) => {
      s.list(
        site,
        Array.from({ length: value.length }, (_, i) => value.at(i)),
      );
    }),
  ],
  [
    values.Path,
    rows<values.Path>((s, site, { path, style }) => {
      const inside = s.row(site, logical(kinds.PATH, STYLE[style] + (typeof path === "string" ? "00" : "01")))
        .inside[0]!;
      if (typeof path === "string") writeText(s, inside, path);
      else s.bytes(inside, path);
    }),
  ],
  [
    values.IpAddress,
    rows<values.IpAddress>((s, site, { bytes }) => {
      const what = logical(kinds.IP_ADDRESS, bytes.length === 4 ? "04" : "06");
      writeExact(s, s.row(site, what).inside[0]!, new Exact("fixed", bytes));
    }),
  ],
  [
    values.IpNetwork,
    rows<values.IpNetwork>((s, site, { bytes, prefix }) => {
      const what = logical(kinds.IP_NETWORK, bytes.length === 4 ? "04" : "06");
      const [address, length] = pair(s, s.row(site, what).inside[0]!);
      writeExact(s, address!, new Exact("fixed", bytes));
      s.exact(length!, "u8", codes.U8, 0, IntRows).push(prefix);
    }),
  ],
  [
    values.Range,
    row<values.Range>(kinds.RANGE, (s, site, value) => {
      const [start, stop, step] = pair(s, site, 3);
      s.int(start!, value.start);
      s.int(stop!, value.stop);
      s.int(step!, value.step);
    }),
  ],
];

function insideOf(value: object): unknown {
  if (value instanceof values.Extension) return value.value;
  return value instanceof values.Logical ? value.storage : undefined;
}

/** The form of objects of a registered class. */
function registered(registration: Registration): Form<object> {
  const { name, fields, encode } = registration;
  const what = extension(name);
  return {
    write(shredder, site, value) {
      const encoded = encode === undefined ? value : encode(value);
      const isMapping = encode === undefined || isPlain(encoded);
      if (!isMapping) {
        shredder.fields(site, what, [encoded]);
        return;
      }
      const given = encoded as { [name: string]: unknown };
      const chosen = fields === undefined ? given : Object.fromEntries(fields.map((field) => [field, given[field]]));
      shredder.struct(site, name, chosen);
    },
  };
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const forms = new WeakMap<object, Form>();

/** The form of a value by its prototype; undefined if it has none. */
export function formOf(value: unknown, prototype: object): Form | undefined {
  const registration = registrationOf(prototype);
  if (registration !== undefined) return registered(registration) as Form;
  let form = forms.get(prototype);
  if (form === undefined) {
    form = findForm(value, prototype);
    if (form !== undefined) forms.set(prototype, form);
  }
  return form;
}

function findForm(value: unknown, prototype: object): Form | undefined {
  if (prototype === String.prototype) return WTF8 as Form;
  for (const [type, form] of OWN) if (prototype === type.prototype) return form;
  const text = Object.prototype.toString.call(value);
  const tag = text.slice(8, -1);
  // Node's Buffer too.
  if (value instanceof Uint8Array || tag === "Uint8Array") return BYTES as Form;
  if (value instanceof Error || tag === "Error") return ERROR as Form;
  // Of other realms too. A class that extends a builtin has a name of its own, and may have more to keep.
  const { name } = prototype.constructor;
  if (!Object.hasOwn(prototype, "constructor")) return undefined;
  if (tag.startsWith("Temporal.")) return temporalForm(tag) as Form | undefined;
  if (tag === "Object" && Object.getPrototypeOf(prototype) === null && name === "Object") {
    return { write: (s, site, object) => s.mapping(site, object) } satisfies Form<{ [key: string]: unknown }> as Form;
  }
  if (name !== tag) return undefined;
  if (Object.hasOwn(BUILTINS, tag)) return BUILTINS[tag];
  return Object.hasOwn(TYPED_ARRAYS, tag)
    ? ({ write: writeTypedArray } satisfies Form<ArrayBufferView> as Form)
    : undefined;
}
