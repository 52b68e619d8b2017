/** Maps (F-45, F-49): a `Map` is a map of the format, or an ordered map where its keys would make it an object. */

import { HoldallError } from "../error.js";
import { Exact } from "../exact.js";
import * as kinds from "../schema/logical.js";
import { Pairs } from "../values.js";
import { logical } from "./logical_rows.js";
import type { Shredder } from "./shredder.js";
import type { Site } from "./sites.js";

export function writeMap(shredder: Shredder, site: Site, map: Map<unknown, unknown> | Pairs): void {
  const flat: unknown[] = [];
  // Those of other rows are objects (`emptyMap`).
  let isOrdered = true;
  for (const [key, value] of map instanceof Pairs ? map.entries : map) {
    if (typeof key !== "string") isOrdered = false;
    flat.push(key, value);
  }
  if (map instanceof Pairs && !map.ordered && flat.length === 0) return shredder.mapping(site, {}, false);
  checkKeys(flat, map instanceof Pairs);
  if (map instanceof Pairs) isOrdered ||= map.ordered;
  shredder.map(isOrdered && !site.isStorage ? shredder.row(site, logical(kinds.ORDERED_MAP)).inside[0]! : site, flat);
}

/** F-35, F-45: the keys that are scalars or null differ. Keys of a `Map` that are strings or numbers do. */
function checkKeys(flat: readonly unknown[], all: boolean): void {
  const seen = new Set<string>();
  for (let i = 0; i < flat.length; i += 2) {
    const text = scalarKey(flat[i], all);
    if (text === undefined) continue;
    if (seen.has(text)) throw new HoldallError("duplicate_key", { got: "two equal keys" });
    seen.add(text);
  }
}

function scalarKey(key: unknown, all: boolean): string | undefined {
  if (typeof key === "bigint") return `int ${key}`;
  if (typeof key === "number") {
    return Number.isSafeInteger(key) && !Object.is(key, -0)
      ? `int ${key}`
      : all
        ? `f64 ${Object.is(key, -0) ? "-0" : key}`
        : undefined;
  }
  if (key instanceof Uint8Array) return `bytes ${key.join()}`;
  if (key instanceof Exact && key.type !== "array") {
    return `${key.type} ${key.value instanceof Uint8Array ? key.value.join() : key.value}`;
  }
  if (!all) return undefined;
  if (key === null || typeof key === "boolean") return `${key}`;
  return typeof key === "string" ? `string ${key}` : undefined;
}
