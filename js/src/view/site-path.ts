/** Paths in a schema: the types from the root down to the column that a path names, and the schema of that column alone. */

import { hasColumns } from "../block/read.js";
import { HoldallError } from "../error.js";
import { nameText } from "../schema/text.js";
import * as T from "../schema/types.js";
import type { Entry } from "../stream/block.js";

/** Which type inside each type leads to the column, from the root on. */
export interface SitePath {
  readonly steps: readonly number[];
  /** Whether the schema has the column. If not, the steps lead to the type that would have it. */
  readonly found: boolean;
  /** The error of a field that the schema lacks. */
  readonly missing: HoldallError | undefined;
}

/**
 * The site path of a path such as `a.b`. Names pass through options, lists and arrays. Of a message the path begins at the items
 * of the root if it is a list, of a stream at its values.
 */
export function sitePathTo(root: T.Type, path: string, isStream: boolean): SitePath {
  const steps: number[] = [];
  let type = root;
  let at = isStream ? "$[]" : "$";
  const enter = (): boolean => {
    if (type.code !== T.OPTION && type.code !== T.LIST && type.code !== T.ARRAY) return false;
    if (type.code !== T.OPTION) at += "[]";
    type = type.item;
    steps.push(0);
    return true;
  };
  if (!isStream && type.code !== T.OPTION) enter();
  for (const name of path === "" ? [] : path.split(".")) {
    while (enter());
    // Rows of these types do not exist: an empty list, an option of which none is present.
    if (type.code === T.NEVER || type.code === T.NULL) return { steps, found: false, missing: undefined };
    if (type.code !== T.RECORD && type.code !== T.STRUCT) {
      throw new HoldallError("unsupported", {
        path: at,
        expected: `rows with a field ${nameText(name)}`,
        help: "read the whole value",
      });
    }
    const field = type.fields.findIndex((each) => each.name === name);
    if (field < 0) {
      const expected = `a field ${nameText(name)}`;
      return { steps, found: false, missing: new HoldallError("missing_field", { path: at, expected }) };
    }
    type = type.fields[field]!.type;
    steps.push(field);
    at += `.${nameText(name)}`;
  }
  return { steps, found: true, missing: undefined };
}

/** The schema of the columns on a path and of those at its end. */
export interface OneColumn {
  readonly schema: T.Schema;
  /** The entries of these columns, in their order. */
  readonly entries: readonly Entry[];
  /** Where columns begin that do not follow those before them. */
  readonly jumps: ReadonlyMap<T.Type, number>;
}

const NOTHING: T.Type = { code: T.NULL };

/**
 * Replaces by null, which has no columns, whatever the column does not need. Without a directory the types before it stay:
 * only by reading them it is known where they end. Undefined if the column has references, which need the whole block.
 */
export function oneColumn(schema: T.Schema, sitePath: SitePath, directory: readonly Entry[]): OneColumn | undefined {
  const jumps = new Map<T.Type, number>();
  const entries: Entry[] = [];
  let next = 0;
  let refers = false;
  /** Keeps the next columns, and returns where they begin. */
  const keep = (count: number): number | undefined => {
    const kept = directory.slice(next, next + count);
    next += count;
    entries.push(...kept);
    return kept[0]?.at;
  };
  const prune = (type: T.Type, level: number): T.Type => {
    const isLast = level === sitePath.steps.length;
    if (isLast && !sitePath.found) return NOTHING;
    const start = keep(isLast ? countColumns(type) : hasColumns(type) ? 1 : 0);
    if (isLast && hasReferences(type)) refers = true;
    const step = sitePath.steps[level]!;
    const inside = (isLast ? [] : T.typesInside(type)).map((each, i) => {
      if (i === step) return prune(each, level + 1);
      if (i > step) return NOTHING;
      if (directory.length === 0) {
        if (hasReferences(each)) refers = true;
        return each;
      }
      next += countColumns(each);
      return NOTHING;
    });
    const pruned = isLast ? { ...type } : withInside(type, inside);
    if (start !== undefined) jumps.set(pruned, start);
    return pruned;
  };
  const root = prune(schema.root, 0);
  if (refers) return undefined;
  // The numbers of their rows precede the columns.
  const definitions = schema.definitions.map(() => NOTHING);
  return { schema: { root, definitions, bytes: schema.bytes }, entries, jumps };
}

/** A type on a path with others inside it. */
function withInside(type: T.Type, inside: readonly T.Type[]): T.Type {
  if (type.code !== T.RECORD && type.code !== T.STRUCT) return { ...type, item: inside[0] } as T.Type;
  return { ...type, fields: type.fields.map(({ name }, i) => ({ name, type: inside[i]! })) };
}

/** How many entries a directory has for a type and those inside it (F-86). */
export function countColumns(type: T.Type): number {
  let count = hasColumns(type) ? 1 : 0;
  if (type.code !== T.TENSOR && type.code !== T.PACKED) {
    for (const inside of T.typesInside(type)) count += countColumns(inside);
  }
  return count;
}

function hasReferences(type: T.Type): boolean {
  return type.code === T.DEF || type.code === T.SHARED || T.typesInside(type).some(hasReferences);
}
