/** Canonical order: the members of sets in the order of F-75 (F-96). */

import { HoldallError } from "../error.js";
import { Exact } from "../exact.js";
import { floatBits } from "../kernel/numbers.js";
import { encodeUtf8 } from "../kernel/utf8.js";
import { FIXED, SCALAR_NAMES, type ScalarName } from "../schema/types.js";
import { Tuple } from "../values.js";

/** F-96: sets can be nested this deep in each other's members. */
const DEEPEST = 32;

/** The place of a member: its class in F-75, then what is compared within it. */
type Place = readonly (number | bigint | Uint8Array | Place)[];

/** Orders the members of a set. `message` writes one member alone, in profile fast and canonical order. */
export function canonicalOrder(
  message: (member: unknown) => Uint8Array,
): (members: unknown[], set: object) => unknown[] {
  const open: object[] = [];
  return (members, set) => {
    if (members.length < 2) return members;
    if (open.includes(set) || open.length === DEEPEST) {
      throw new HoldallError("unsupported_value", {
        got: "a set inside its own members, or too deep, which has no canonical order",
      });
    }
    open.push(set);
    try {
      const places = members.map((member): [Place, unknown] => [placeOf(member, message), member]);
      return places.sort(([a], [b]) => compare(a, b)).map(([, member]) => member);
    } finally {
      open.pop();
    }
  };
}

function placeOf(member: unknown, message: (member: unknown) => Uint8Array): Place {
  const scalar = scalarPlace(member);
  if (scalar !== undefined) return [0, scalar];
  if (member instanceof Tuple && member.length <= 8) {
    const items = member.map(scalarPlace);
    if (!items.includes(undefined)) return [1, member.length, ...(items as Place[])];
  }
  return [2, message(member)];
}

/** Null, then scalars by their types' codes, then by value. */
function scalarPlace(value: unknown): Place | undefined {
  if (value === null) return [1];
  if (typeof value === "boolean") return [code("bool"), value ? 1 : 0];
  if (typeof value === "bigint") return [code("int"), value];
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return [code("int"), BigInt(value)];
    return [code("f64"), totalOrder("f64", value)];
  }
  if (typeof value === "string") return value.isWellFormed() ? [code("string"), encodeUtf8(value)] : undefined;
  if (value instanceof Uint8Array) return [code("bytes"), value];
  if (!(value instanceof Exact) || value.type === "array") return undefined;
  const { type, value: inner } = value;
  if (type === "fixed") return [FIXED, (inner as Uint8Array).length, inner as Uint8Array];
  if (type === "string" || type === "bytes" || type === "bool" || type === "null") return scalarPlace(inner);
  if (type.includes("f")) return [code(type), totalOrder(type, inner as number | bigint)];
  return [code(type), BigInt(inner as number | bigint)];
}

function code(name: ScalarName): number {
  return SCALAR_NAMES.indexOf(name);
}

const FLOAT_BITS: { readonly [type: string]: number } = { f16: 16, bf16: 16, f32: 32, f64: 64 };

/** A number in the order of IEEE 754's totalOrder. */
function totalOrder(type: string, value: number | bigint): bigint {
  const width = BigInt(FLOAT_BITS[type]!);
  const bits = typeof value === "bigint" ? value : floatBits(type, value);
  return bits >> (width - 1n) ? (1n << width) - 1n - bits : bits + (1n << (width - 1n));
}

function compare(a: Place, b: Place): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    let order = 0;
    if (x instanceof Uint8Array) order = compareBytes(x, y as Uint8Array);
    else if (typeof x === "object") order = compare(x, y as Place);
    else order = x < (y as bigint) ? -1 : x > (y as bigint) ? 1 : 0;
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
