/** Rows of exactly one type (`Exact`). */

import { IntRows } from "../column/write/ints.js";
import { Exact } from "../exact.js";
import { floatBits } from "../kernel/numbers.js";
import * as codes from "../schema/types.js";
import { refused, type Shredder } from "./shredder.js";
import { ListRows, type Site } from "./sites.js";

const INTS = ["int", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128"];
const FLOAT_BYTES: { readonly [type: string]: number } = { f16: 2, bf16: 2, f32: 4, f64: 8 };

/** Whether an integer is in the range of a type. */
function holds(type: string, value: bigint): boolean {
  if (type === "int") return true;
  const bits = Number(type.slice(1));
  return type[0] === "u" ? BigInt.asUintN(bits, value) === value : BigInt.asIntN(bits, value) === value;
}

/** Whether a tuple has scalars and nulls alone, and so no identity (F-45). */
export function hasScalarsAlone(items: readonly unknown[]): boolean {
  return items.every((item) => {
    if (item instanceof Exact) return item.type !== "array";
    if (typeof item === "string") return item.isWellFormed();
    return item === null || item instanceof Uint8Array || ["number", "bigint", "boolean"].includes(typeof item);
  });
}

/** Writes a value of exactly one type. */
export function writeExact(shredder: Shredder, site: Site, exact: Exact): void {
  const { type, value } = exact;
  const code = codes.SCALAR_NAMES.indexOf(type as codes.ScalarName);
  if (INTS.includes(type) && (typeof value === "bigint" || Number.isInteger(value))) {
    const integer = BigInt(value as bigint | number);
    if (holds(type, integer)) {
      if (type === "int") shredder.int(site, integer);
      else shredder.exact(site, type, code, 0, IntRows).pushBig(integer);
      return;
    }
  } else if (type in FLOAT_BYTES && (typeof value === "bigint" || typeof value === "number")) {
    if (type === "f64") shredder.float(site, value);
    else {
      const bits = typeof value === "bigint" ? value : floatBits(type, value);
      const bytes = littleEndian(bits, FLOAT_BYTES[type]!);
      shredder.exact<ListRows<Uint8Array>>(site, type, code, 0, ListRows).push(bytes);
    }
    return;
  } else if (type === "fixed" && value instanceof Uint8Array) {
    const size = value.length;
    shredder.exact<ListRows<Uint8Array>>(site, `fixed${size}`, codes.FIXED, size, ListRows).push(shredder.kept(value));
    return;
  } else if (type === "array" && Array.isArray(value)) {
    shredder.fields(site, { kind: "array", key: `a${value.length}`, size: value.length }, value);
    return;
  } else if (type === "string" && typeof value === "string" && value.isWellFormed()) {
    shredder.text(site, value);
    return;
  } else if (type === "bytes" && value instanceof Uint8Array) {
    shredder.bytes(site, value);
    return;
  } else if (type === "bool" && typeof value === "boolean") {
    shredder.bool(site, value);
    return;
  } else if (type === "null") {
    shredder.null(site);
    return;
  }
  throw refused(exact, `a value that is no ${type}`);
}

function littleEndian(bits: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
}
