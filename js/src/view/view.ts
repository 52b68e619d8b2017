/** Values in memory, of which columns and rows are made when they are asked for. */

import { withPlace } from "../block/path.js";
import type { Block, Site } from "../block/read.js";
import { shapeOf } from "../block/shapes.js";
import type { Making, Values } from "../block/values.js";
import { HoldallError } from "../error.js";
import * as T from "../schema/types.js";
import { type Way, wayTo } from "./way.js";

/** A row whose fields are getters of its prototype. `JSON.stringify` writes it as an object. */
export type Row = { readonly [field: string]: unknown };

/** Rows, each made when it is touched. */
export interface Rows extends Iterable<Row> {
  readonly length: number;
  /** The row of a number, or undefined if there is none. */
  at(row: number): Row | undefined;
}

/** A block with its values: a message, or one block of a stream. */
export class Part {
  private prepared = false;
  private readonly made = new Map<Site, Values>();

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
   * column has one value for each item of the innermost list that it passes. It is a typed array if it has numbers alone, over
   * the buffer where the format stores them so. What is absent is null.
   */
  column(path: string): ArrayLike<unknown> {
    const ways = this.parts.map((part) => wayTo(part.schema.root, path, this.isStream));
    const { missing } = ways[0] ?? {};
    if (missing !== undefined && ways.every((way) => way.missing !== undefined)) throw missing;
    return joined(this.parts.map((part, i) => columnOf(part, ways[i]!)));
  }

  /** The items of a list, or the values of a stream. */
  get rows(): Rows {
    return joinedRows(this.parts.map((part) => partRows(part, this.isStream)));
  }
}

/** The values at the end of a way, or nulls where it has none. */
function columnOf(part: Part, way: Way): Values {
  let site = part.block.root;
  /** The row of each value at the current site, null where it is absent; undefined if they are the same. */
  let present: (number | null)[] | undefined;
  for (const step of way.steps) {
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
  if (!way.found) return Array.from({ length: present?.length ?? site.n }, () => null);
  const values = part.valuesOf(site);
  return present === undefined ? values : present.map((row) => (row === null ? null : values[row]));
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

type Numbers = Float64Array;

/** Columns one after the other: a typed array if all are. */
function joined(columns: Values[]): Values {
  const filled = columns.filter((column) => column.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  if (!filled.every((column) => ArrayBuffer.isView(column))) return filled.flatMap((column) => Array.from(column));
  const first = filled[0]!.constructor;
  // Integers of one block can take fewer bits than those of another.
  const isSame = filled.every((column) => column.constructor === first);
  const Kind = (isSame ? first : Float64Array) as new (length: number) => Numbers;
  const all = new Kind(filled.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of filled) {
    all.set(column as Numbers, at);
    at += column.length;
  }
  return all;
}

function partRows(part: Part, isStream: boolean): Rows {
  const { root } = part.block;
  let site: Site | undefined = root;
  if (!isStream) {
    if (root.type.code !== T.LIST) throw new HoldallError("unsupported", { path: "$", expected: "a list" });
    site = root.inside[0];
  }
  if (site === undefined || site.n === 0) return { length: 0, at: () => undefined, *[Symbol.iterator]() {} };
  const { n, type } = site;
  if ((type.code === T.RECORD || type.code === T.STRUCT) && type.form === T.FORM_ALL) {
    return lazyRows(
      type.fields.map((field) => field.name),
      (field) => part.valuesOf(site.inside[field]!),
      n,
    );
  }
  // Values of other types have no fields to make one by one.
  return {
    length: n,
    at: (row) => part.valuesOf(site)[row] as Row | undefined,
    *[Symbol.iterator]() {
      for (let row = 0; row < n; row++) yield part.valuesOf(site)[row] as Row;
    },
  };
}

/** Rows one after the other. */
function joinedRows(parts: readonly Rows[]): Rows {
  if (parts.length === 1) return parts[0]!;
  return {
    length: parts.reduce((sum, part) => sum + part.length, 0),
    at: (row) => {
      let left = row;
      for (const part of parts) {
        if (left < part.length) return part.at(left);
        left -= part.length;
      }
      return undefined;
    },
    *[Symbol.iterator]() {
      for (const part of parts) yield* part;
    },
  };
}

const ROW = Symbol("row");

function lazyRows(names: readonly string[], column: (field: number) => Values, n: number): Rows {
  const columns: (Values | undefined)[] = names.map(() => undefined);
  const prototype = {};
  const toJSON = (row: Row): object => Object.fromEntries(names.map((name) => [name, row[name]]));
  if (!names.includes("toJSON")) {
    Object.defineProperty(prototype, "toJSON", {
      value(this: Row): object {
        return toJSON(this);
      },
    });
  }
  names.forEach((name, field) => {
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get(this: { [ROW]: number }): unknown {
        return (columns[field] ??= column(field))[this[ROW]];
      },
    });
  });
  function LazyRow(this: { [ROW]: number }, row: number): void {
    this[ROW] = row;
  }
  LazyRow.prototype = prototype;
  const Made = LazyRow as unknown as new (row: number) => Row;
  return {
    length: n,
    at: (row) => (Number.isInteger(row) && row >= 0 && row < n ? new Made(row) : undefined),
    *[Symbol.iterator]() {
      for (let row = 0; row < n; row++) yield new Made(row);
    },
  };
}
