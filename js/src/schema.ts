/** Schemas of the reading program: data of another version are read into their types (chapter 13 of the format). */

import { duplicateKey } from "./block/keys.js";
import { inEntry } from "./block/path.js";
import type { Block, Site } from "./block/read.js";
import type { Making, Values } from "./block/values.js";
import { asBytes, type Bytes } from "./kernel/input.js";
import { fingerprint, parseSchema, schemaOf } from "./message/read.js";
import type { ReaderSchema, ReadOptions } from "./options.js";
import { readColumns } from "./resolution/columns.js";
import type { Changes, Pair } from "./resolution/pairs.js";
import { resolve } from "./resolution/resolve.js";
import { Rows } from "./resolution/rows.js";
import { SiteRows } from "./resolution/sites.js";
import { type Shape, schemaBytesOf } from "./schema/build.js";
import { schemaText } from "./schema/text.js";
import * as T from "./schema/types.js";

export type { Changes } from "./resolution/pairs.js";
export type { Fields, Shape, ValueOf, ValuesOf } from "./schema/build.js";
export * as s from "./schema/build.js";

/** The TypeScript type of what is read with a schema, or of the values of a shape. */
export type Infer<S> = S extends ReaderSchema<infer V> ? V : S extends Shape<infer V> ? V : never;

/** A schema that `loads`, `Decoder` and `Reader` take as the option `schema`. What was resolved for a writer's schema is kept. */
export class Schema<V = unknown> implements T.Schema, ReaderSchema<V> {
  declare readonly "~value"?: V;
  readonly root: T.Type;
  readonly definitions: readonly T.Type[];
  /** Its bytes with the number of definitions. */
  readonly bytes: Uint8Array;
  private readonly resolved = new WeakMap<T.Schema, Pair>();

  private constructor(
    schema: T.Schema,
    /** What the program says besides the schema. */
    readonly changes: Changes,
  ) {
    this.root = schema.root;
    this.definitions = schema.definitions;
    this.bytes = schema.bytes;
  }

  /** The schema of a message. */
  static of(message: Bytes, changes: Changes = {}, options: ReadOptions = {}): Schema {
    return new Schema(schemaOf(message, options), changes);
  }

  /** A schema alone: its bytes, with the number of definitions. */
  static fromBytes(bytes: Bytes, changes: Changes = {}): Schema {
    return new Schema(parseSchema(asBytes(bytes).slice()), changes);
  }

  /** A schema written by hand. */
  static from<V>(shape: Shape<V>, changes: Changes = {}): Schema<V> {
    return new Schema<V>(parseSchema(schemaBytesOf(shape)), changes);
  }

  /** The same schema with other changes. */
  with(changes: Changes): Schema<V> {
    return new Schema<V>(this, changes);
  }

  /** The schema as text (chapter 12). */
  get text(): string {
    return schemaText(this);
  }

  get fingerprint(): bigint {
    return fingerprint(this);
  }

  /** The error of data of a schema that cannot be read into this one, if there is one. */
  check(writer: T.Schema): void {
    this.pairOf(writer);
  }

  /**
   * The roots of a block.
   * @internal
   */
  roots(writer: T.Schema, block: Block, making: Making): Values {
    // With definitions, the walk has compared the keys.
    const isTree = block.definitions.length === 0;
    if (isTree) checkKeys(block.root);
    const pair = this.pairOf(writer);
    const columns = isTree ? readColumns(pair, block.root, making) : undefined;
    if (columns !== undefined) return columns;
    const sites = new SiteRows(block);
    // Roots share nothing.
    return Array.from({ length: block.root.n }, (_, row) =>
      new Rows(sites, making, this.changes).read(pair, block.root, row),
    );
  }

  private pairOf(writer: T.Schema): Pair {
    let pair = this.resolved.get(writer);
    if (pair === undefined) this.resolved.set(writer, (pair = resolve(writer, this, this.changes)));
    return pair;
  }
}

/** F-35, in what is left out too. Recurses on the nesting of the schema. */
function checkKeys(site: Site): void {
  for (const inside of site.inside) checkKeys(inside);
  if (site.type.code !== T.MAP || site.n === 0) return;
  const [keys] = site.inside as [Site];
  const lengths = site.data as ArrayLike<number>;
  for (let row = 0, at = 0; row < site.n; at += lengths[row++]!) {
    const start = at;
    const rowAt = (i: number): number => start + i;
    const error = duplicateKey(keys, lengths[row]!, rowAt);
    if (error !== undefined) throw inEntry(error, site, start);
  }
}
