/** Writing streams (chapter 14): any number of values in blocks, of which each has one schema. */

import { isAligned, writeBlock } from "../block/write.js";
import { check, type Profile, shredOptions, type ValueOptions } from "../encoder.js";
import { Shredder, type ShredOptions } from "../infer/shredder.js";
import { Output } from "../kernel/output.js";
import { xxh3 } from "../kernel/xxh3.js";
import { fillerSize, schemaBytes, writeMetadata } from "../message/write.js";
import { writeSchema } from "../schema/write.js";
import { BLOCK, METADATA, SCHEMA } from "./frame.js";
import { FrameWriter } from "./frames.js";
import { type Sink, sinkOf } from "./sink.js";

/** F-90: a schema is written again after as many blocks, so that one lost frame does not cost all values. */
const SCHEMA_INTERVAL = 64;
/** F-86: a directory is written if the block has this many bytes for each entry. */
const BYTES_PER_ENTRY = 64;

/** The options of a `Writer`. */
export interface WriteOptions extends ValueOptions {
  readonly profile?: Profile;
  readonly metadata?: Readonly<{ [key: string]: string }> | Iterable<readonly [string, string]>;
  /** The most values of a block; 1,000 by default. */
  readonly blockRows?: number;
  /** 8 bytes before each frame, random by default. No value may contain them. */
  readonly sync?: Uint8Array;
}

/**
 * Writes values to a `WritableStream`, a Node stream, a file handle or an array of chunks. A value is packed when `write`
 * is called; it is in the sink when its block is full, or after `flush` or `close`.
 */
export class Writer {
  private readonly sink: Sink;
  private readonly frames: FrameWriter;
  private readonly options: ShredOptions;
  private readonly balanced: boolean;
  private readonly blockRows: number;
  private shredder: Shredder;
  private schema: Uint8Array | undefined;
  private fingerprint = 0n;
  private blocks = 0;
  /** What is still to go to the sink, in order. */
  private pending: Promise<void>;
  private isClosed = false;

  constructor(target: unknown, options: WriteOptions = {}) {
    const { profile = "balanced", metadata, blockRows = 1000, sync } = options;
    check("profile", profile, "fast", "balanced", "small");
    if (!(blockRows >= 1)) throw new TypeError(`blockRows must be 1 or more, not ${blockRows}`);
    this.sink = sinkOf(target);
    this.frames = new FrameWriter(sync ?? crypto.getRandomValues(new Uint8Array(8)));
    this.options = { ...shredOptions(options), copies: true };
    this.balanced = profile !== "fast";
    this.blockRows = blockRows;
    this.shredder = new Shredder(this.options);
    this.pending = this.sink.write(this.frames.preamble());
    if (metadata === undefined) return;
    const out = new Output(64);
    writeMetadata(out, Symbol.iterator in metadata ? [...metadata] : Object.entries(metadata));
    this.emit(this.frames.frame(METADATA, out.bytes.subarray(0, out.length)));
  }

  /** Packs a value. A value that cannot be written is an error, and is not in the stream; you can go on. */
  async write(value: unknown): Promise<void> {
    if (this.isClosed) throw new TypeError("the writer is closed");
    // A value that fails must leave nothing in the block, neither rows nor types: it fails here.
    new Shredder({ ...this.options, copies: false }).take(value);
    this.shredder.take(value);
    if (this.shredder.roots >= this.blockRows) await this.flush();
  }

  /** Writes the block of all values so far. */
  async flush(): Promise<void> {
    if (this.shredder.roots > 0) this.block();
    await this.pending;
  }

  /** Writes the last block and the end with its index, and closes the sink. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.shredder.roots > 0) this.block();
    this.emit(this.frames.end());
    await this.pending;
    await this.sink.close();
  }

  private emit(bytes: Uint8Array): void {
    this.pending = this.pending.then(() => this.sink.write(bytes));
  }

  private block(): void {
    const { shredder } = this;
    this.shredder = new Shredder(this.options);
    const { root } = shredder.types;
    const schema = writeSchema(root);
    const bytes = schemaBytes(schema);
    if (this.blocks % SCHEMA_INTERVAL === 0 || !isEqual(bytes, this.schema!)) {
      this.schema = bytes;
      this.fingerprint = xxh3(bytes);
      this.emit(this.frames.frame(SCHEMA, bytes, this.fingerprint));
      this.blocks = 0;
    }
    this.blocks++;
    const aligned = isAligned(root);
    const columns = new Output(1024);
    // In a block, offsets count from its first byte (F-85).
    if (aligned) columns.alignedFrom = 0;
    const sizes: number[] = [];
    writeBlock(columns, root, schema, this.balanced, sizes);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const directory = sizes.length > 0 && total >= BYTES_PER_ENTRY * sizes.length;
    const out = new Output(columns.length + 64);
    out.varint(4 * shredder.roots + (directory ? 2 : 0) + (aligned ? 1 : 0));
    if (directory) for (const size of sizes) out.varint(size);
    if (aligned) out.pad(8);
    out.write(columns.bytes.subarray(0, columns.length));
    out.zeros(fillerSize(columns, out.length));
    this.emit(this.frames.frame(BLOCK, out.bytes.subarray(0, out.length), this.fingerprint, shredder.roots));
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
