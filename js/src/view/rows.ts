/** Rows whose fields are made when they are touched. */

import type { Site } from "../block/read.js";
import type { Values } from "../block/values.js";
import { HoldallError } from "../error.js";
import * as T from "../schema/types.js";
import type { Part } from "./view.js";

/** A row whose fields are getters of its prototype. `JSON.stringify` writes it as an object. */
export type Row = { readonly [field: string]: unknown };

/** Rows, each made when it is touched. */
export interface Rows extends Iterable<Row> {
  readonly length: number;
  /** The row of a number, or undefined if there is none. */
  at(row: number): Row | undefined;
}

/** The items of the list of a message, or the roots of a block of a stream. */
export function rowsOf(part: Part, isStream: boolean): Rows {
  const { root } = part.block;
  let site: Site | undefined = root;
  if (!isStream) {
    if (root.type.code !== T.LIST && root.type.code !== T.ARRAY) {
      // A definition, a tuple or a union has its items elsewhere, or of several types.
      const value = part.valuesOf(root)[0];
      if (!Array.isArray(value)) throw new HoldallError("unsupported", { path: "$", expected: "a list" });
      return rows(value.length, (row) => value[row]);
    }
    site = root.inside[0];
  }
  if (site === undefined || site.n === 0) return rows(0, () => undefined as never);
  const { type } = site;
  if ((type.code === T.RECORD || type.code === T.STRUCT) && type.form !== T.FORM_SPARSE) {
    return lazyRows(part, site, type);
  }
  // Values of other types have no fields to make one by one, and rows that are sparse can each have fields of their own.
  return rows(site.n, (row) => part.valuesOf(site)[row] as Row);
}

function rows(n: number, make: (row: number) => Row): Rows {
  return {
    length: n,
    at: (row) => (Number.isInteger(row) && row >= 0 && row < n ? make(row) : undefined),
    *[Symbol.iterator]() {
      for (let row = 0; row < n; row++) yield make(row);
    },
  };
}

/** Rows one after the other. */
export function joinedRows(parts: readonly Rows[]): Rows {
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

/** A class of rows with the same fields. */
type RowClass = new (row: number) => Row;

function lazyRows(part: Part, site: Site, type: T.RecordType): Rows {
  const columns: Values[] = [];
  const column = (field: number): Values => (columns[field] ??= part.valuesOf(site.inside[field]!));
  if (type.form === T.FORM_ALL) {
    const Made = rowClass(type, [...type.fields.keys()], (field, row) => column(field)[row]);
    return rows(site.n, (row) => new Made(row));
  }
  const shapes = site.data as Int32Array;
  const places: Int32Array[] = [];
  const get = (field: number, row: number): unknown => {
    places[field] ??= fieldPositions(type, shapes, field);
    return column(field)[places[field]![row]!];
  };
  const classes = type.shapes.map((fields) => rowClass(type, fields, get));
  return rows(site.n, (row) => new classes[shapes[row]!]!(row));
}

/** Where the column of a field has the value of each row, as far as rows have the field. */
function fieldPositions(type: T.RecordType, shapes: Int32Array, field: number): Int32Array {
  const has = type.shapes.map((fields) => fields.includes(field));
  let next = 0;
  return shapes.map((shape) => (has[shape] ? next++ : next));
}

function rowClass(
  type: T.RecordType,
  fields: readonly number[],
  get: (field: number, row: number) => unknown,
): RowClass {
  const names = fields.map((field) => type.fields[field]!.name);
  const prototype = {};
  if (!names.includes("toJSON")) {
    Object.defineProperty(prototype, "toJSON", {
      value(this: Row): object {
        return Object.fromEntries(names.map((name) => [name, this[name]]));
      },
    });
  }
  fields.forEach((field, i) => {
    Object.defineProperty(prototype, names[i]!, {
      enumerable: true,
      get(this: { [ROW]: number }): unknown {
        return get(field, this[ROW]);
      },
    });
  });
  function LazyRow(this: { [ROW]: number }, row: number): void {
    this[ROW] = row;
  }
  LazyRow.prototype = prototype;
  return LazyRow as unknown as RowClass;
}
