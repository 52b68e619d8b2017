/** An open message: single columns, and rows that are made when they are touched. */

import type { Block, Site } from "./block/read.js";
import type { Making, Values } from "./block/values.js";
import { HoldallError } from "./error.js";
import { nameText } from "./schema/text.js";
import * as T from "./schema/types.js";

/** A row whose fields are getters of its prototype. `JSON.stringify` writes it as an object. */
export type Row = { readonly [field: string]: unknown };

/** The rows of a list of records. */
export interface Rows extends Iterable<Row> {
  readonly length: number;
  /** The row of a number, or undefined if there is none. */
  at(row: number): Row | undefined;
}

/** An open message. Its bytes must not change while it is used. */
export class View {
  private prepared = false;
  private readonly made = new Map<Site, Values>();

  constructor(
    readonly schema: T.Schema,
    private readonly block: Block,
    private readonly making: Making,
  ) {}

  /** The whole value. */
  get value(): unknown {
    return this.valuesOf(this.block.root)[0];
  }

  /**
   * The column of a path such as `a.b`: of a list of records, the field `b` of the field `a` of each. It is a typed array if it
   * has numbers alone, over the message's buffer where the format stores them so. An absent option is null.
   */
  column(path: string): Values {
    let site = this.items();
    /** The row of each value at the current site; undefined if they are the same. */
    let present: (number | null)[] | undefined;
    let at = "$[]";
    for (const name of path === "" ? [] : path.split(".")) {
      if (site.type.code === T.OPTION) {
        present = through(site, present);
        site = site.inside[0]!;
      }
      if (site.n === 0) return (present ?? []).map(() => null);
      const { type } = site;
      if ((type.code !== T.RECORD && type.code !== T.STRUCT) || type.form !== T.FORM_ALL) {
        throw new HoldallError("unsupported", {
          path: at,
          expected: "rows that all have the same fields",
          help: "read the whole value",
        });
      }
      const field = type.fields.findIndex((each) => each.name === name);
      if (field < 0) throw new HoldallError("missing_field", { path: at, expected: `a field ${nameText(name)}` });
      site = site.inside[field]!;
      at += `.${nameText(name)}`;
    }
    const values = this.valuesOf(site);
    return present === undefined ? values : present.map((row) => (row === null ? null : values[row]));
  }

  /** The rows of a list of records, each made when it is touched. */
  get rows(): Rows {
    const site = this.items();
    const { type } = site;
    if (site.n > 0 && ((type.code !== T.RECORD && type.code !== T.STRUCT) || type.form !== T.FORM_ALL)) {
      throw new HoldallError("unsupported", { path: "$[]", expected: "records that all have the same fields" });
    }
    const fields = site.n === 0 ? [] : (type as T.RecordType).fields;
    return lazyRows(
      fields.map((field) => field.name),
      (field) => this.valuesOf(site.inside[field]!),
      site.n,
    );
  }

  /** The site of the items of the root, which is a list. */
  private items(): Site {
    const { root } = this.block;
    if (root.type.code === T.LIST) return root.inside[0]!;
    throw new HoldallError("unsupported", { path: "$", expected: "a list" });
  }

  private valuesOf(site: Site): Values {
    if (!this.prepared) {
      this.prepared = true;
      this.making.prepare(this.block);
    }
    let values = this.made.get(site);
    if (values === undefined) this.made.set(site, (values = this.making.make(site)));
    return values;
  }
}

/** The rows inside an option, for each value outside. */
function through(site: Site, outer: (number | null)[] | undefined): (number | null)[] {
  const bits = site.data as Uint8Array;
  let next = 0;
  const inner = Array.from({ length: site.n }, (_, i) => (bits[i] === 1 ? next++ : null));
  return outer === undefined ? inner : outer.map((row) => (row === null ? null : inner[row]!));
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
