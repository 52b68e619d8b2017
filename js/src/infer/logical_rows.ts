/** Logical types (F-72, F-74): their kinds and parameters, and the storage that a program supplies. */

import { Exact } from "../exact.js";
import * as kinds from "../schema/logical.js";
import { hasStorage } from "../schema/storage.js";
import {
  BOOL,
  BYTES,
  F64,
  FIXED,
  INT,
  LATER,
  LIST,
  MAP,
  NULL,
  SCALAR_NAMES,
  STRING,
  TUPLE,
  type Type,
} from "../schema/types.js";
import { type Logical, Pairs, Tuple } from "../values.js";
import { isInteger } from "./scalars.js";
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

const OTHER: Type = { code: NULL };

/** The type of storage, as far as F-72 needs it. */
function typeOf(value: unknown): Type {
  if (typeof value === "bigint") return { code: INT };
  if (typeof value === "number") return { code: isInteger(value) ? INT : F64 };
  if (typeof value === "string") return value.isWellFormed() ? { code: STRING } : OTHER;
  if (value instanceof Uint8Array) return { code: BYTES };
  if (value instanceof Exact) {
    if (value.type === "fixed") return { code: FIXED, size: (value.value as Uint8Array).length };
    return value.type === "array" ? OTHER : ({ code: SCALAR_NAMES.indexOf(value.type) } as Type);
  }
  if (value instanceof Tuple) {
    return { code: TUPLE, items: Array.from(value, (item) => (item instanceof Tuple ? OTHER : typeOf(item))) };
  }
  if (Array.isArray(value)) {
    return { code: LIST, item: value.every((item) => typeof item === "boolean") ? { code: BOOL } : OTHER };
  }
  const prototype = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  const isMap = value instanceof Map || value instanceof Pairs || prototype === null || prototype === Object.prototype;
  return isMap ? { code: MAP, key: OTHER, value: OTHER } : OTHER;
}

/** The storage of a logical value as it is written (F-74). */
export function checkedStorage({ kind, parameters, storage }: Logical): unknown {
  if (kind >= LATER && kind <= 0xff) return storage;
  const [, ...meanings] = kinds.KINDS[kind] ?? [];
  const isKnown = kind >= 1 && kind < kinds.KINDS.length && parameters.length === meanings.length;
  if (!isKnown || !meanings.every((meaning, i) => meaning[parameters[i]!] !== undefined)) {
    throw refused(storage, `a logical type of kind ${kind} with parameters that it lacks`);
  }
  if (!hasStorage(kind, parameters, typeOf(storage))) {
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
