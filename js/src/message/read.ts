/** Messages to values. */

import { type Block, readBlock } from "../block/read.js";

import { planRow, type RowPlan, RowReader } from "../block/row.js";
import { Making, rootsOf, type Values } from "../block/values.js";

import { walk } from "../block/walk.js";
import { fault, HoldallError } from "../error.js";
import { asBytes, type Bytes, Input } from "../kernel/input.js";
import type { ReadAs, ReadOptions } from "../options.js";
import { KeptSchemas } from "../schema/kept.js";
import { readSchema } from "../schema/read.js";
import type { Schema } from "../schema/types.js";
import { validated } from "../validate.js";
import type { Dictionary } from "../zstd/dictionary.js";
import { byFingerprint, fingerprint, openContent, readHead, readSchemaOf } from "./envelope.js";
import { ALIGNED } from "./flags.js";

/** Larger messages are read as columns. */
const MOST_SMALL = 16_384;

/** Returns the value of a message. */
export function loads<O extends ReadOptions>(source: Bytes, options?: O): ReadAs<O> {
  return (options === undefined ? (plain ??= new Decoder()) : new Decoder(options)).loads(source) as ReadAs<O>;
}

/** The decoder of `loads` without options. */
let plain: Decoder | undefined;

/** Reads messages, and keeps the last of their schemas: the same schema is not read again. */
export class Decoder<O extends ReadOptions = ReadOptions> {
  private readonly known: Map<bigint, Schema>;
  private readonly dictionaries: readonly Dictionary[];
  private readonly kept = new KeptSchemas();
  /** How to read small messages of these schemas; undefined where their rows are read as columns. */
  private readonly plans = new WeakMap<Schema, RowPlan | undefined>();
  private readonly making: Making;

  constructor(private readonly options: O = {} as O) {
    this.known = byFingerprint(options.schemas);
    this.dictionaries = [...(options.dictionaries ?? [])];
    // Rows of a plan are of no class.
    this.making = new Making({ int: options.int, temporal: options.temporal });
  }

  /** Makes a schema known, so that messages can name it by its fingerprint. */
  add(schema: Schema): void {
    this.known.set(fingerprint(schema), schema);
  }

  /** Returns the value of a message. */
  loads(source: Bytes): ReadAs<O> {
    return this.read(source) as ReadAs<O>;
  }

  private read(source: Bytes): unknown {
    const bytes = asBytes(source);
    const { input, schema, whole } = this.toBlock(bytes);
    if (input.bytes.length <= MOST_SMALL && this.options.schema === undefined) {
      const { pos, budget } = input;
      try {
        const plan = this.planOf(schema);
        if (plan !== undefined) {
          input.decompress = this.options.zstd;
          const value = new RowReader(input, this.making).read(plan);
          input.finish(whole);
          return validated(value, this.options.validate);
        }
      } catch (error) {
        if (!(error instanceof HoldallError)) throw error;
        input.pos = pos;
        input.budget = budget;
      }
    }
    return finishBlock(input, schema, 1, whole, this.options)[0];
  }

  private planOf(schema: Schema): RowPlan | undefined {
    const plan = this.plans.get(schema);
    if (plan !== undefined || this.plans.has(schema)) return plan;
    const made = planRow(schema);
    this.plans.set(schema, made);
    return made;
  }

  /**
   * Reads the columns of a message, without values.
   * @internal
   */
  block(source: Bytes): { readonly schema: Schema; readonly block: Block } {
    const { input, schema, whole } = this.toBlock(asBytes(source));
    return { schema, block: readWhole(input, schema, 1, whole, this.options) };
  }

  /** The input at the block, its schema, and the length by which the block may have filler: none behind a dictionary. */
  private toBlock(bytes: Uint8Array): { input: Input; schema: Schema; whole: number } {
    let input = new Input(bytes, this.options.budget);
    const { flags, hasDictionary } = readHead(input);
    if (hasDictionary) input = openContent(input, this.dictionaries);
    const schema = readSchemaOf(input, flags, this.known, this.kept);
    input.aligned = (flags & ALIGNED) !== 0;
    input.skipPadding(64);
    return { input, schema, whole: hasDictionary ? 0 : bytes.length };
  }

  /** Returns the value of a bare body: a block without envelope and schema (F-12). */
  loadsBare(source: Bytes, schema: Schema): ReadAs<O> {
    const bytes = asBytes(source);
    const input = new Input(bytes, this.options.budget);
    return finishBlock(input, schema, 1, bytes.length, this.options)[0] as ReadAs<O>;
  }
}

/** A block that extends to the end of the input, with all checks but those of maps without definitions. */
function readWhole(input: Input, schema: Schema, roots: number, whole: number, options: ReadOptions): Block {
  input.decompress = options.zstd;
  const block = readBlock(input, schema, roots);
  input.finish(whole);
  block.checkUses();
  if (block.definitions.length > 0) walk(block, block.counts);
  return block;
}

/** The roots of a block that extends to the end of the input. */
function finishBlock(input: Input, schema: Schema, roots: number, whole: number, options: ReadOptions): Values {
  return rootsOf(readWhole(input, schema, roots, whole, options), schema, options);
}

/** Returns the schema of a message, without its value. */
export function schemaOf(source: Bytes, options: ReadOptions = {}): Schema {
  let input = new Input(asBytes(source), options.budget);
  const { flags, hasDictionary } = readHead(input);
  if (hasDictionary) input = openContent(input, options.dictionaries);
  return readSchemaOf(input, flags, byFingerprint(options.schemas));
}

/** Returns the metadata of a message in their order, or undefined if it has none. */
export function metadataOf(source: Bytes): [string, string][] | undefined {
  return readHead(new Input(asBytes(source)), false).metadata;
}

/** Reads a schema alone: its bytes, with the number of definitions (F-22). */
export function parseSchema(source: Bytes): Schema {
  const input = new Input(asBytes(source));
  const schema = readSchema(input, true, true);
  if (input.remaining > 0) throw fault("trailing_bytes", input.pos);
  return schema;
}

export { type Bytes, fingerprint };
