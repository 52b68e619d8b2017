/** Values in memory, of which columns and rows are made when they are asked for. */

import { withPlace } from "../block/path.js";
import type { Block, Site } from "../block/read.js";
import { shapeOf } from "../block/shapes.js";
import type { Making, Values } from "../block/values.js";
import * as T from "../schema/types.js";
import { joined, numbersOf } from "./numbers.js";
import { joinedRows, type Rows, rowsOf } from "./rows.js";
import { type SitePath, sitePathTo } from "./site-path.js";

/** A block with its values: a message, or one block of a stream. */
export class Part {
  private prepared = false;
  private readonly made = new Map<Site, Values>();
  private readonly columns = new Map<Site, ArrayLike<unknown>>();

  constructor(
    readonly schema: T.Schema,
    readonly block: Block,
    private readonly making: Making,
  ) {}

  valuesOf(site: Site): Values {
    let values = this.made.get(site);
    if (values !== undefined) return values;
    try {
      if (!this.prepared) this.making.prepare(this.block);
      this.prepared = true;
      values = this.making.make(site);
    } catch (error) {
      throw withPlace(error, this.block);
    }
    this.made.set(site, values);
    return values;
  }

  /** The same in a typed array if they are numbers alone. */
  columnOf(site: Site): ArrayLike<unknown> {
    let column = this.columns.get(site);
    if (column === undefined) {
      column = numbersOf(site, this.making.ints) ?? this.valuesOf(site);
      this.columns.set(site, column);
    }
    return column;
  }
}

/** An open message or stream. Its bytes must not change while it is used. */
export class View {
  /** @internal */
  constructor(
    private readonly parts: readonly Part[],
    private readonly isStream: boolean,
    /** The metadata in their order, or undefined if there are none. */
    readonly metadata: readonly (readonly [string, string])[] | undefined,
  ) {}

  /** The schema; of a stream that of its first block, or undefined if it has none. */
  get schema(): T.Schema | undefined {
    return this.parts[0]?.schema;
  }

  /** The whole value; of a stream all its values, in an array. */
  get value(): unknown {
    const roots = this.parts.flatMap((part) => Array.from(part.valuesOf(part.block.root)));
    return this.isStream ? roots : roots[0];
  }

  /**
   * The column of a path such as `a.b`: the field `b` of the field `a` of each row. Names pass through lists and options; a
   * column has one value for each item of the innermost list that it passes. What is absent is null. It is a typed array if it
   * has numbers alone: of the kind that the schema says, else of one that holds them; with `int: "bigint"` a BigInt64Array. It
   * is over the buffer where the data have the numbers as the array has them, and aligned in memory; else it is a copy.
   */
  column(path: string): ArrayLike<unknown> {
    const sitePaths = this.parts.map((part) => sitePathTo(part.schema.root, path, this.isStream));
    const { missing } = sitePaths[0] ?? {};
    if (missing !== undefined && sitePaths.every((sitePath) => sitePath.missing !== undefined)) throw missing;
    return joined(this.parts.map((part, i) => columnOf(part, sitePaths[i]!)));
  }

  /** The items of a list, or the values of a stream. */
  get rows(): Rows {
    return joinedRows(this.parts.map((part) => rowsOf(part, this.isStream)));
  }
}

/** The values at the end of a path, or nulls where it has none. */
function columnOf(part: Part, sitePath: SitePath): ArrayLike<unknown> {
  let site = part.block.root;
  /** The row of each value at the current site, null where it is absent; undefined if they are the same. */
  let present: (number | null)[] | undefined;
  for (const step of sitePath.steps) {
    // No site is inside one without rows.
    if (site.n === 0) return (present ?? []).map(() => null);
    const { type, data } = site;
    if (type.code === T.OPTION) present = through(present, site.n, (row) => (data as Uint8Array)[row] === 1);
    else if (type.code === T.LIST || type.code === T.ARRAY) present = undefined;
    else if (type.code === T.RECORD || type.code === T.STRUCT) {
      if (type.form !== T.FORM_ALL) {
        const { n } = site;
        const has = (row: number): boolean => Array.prototype.includes.call(shapeOf(site, type, row), step);
        present = through(present, n, has);
      }
    }
    site = site.inside[step]!;
  }
  if (!sitePath.found) return Array.from({ length: present?.length ?? site.n }, () => null);
  if (present === undefined) return part.columnOf(site);
  const values = part.valuesOf(site);
  return present.map((row) => (row === null ? null : values[row]));
}

/** The rows inside a site, of which not every row has one, for each value outside. */
function through(
  outer: (number | null)[] | undefined,
  n: number,
  has: (row: number) => boolean,
): (number | null)[] | undefined {
  let next = 0;
  const inner = Array.from({ length: n }, (_, row) => (has(row) ? next++ : null));
  if (next === n) return outer;
  return outer === undefined ? inner : outer.map((row) => (row === null ? null : inner[row]!));
}
