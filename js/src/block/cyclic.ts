/** Definitions in cycles: every row that can contain others is made empty, and filled when all exist. */

import { HoldallError } from "../error.js";
import { FROZEN_SET, LONG_TUPLE, ORDERED_MAP, SET } from "../schema/logical.js";
import * as T from "../schema/types.js";
import * as V from "../values.js";
import { fillSet, notApart } from "./apart.js";
import { setOwn } from "./objects.js";
import type { Site } from "./read.js";
import { shapeOf } from "./shapes.js";
import { emptyMap, fillMap, type Making, rows, type Values } from "./values.js";

/** What a site's rows are: values that exist, or a way to those of another site. */
interface Made {
  readonly site: Site;
  values: Values | undefined;
  inside: Made[];
  /** Of options and unions, the row inside for each row. */
  index: Int32Array | undefined;
}

/** Makes the rows of all definitions that are left. */
export function makeCyclic(sites: readonly Site[], making: Making): void {
  const left = new Map<number, Made>();
  const filled: Made[] = [];
  sites.forEach((site, i) => {
    if (!making.definitions.has(i)) left.set(i, begin(site));
  });
  const resolve = resolver(left);
  // Keys that are rows of such maps have no value yet, and are no strings.
  for (const made of filled) if (made.site.type.code === T.MAP) beginMaps(made, made.site.type, resolve);
  for (const made of filled) fill(made, resolve);
  for (const [i, made] of left)
    making.definitions.set(
      i,
      rows(made.site.n, (row) => resolve(made, row)),
    );

  function begin(site: Site): Made {
    const made: Made = { site, values: undefined, inside: [], index: undefined };
    if (!isLeft(site)) {
      made.values = making.make(site);
      return made;
    }
    made.inside = site.inside.map(begin);
    made.values = emptyRows(site, making);
    if (made.values !== undefined) filled.push(made);
    made.index = indexOf(site);
    return made;
  }

  function isLeft(site: Site): boolean {
    if (site.n === 0) return false;
    const { type } = site;
    if (type.code === T.DEF || type.code === T.SHARED) return !making.definitions.has(type.index);
    return site.inside.some(isLeft);
  }
}

/** The rows of a site that hold others; undefined for options, unnamed unions, definitions, which are what they hold. */
function emptyRows(site: Site, making: Making): Values | undefined {
  const { type, n } = site;
  switch (type.code) {
    case T.LIST:
    case T.ARRAY:
      return rows(n, () => []);
    case T.TUPLE:
      return rows(n, () => new V.Tuple());
    case T.RECORD:
      return rows(n, () => ({}));
    case T.STRUCT:
    case T.EXTENSION:
      if (making.classOf(type.name)?.registration.decode !== undefined) {
        throw new HoldallError("unrepresentable", {
          got: `an object of ${type.name} that can contain itself`,
          help: "register the class without `decode`, which needs all fields at once",
        });
      }
      if (type.code === T.EXTENSION) return rows(n, () => new V.Extension(type.name, null));
      return rows(n, () => making.struct(type.name, {}));
    case T.MAP:
      return new Array(n);
    case T.UNION:
      return type.named ? rows(n, () => new V.Variant("", null)) : undefined;
    case T.LOGICAL:
      return rows(n, () => {
        if (type.kind === SET) return new Set();
        if (type.kind === FROZEN_SET) return new V.FrozenSet();
        if (type.kind === ORDERED_MAP) return new Map();
        if (type.kind === LONG_TUPLE) return new V.Tuple();
        return new V.Logical(type.kind, type.parameters, null);
      });
    default:
      return undefined;
  }
}

function indexOf(site: Site): Int32Array | undefined {
  const numbers = site.data as ArrayLike<number> | undefined;
  if (site.type.code !== T.OPTION && site.type.code !== T.UNION) return undefined;
  const taken = site.inside.map(() => 0);
  return Int32Array.from({ length: site.n }, (_, i) => {
    if (site.type.code === T.OPTION) return numbers![i] === 0 ? -1 : taken[0]!++;
    return taken[numbers?.[i] ?? 0]!++;
  });
}

type Resolve = (made: Made, row: number) => unknown;

