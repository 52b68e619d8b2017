/** Logical types (F-72, F-74): their kinds and parameters, and the storage that a program supplies. */

import { Exact } from "../exact.js";
import * as kinds from "../schema/logical.js";
import { LATER } from "../schema/types.js";
import { type Logical, Pairs, Tuple } from "../values.js";
import { refused } from "./shredder.js";
import type { RowKind } from "./sites.js";

const made = new Map<string, RowKind>();

/** A logical type of a kind, whose parameters are in hexadecimal. */
export function logical(kind: number, parameters = ""): RowKind {
  const key = `l${kind}:${parameters}`;
  let what = made.get(key);
  if (what === undefined) {
    const bytes = Uint8Array.from(parameters.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    what = { kind: "logical", key, size: kind, parameters: bytes };
    // Those of later versions can have any parameters.
    if (kind < LATER) made.set(key, what);
  }
  return what;
}

/** The type of storage, as text, as far as F-72 needs it. */
function typeOf(value: unknown): string {
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? "int" : "f64";
  if (typeof value === "string") return value.isWellFormed() ? "string" : "other";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Exact) return value.type === "fixed" ? `fixed${(value.value as Uint8Array).length}` : value.type;
  if (value instanceof Tuple) return `tuple(${value.map((item) => (item instanceof Tuple ? "other" : typeOf(item)))})`;
  if (Array.isArray(value)) return value.every((item) => typeof item === "boolean") ? "list of bool" : "list";
  if (value instanceof Map || value instanceof Pairs) return "map";
  const prototype = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === null || prototype === Object.prototype ? "map" : "other";
}

/** What F-72 requires of the storage. */
function storageOf(kind: number, parameters: Uint8Array): readonly string[] {
  const last = parameters[parameters.length - 1];
  switch (kind) {
    case kinds.DATE:
    case kinds.TIME:
    case kinds.DURATION:
      return ["int", "i64"];
    case kinds.TIMESTAMP:
      if (last === 2) return ["tuple(int,i32)", "tuple(i64,i32)"];
      return last === 3 ? ["tuple(int,string)", "tuple(i64,string)"] : ["int", "i64"];
    case kinds.DECIMAL:
      return ["tuple(u8,int,int)"];
    case kinds.RATIONAL:
      return ["tuple(int,int)"];
    case kinds.COMPLEX:
      return last === 4 ? ["tuple(f32,f32)"] : ["tuple(f64,f64)"];
    case kinds.UUID:
      return ["fixed16"];
    case kinds.CHAR:
      return ["u32"];
    case kinds.SET:
    case kinds.FROZEN_SET:
    case kinds.LONG_TUPLE:
      return ["list", "list of bool"];
    case kinds.BYTE_ARRAY:
    case kinds.WTF8:
      return ["bytes"];
    case kinds.ORDERED_MAP:
      return ["map"];
    case kinds.BIT_VECTOR:
      return ["list of bool"];
    case kinds.PATH:
      return [last === 1 ? "bytes" : "string"];
    case kinds.IP_ADDRESS:
      return [last === 4 ? "fixed4" : "fixed16"];
    case kinds.IP_NETWORK:
      return [last === 4 ? "tuple(fixed4,u8)" : "tuple(fixed16,u8)"];
    case kinds.REGULAR_EXPRESSION:
      return ["tuple(string,string)"];
    case kinds.RANGE:
      return ["tuple(int,int,int)"];
    default:
      return ["string"];
  }
}

/** The storage of a logical value as it is written (F-74). */
export function checkedStorage({ kind, parameters, storage }: Logical): unknown {
  if (kind >= LATER && kind <= 0xff) return storage;
  const [, ...meanings] = kinds.KINDS[kind] ?? [];
  const isKnown = kind >= 1 && kind < kinds.KINDS.length && parameters.length === meanings.length;
  if (!isKnown || !meanings.every((meaning, i) => meaning[parameters[i]!] !== undefined)) {
    throw refused(storage, `a logical type of kind ${kind} with parameters that it lacks`);
  }
  if (!storageOf(kind, parameters).includes(typeOf(storage))) {
    throw refused(storage, `storage that ${kinds.KINDS[kind]![0]} cannot have`);
  }
  return withInt(storage);
}

/** F-72: a writer of dynamic values writes whole numbers as int. */
function withInt(storage: unknown): unknown {
  if (storage instanceof Exact && storage.type === "i64") return new Exact("int", storage.value);
  const [first] = storage instanceof Tuple ? storage : [];
  return first instanceof Exact && first.type === "i64"
    ? new Tuple(withInt(first), ...(storage as Tuple).slice(1))
    : storage;
}
