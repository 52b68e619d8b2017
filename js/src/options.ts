/** The options of readers. */

import type { Block } from "./block/read.js";
import type { Making, Values } from "./block/values.js";
import type { Decompress } from "./column/read/encoded.js";
import type { Class, Registration } from "./registry.js";
import type { Schema } from "./schema/types.js";
import type { Validator } from "./validate.js";
import type { CalendarDate, Duration, Extension, TimeOfDay, Timestamp } from "./values.js";
import type { Dictionary } from "./zstd/dictionary.js";

/** A schema that data are read into: `Schema` of `holdall/schema`. */
export interface ReaderSchema<V = unknown> {
  /**
   * The roots of a block of another schema.
   * @internal
   */
  roots(writer: Schema, block: Block, making: Making): Values;
  /** The type of values, which exists only for TypeScript. */
  readonly "~value"?: V;
}

/** The type of what is read: of the validator if there is one, else of the schema. */
export type ReadAs<O> = O extends { readonly validate: Validator<infer Out> }
  ? Out
  : O extends { readonly schema: ReaderSchema<infer V> }
    ? V
    : unknown;

/** Makes an object of Temporal of a time, or returns the time: `temporal()` of `holdall/temporal`. */
export type ReadTemporal = (value: CalendarDate | TimeOfDay | Timestamp | Duration | Extension) => unknown;

export interface ReadOptions {
  /** Units that the reader may spend, about bytes of memory. Default: 64 MiB, or 1,000 times the input's length if that is more. */
  budget?: number | undefined;
  /**
   * What integers become: `auto` (default) a number where it is safe and a bigint else; `bigint` always that; `number` always
   * that, and an integer beyond 2^53 is an error.
   */
  int?: "auto" | "number" | "bigint" | undefined;
  /** Times become objects of Temporal: `temporal()` of `holdall/temporal`. By default they are classes of this package. */
  temporal?: ReadTemporal | undefined;
  /** Classes with the options that `register` takes, for this reader alone. */
  types?: Iterable<readonly [Class, Registration]> | undefined;
  /** Schemas that messages may name by their fingerprints. */
  schemas?: Iterable<Schema> | undefined;
  /** Dictionaries that messages may be compressed with: `Dictionary` of `holdall/zstd`. */
  dictionaries?: Iterable<Dictionary> | undefined;
  /** The schema of this program: data of another version are read into its types. A `Schema` of `holdall/schema`. */
  schema?: ReaderSchema | undefined;
  /** A validator of standard-schema, which checks each value; what it refuses is `custom`. */
  validate?: Validator | undefined;
  /** The decompressor of `holdall/zstd`. `loads` of `holdall` has it already. */
  zstd?: Decompress | undefined;
}
