/** Equal keys of a map (F-35). */

import type { FloatBits } from "../column/read/floats.js";
import { fault, type HoldallError, inRow } from "../error.js";
import { asBytes } from "../kernel/input.js";
import * as T from "../schema/types.js";
import type { Site } from "./read.js";

/** Whether the format compares keys of a type: null, scalars, an option of one, an unnamed union of scalars. */
export function isCompared(type: T.Type): boolean {
  if (type.code === T.OPTION) return isSimple(type.item);
  return isSimple(type);
}

function isSimple(type: T.Type): boolean {
  if (type.code === T.UNION) return !type.named && type.variants.every((variant) => isScalar(variant.type));
  return isScalar(type);
}

function isScalar(type: T.Type): boolean {
  return type.code >= T.NULL && type.code <= T.FIXED;
}

/** The error of two equal keys, in the entry that has the second one, of the `count` keys of a map at these rows of their site. */
export function duplicateKey(site: Site, count: number, rowAt: (i: number) => number): HoldallError | undefined {
  if (count < 2 || site.unknown || !isCompared(site.type)) return undefined;
  let ids = kept.get(site);
  if (ids === undefined) kept.set(site, (ids = site.inside.length > 0 ? nestedIds(site) : idsOf(site)));
  const seen = new Set<unknown>();
  let known = 0;
  for (let i = 0; i < count; i++) {
    const id = ids(rowAt(i));
    if (id === undefined) continue;
    seen.add(id);
    if (seen.size < ++known) return inRow(fault("duplicate_key", site.start), i);
  }
  return undefined;
}

const kept: WeakMap<Site, Ids> = /* @__PURE__ */ new WeakMap();

/** What equal rows alone share; undefined for unknown values, which equal none. */
type Ids = (row: number) => unknown;

function idsOf(site: Site): Ids {
  const { type, data } = site;
  if (site.unknown) return () => undefined;
  if (type.code === T.NULL) return () => "null";
  if (type.code >= T.F16 && type.code <= T.F64) {
    const floats = data as FloatBits;
    const bytes = asBytes(floats);
    const size = floats.BYTES_PER_ELEMENT;
    return (row) => bytes.subarray(row * size, (row + 1) * size).join();
  }
  if (type.code === T.FIXED) {
    const bytes = data as Uint8Array;
    return (row) => bytes.subarray(row * type.size, (row + 1) * type.size).join();
  }
  const rows = data as ArrayLike<unknown>;
  if (type.code === T.BYTES) return (row) => String(rows[row]);
  return (row) => rows[row];
}

/** Of an option or an unnamed union: the row inside is found by counting. */
function nestedIds(site: Site): Ids {
  const { type, data, inside, n } = site;
  const ids = inside.map((each) =>
    each.n === 0 ? () => undefined : each.inside.length > 0 ? nestedIds(each) : idsOf(each),
  );
  const taken = inside.map(() => 0);
  const found: unknown[] = [];
  const numbers = data as ArrayLike<number> | undefined;
  for (let i = 0; i < n; i++) {
    if (type.code === T.OPTION && numbers![i] === 0) {
      // An absent option is null.
      found.push("null");
      continue;
    }
    const variant = type.code === T.OPTION ? 0 : numbers![i]!;
    const id = ids[variant]!(taken[variant]!++);
    found.push(id === undefined ? id : type.code === T.OPTION ? `:${id}` : `${variant}:${id}`);
  }
  if (type.code === T.OPTION && inside[0]!.type.code === T.NULL) return () => "null";
  return (row) => found[row];
}
