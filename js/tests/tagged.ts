/** Tagged values of the conformance vectors, beside values of JavaScript. */

import * as K from "../src/schema/logical.js";
import { KINDS } from "../src/schema/logical.js";
import { typeText } from "../src/schema/text.js";
import * as V from "../src/values.js";

// biome-ignore lint/suspicious/noExplicitAny: JSON
export type Tagged = any;

const fromHex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (x) => Number.parseInt(x, 16));
const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether a value is what a tagged value means. Rows with a number are the same object each time. */
export class Comparison {
  private readonly seen = new Map<number, unknown>();
  private readonly pending: [number, unknown][] = [];

  /** Throws where they differ. */
  check(value: unknown, tagged: Tagged): void {
    this.equal(value, tagged, "$");
    for (const [id, each] of this.pending) {
      // Values without identity in JavaScript are equal instead.
      if (typeof each === "object" && each !== null && this.seen.get(id) !== each)
        throw new Error(`row ${id} is another object`);
    }
  }

  private equal(value: unknown, tagged: Tagged, path: string): void {
    const [tag, ...rest] = tagged as [string, ...Tagged[]];
    const differs = (what: unknown): never => {
      throw new Error(`${path}: expected ${JSON.stringify(tagged)?.slice(0, 200)}, got ${String(what)}`);
    };
    const same = (ok: boolean): void => {
      if (!ok) differs(value);
    };
    switch (tag) {
      case "null":
        return same(value === null);
      case "bool":
        return same(value === rest[0]);
      case "string":
        return same(value === rest[0]);
      case "bytes":
      case "fixed":
        // No Buffer, which shares memory.
        return same(value?.constructor === Uint8Array && toHex(value as Uint8Array) === rest[0]);
      case "unknown":
        return same(value === V.UNKNOWN);
      case "id":
        this.seen.set(rest[0], value);
        return this.equal(value, rest[1], path);
      case "ref":
        this.pending.push([rest[0], value]);
        return;
      case "list":
      case "array":
      case "tuple": {
        if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return differs(value);
        const items = value as unknown as ArrayLike<unknown>;
        same(items.length === rest[0].length);
        same((tag === "tuple") === value instanceof V.Tuple);
        rest[0].forEach((item: Tagged, i: number) => {
          this.equal(items[i], item, `${path}[${i}]`);
        });
        return;
      }
      case "record":
        return this.fields(value, rest[0], path);
      case "struct":
        same(value instanceof V.Record && value.name === rest[0]);
        return this.fields((value as V.Record).fields, rest[1], path);
      case "map":
        return this.map(value, rest[0], path, false);
      case "variant":
        same(value instanceof V.Variant && value.name === rest[0]);
        return this.equal((value as V.Variant).value, rest[1], `${path}<${rest[0]}>`);
      case "tensor":
        return this.tensor(value, rest, differs);
      case "extension":
        same(value instanceof V.Extension && value.name === rest[0]);
        return this.equal((value as V.Extension).value, rest[1], path);
      case "logical":
        return this.logical(value, rest[0], rest[1], rest[2], path, differs);
      default:
        return same(isNumber(value, tag, rest[0]));
    }
  }