/** Follows a row to its value. The ends of definitions are kept, so a long chain is followed once. */
function resolver(left: Map<number, Made>): Resolve {
  const ends = new Map<Made, unknown[]>();
  return (first, firstRow) => {
    let made = first;
    let row = firstRow;
    const path: [Made, number][] = [];
    let value: unknown;
    for (;;) {
      if (made.values !== undefined) {
        value = made.values[row];
        break;
      }
      const { type, targets, data } = made.site;
      if (type.code === T.DEF || type.code === T.SHARED) {
        made = left.get(type.index)!;
        row = targets![row]!;
        const known = ends.get(made)?.[row];
        if (known !== undefined) {
          value = known;
          break;
        }
        if (made.values === undefined) path.push([made, row]);
        continue;
      }
      const next = made.index![row]!;
      if (next < 0) {
        value = null;
        break;
      }
      made = made.inside[type.code === T.UNION ? ((data as Int32Array | undefined)?.[row] ?? 0) : 0]!;
      row = next;
    }
    for (const [each, at] of path) {
      let known = ends.get(each);
      if (known === undefined) ends.set(each, (known = []));
      known[at] = value;
    }
    return value;
  };
}

/** Fills the rows of a site. The walk has noted which rows of the sites inside belong to them. */
function fill(made: Made, resolve: Resolve): void {
  const { site, inside, values } = made;
  const { type, n, children } = site;
  let at = 0;
  for (let row = 0; row < n; row++) {
    const value = values![row] as never;
    switch (type.code) {
      case T.LIST:
      case T.ARRAY:
        at = fillItems(made, resolve, value, row, at);
        break;
      case T.TUPLE:
        for (let i = 0; i < inside.length; i++) (value as unknown[]).push(resolve(inside[i]!, children![i]![row]!));
        break;
      case T.RECORD:
      case T.STRUCT: {
        const fields = (value as unknown) instanceof V.Record ? (value as V.Record).fields : value;
        const count = type.form === T.FORM_ALL ? inside.length : shapeOf(site, type, row).length;
        for (let i = 0; i < count; i++) {
          const field = type.form === T.FORM_ALL ? i : shapeOf(site, type, row)[i]!;
          setOwn(fields, type.fields[field]!.name, resolve(inside[field]!, children![field]![row]!));
        }
        break;
      }
      case T.MAP:
        at = fillEntries(made, resolve, value, row, at);
        break;
      case T.UNION: {
        const variant = site.data === undefined ? 0 : (site.data as Int32Array)[row]!;
        const inner = resolve(inside[variant]!, made.index![row]!);
        Object.assign(value, { name: type.variants[variant]!.name, value: inner });
        break;
      }
      case T.EXTENSION:
        Object.assign(value, { value: resolve(inside[0]!, row) });
        break;
      case T.LOGICAL: {
        const storage = inside[0]!;
        if ((value as unknown) instanceof V.Logical) Object.assign(value, { storage: resolve(storage, row) });
        // The storage may not be filled yet: the items are taken from its own sites.
        else if (type.kind === ORDERED_MAP) at = fillEntries(storage, resolve, value, row, at);
        else at = fillItems(storage, resolve, value, row, at);
        break;
      }
    }
  }
}

/** Adds the items of a row to an array or a set, and returns where those of the next row begin. */
function fillItems(list: Made, resolve: Resolve, into: unknown[] | Set<unknown>, row: number, start: number): number {
  const { type, data, children } = list.site;
  const count = type.code === T.ARRAY ? type.size : (data as Int32Array)[row]!;
  const items = rows(count, (i) => resolve(list.inside[0]!, children![0]![start + i]!));
  if (!(into instanceof Set)) for (const item of items) into.push(item);
  else if (fillSet(into, items) === undefined) throw notApart("members of a set");
  return start + count;
}

/** Makes the rows of a map, which are objects or Maps by their keys. */
function beginMaps({ site, inside, values }: Made, type: T.MapType, resolve: Resolve): void {
  const keyRows = site.children![0]!;
  let at = 0;
  for (let row = 0; row < site.n; row++) {
    const start = at;
    const keys = rows((site.data as Int32Array)[row]!, (i) => resolve(inside[0]!, keyRows[start + i]!));
    at += keys.length;
    values![row] = emptyMap(type, false, keys, 0, keys.length);
  }
}

function fillEntries(made: Made, resolve: Resolve, map: never, row: number, start: number): number {
  const { site, inside } = made;
  const [keySite, valueSite] = inside as [Made, Made];
  const [keyRows, valueRows] = site.children as [Int32Array, Int32Array];
  const count = (site.data as Int32Array)[row]!;
  const keys = rows(count, (i) => resolve(keySite, keyRows[start + i]!));
  const values = rows(count, (i) => resolve(valueSite, valueRows[start + i]!));
  if (fillMap(map, keys, values, 0, count) === undefined) throw notApart("keys of a map");
  return start + count;
}
