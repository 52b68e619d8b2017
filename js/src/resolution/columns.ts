/**
 * Columns of a writer's types as columns of the reader's, where every row is read alike and none can fail: 100,000 records
 * take a sixth of the time. Anything else is read row by row, which finds the place of an error. It calls no code of the program.
 */

import { listsOf, optionsOf, plainOf, type Values } from "../block/lists.js";
import { makeObjects, Shape } from "../block/objects.js";
import type { Site } from "../block/read.js";
import { type Making, rows } from "../block/values.js";
import { HoldallError } from "../error.js";
import { ORDERED_MAP } from "../schema/logical.js";
import * as T from "../schema/types.js";
import type { Integer } from "../values.js";
import { inRange } from "./numbers.js";
import type { Pair } from "./pairs.js";

/** The values of a site without definitions inside; undefined if they are read row by row. */
export function readColumns(pair: Pair, site: Site, making: Making): Values | undefined {
  try {
    return columnOf(pair, site, making);
  } catch (error) {
    // A value that JavaScript or an option does not hold.
    if (error instanceof HoldallError) return undefined;
    throw error;
  }
}

/** Recurses on the nesting of the schema. */
function columnOf(pair: Pair, site: Site, making: Making): Values | undefined {
  const { n, type: w, data, unknown } = site;
  const { type: r } = pair.reader;
  if (n === 0) return [];
  if (pair.failed || unknown || w.code === T.PACKED) return undefined;
  switch (pair.line) {
    case "onward":
      return columnOf(pair.child, site, making);
    case "null":
      return rows(n, () => null);
    case "same":
      return w.code === T.BOOL || w.code === T.STRING ? making.make(site) : undefined;
    case "bytes":
      return w.code === T.BYTES && r.code === T.BYTES ? making.make(site) : undefined;
    case "integers": {
      const numbers = data as ArrayLike<Integer>;
      if (r.code !== T.INT) for (let i = 0; i < n; i++) if (!inRange(numbers[i]!, r.code)) return undefined;
      return making.make(site);
    }
    case "floats":
      return w.code >= T.F32 && (r.code === w.code || r.code === T.F64) ? (data as Float64Array) : undefined;
    case "options": {
      const items = columnOf(pair.child, site.inside[0]!, making);
      return items && optionsOf(n, data as Uint8Array, plainOf(items));
    }
    case "items": {
      if (w.code !== T.LIST || r.code !== T.LIST || pair.children.length !== 1) return undefined;
      const items = columnOf(pair.child, site.inside[0]!, making);
      return items && listsOf(n, items, data as Int32Array);
    }
    case "logicals": {
      const [up, down] = pair.scale;
      if (r.code !== T.LOGICAL || r.kind === ORDERED_MAP || up !== down) return undefined;
      const storage = columnOf(pair.child, site.inside[0]!, making);
      return storage && rows(n, (i) => making.logical(r, storage[i]));
    }
    case "fields":
      return recordsOf(pair, site, making);
  }
  return undefined;
}

/** F-79, of records that all have the same fields. */
function recordsOf(pair: Pair, site: Site, making: Making): Values | undefined {
  const { n, type: w } = site;
  const r = pair.reader.type as T.RecordType;
  if ((w.code !== T.RECORD && w.code !== T.STRUCT) || w.form !== T.FORM_ALL || r.form !== T.FORM_ALL) return undefined;
  if (r.code === T.STRUCT && making.classOf(r.name)?.registration.decode !== undefined) return undefined;
  const columns: unknown[][] = [];
  for (const { sources, fallback } of pair.fields) {
    const [source] = sources;
    let column: Values | undefined;
    if (source !== undefined) {
      column = columnOf(source[1], site.inside[w.fields.findIndex((each) => each.name === source[0])]!, making);
    } else if (fallback !== undefined && typeof fallback.value !== "function") {
      const { value } = fallback;
      column = rows(n, () => value);
    }
    if (column === undefined) return undefined;
    columns.push(plainOf(column));
  }
  const shape = new Shape(
    pair.fields.map(({ name }) => name),
    columns.map((_, i) => i),
  );
  const objects = makeObjects([shape], undefined, columns, n);
  return r.code === T.STRUCT ? objects.map((fields) => making.struct(r.name, fields)) : objects;
}