  private fields(value: unknown, fields: [string, Tagged][], path: string): void {
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
      throw new Error(`${path}: not a plain object`);
    }
    const expected = Object.keys(Object.fromEntries(fields.map(([key]) => [key, 0])));
    const found = Object.keys(value);
    if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${path}: keys ${found}, not ${expected}`);
    for (const [key, item] of fields) {
      this.equal(Object.getOwnPropertyDescriptor(value, key)!.value, item, `${path}.${key}`);
    }
  }

  private map(value: unknown, entries: [Tagged, Tagged][], path: string, ordered: boolean): void {
    if (!ordered && !(value instanceof Map) && !(value instanceof V.Pairs)) {
      return this.fields(
        value,
        entries.map(([key, item]) => [key[1], item]),
        path,
      );
    }
    const pairs = value instanceof V.Pairs ? value.entries : [...(value as Map<unknown, unknown>)];
    if (pairs.length !== entries.length) throw new Error(`${path}: ${pairs.length} entries`);
    entries.forEach(([key, item], i) => {
      this.equal(pairs[i]![0], key, `${path}[${i}].key`);
      this.equal(pairs[i]![1], item, `${path}[${i}]`);
    });
  }

  private tensor(value: unknown, [element, shape, order, hex]: Tagged[], differs: (what: unknown) => never): void {
    if (value instanceof V.Tensor) {
      const text = [typeText(value.element), value.shape.join(), value.order, toHex(value.bytes)];
      if (text.join(";") !== [element, shape.join(), order, hex].join(";")) differs(text);
      return;
    }
    const view = value as Float64Array;
    if (shape.length !== 1 || String(view.length) !== shape[0]) differs(value);
    if (toHex(new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) !== hex) differs(value);
  }

  private logical(
    value: unknown,
    name: string,
    parameters: string,
    storage: Tagged,
    path: string,
    differs: (x: unknown) => never,
  ): void {
    const kind = KINDS.findIndex((each) => each[0] === name);
    const at = fromHex(parameters);
    if (value instanceof V.Logical) {
      if (toHex(value.parameters) !== parameters) differs(value);
      if (kind >= 0 ? value.kind !== kind : value.kind !== Number.parseInt(name, 16)) differs(value);
      return this.equal(value.storage, storage, path);
    }
    const check = (form: boolean, stored: unknown): void => {
      if (!form) differs(value);
      this.equal(stored, storage, path);
    };
    const v = value as never as { [name: string]: unknown };
    const tuple = (...items: unknown[]): V.Tuple => V.Tuple.of(...items) as V.Tuple;
    switch (kind) {
      case K.DATE:
        return check(value instanceof V.CalendarDate, v["days"]);
      case K.TIME:
        return check(value instanceof V.TimeOfDay && value.unit === V.UNITS[at[0]!], v["value"]);
      case K.DURATION:
        return check(value instanceof V.Duration && value.unit === V.UNITS[at[0]!], v["value"]);
      case K.TIMESTAMP: {
        if (value instanceof Date) return check(parameters === "0101", value.getTime());
        const placed = at[1]! > 1 ? tuple(v["value"], v["place"]) : v["value"];
        return check(
          value instanceof V.Timestamp && value.unit === V.UNITS[at[0]!] && value.zone === V.ZONES[at[1]!],
          placed,
        );
      }
      case K.DECIMAL:
        return check(value instanceof V.Decimal, tuple(v["form"], v["coefficient"], v["exponent"]));
      case K.RATIONAL:
        return check(value instanceof V.Rational, tuple(v["numerator"], v["denominator"]));
      case K.COMPLEX:
        return check(value instanceof V.Complex && value.width === at[0], tuple(v["re"], v["im"]));
      case K.UUID:
        return check(value instanceof V.Uuid, v["bytes"]);
      case K.CHAR:
        return check(value instanceof V.Char, v["codePoint"]);
      case K.SET:
        return check(value instanceof Set && !(value instanceof V.FrozenSet), [...(value as Set<unknown>)]);
      case K.FROZEN_SET:
        return check(value instanceof V.FrozenSet, [...(value as Set<unknown>)]);
      case K.BYTE_ARRAY:
        return check(value instanceof ArrayBuffer, new Uint8Array(value as ArrayBuffer));
      case K.ORDERED_MAP:
        return this.map(value, storage[1], path, true);
      case K.BIT_VECTOR: {
        const bits = value as V.BitVector;
        return check(
          value instanceof V.BitVector,
          Array.from({ length: bits.length }, (_, i) => bits.at(i)),
        );
      }
      case K.SYMBOL:
        return check(value instanceof V.Identifier, v["name"]);
      case K.PATH:
        return check(value instanceof V.Path && value.style === ["any", "posix", "windows"][at[0]!], v["path"]);
      case K.URL_KIND:
        return check(value instanceof URL, v["href"]);
      case K.IP_ADDRESS:
        return check(value instanceof V.IpAddress, v["bytes"]);
      case K.IP_NETWORK:
        return check(value instanceof V.IpNetwork, tuple(v["bytes"], v["prefix"]));
      case K.REGULAR_EXPRESSION:
        return check(value instanceof RegExp, tuple(v["source"], v["flags"]));
      case K.RANGE:
        return check(value instanceof V.Range, tuple(v["start"], v["stop"], v["step"]));
      case K.WTF8:
        return check(typeof value === "string", storage[0] === "bytes" ? fromHex(storage[1]) : undefined);
    }
    differs(value);
  }
}

/** Whether a number is that of an integer's digits, or of a float's bits. */
function isNumber(value: unknown, tag: string, text: string): boolean {
  if (/^[iu]/.test(tag))
    return (typeof value === "number" || typeof value === "bigint") && String(value) === text && !Object.is(value, -0);
  if (typeof value !== "number") return false;
  const bits = BigInt(`0x${text}`);
  const bytes = new DataView(new ArrayBuffer(8));
  let number: number;
  if (tag === "f64") {
    bytes.setBigUint64(0, bits);
    number = bytes.getFloat64(0);
  } else if (tag === "f32" || tag === "bf16") {
    bytes.setUint32(0, tag === "f32" ? Number(bits) : Number(bits) * 65536);
    number = bytes.getFloat32(0);
  } else number = half(Number(bits));
  return Object.is(value, number);
}

function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const sign = bits >> 15 ? -1 : 1;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

export { fromHex, toHex };
