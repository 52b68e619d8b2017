/** Messages to values. */

import { readBlock } from "../block/read.js";
import { Making, type Values } from "../block/values.js";
import { walk } from "../block/walk.js";
import { fault } from "../error.js";
import { Input } from "../kernel/input.js";
import type { ReadOptions } from "../options.js";
import { readSchema } from "../schema/read.js";
import { schemaText } from "../schema/text.js";
import type { Schema } from "../schema/types.js";
import { byFingerprint, fingerprint, readHead, readSchemaOf } from "./envelope.js";

/** What holds bytes: a Uint8Array, a buffer, or a view of one. */
export type Bytes = Uint8Array | ArrayBufferLike | ArrayBufferView;

/** The bytes themselves, not a copy. */
export function asBytes(source: Bytes): Uint8Array {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return new Uint8Array(source);
}

/** Returns the value of a message. */
export function loads(source: Bytes, options: ReadOptions = {}): unknown {
  return new Decoder(options).loads(source);
}

/** Reads messages, and keeps their schemas: a schema that was read once is not read again. */
export class Decoder {
  private readonly known: Map<bigint, Schema>;

  constructor(private readonly options: ReadOptions = {}) {
    this.known = byFingerprint(options.schemas);
  }

  /** Makes a schema known, so that messages can name it by its fingerprint. */
  add(schema: Schema): void {
    this.known.set(fingerprint(schema), schema);
  }

  /** Returns the value of a message. */
  loads(source: Bytes): unknown {
    const bytes = asBytes(source);
    const input = new Input(bytes, this.options.budget);
    const head = readHead(input);
    const schema = readSchemaOf(input, head.flags, this.known);
    input.aligned = (head.flags & 4) !== 0;
    input.skipPadding(64);
    return finishBlock(input, schema, 1, bytes.length, this.options)[0];
  }

  /** Returns the value of a bare body: a block without envelope and schema (F-12). */
  loadsBare(source: Bytes, schema: Schema): unknown {
    const bytes = asBytes(source);
    return finishBlock(new Input(bytes, this.options.budget), schema, 1, bytes.length, this.options)[0];
  }
}

/** The roots of a block that extends to the end of the input. */
export function finishBlock(input: Input, schema: Schema, roots: number, whole: number, options: ReadOptions): Values {
  input.decompress = options.zstd;
  const block = readBlock(input, schema, roots);
  input.finish(whole);
  block.checkUses();
  if (block.definitions.length > 0) walk(block, block.counts);
  return new Making(options).roots(block);
}

/** Returns the schema of a message, without its value. */
export function schemaOf(source: Bytes, options: ReadOptions = {}): Schema {
  const input = new Input(asBytes(source));
  return readSchemaOf(input, readHead(input).flags, byFingerprint(options.schemas));
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

export { fingerprint, schemaText };
