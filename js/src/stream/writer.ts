/** Writing streams (chapter 14): any number of values in blocks, of which each has one schema. */

import { isAligned, writeBlock } from "../block/write.js";
import { check, type Profile, shredOptions, type ValueOptions } from "../encoder.js";
import { isPlain } from "../infer/plain.js";
import { Shredder, type ShredOptions } from "../infer/shredder.js";
import { sizeOf } from "../infer/size.js";
import { Output } from "../kernel/output.js";
import { xxh3 } from "../kernel/xxh3.js";
import { fillerSize, schemaBytes, writeMetadata } from "../message/write.js";
import { writeSchema } from "../schema/write.js";
import { type AppendedFile, Continued, continueIn } from "./append.js";
import { BLOCK, METADATA, SCHEMA } from "./frame.js";
import { FrameWriter } from "./frames.js";
import { type Sink, sinkOf } from "./sink.js";

/** F-90: a schema is written again after as many blocks, so that one lost frame does not cost all values. */
const SCHEMA_INTERVAL = 64;
/** F-86: a directory is written if the block has this many bytes for each entry. */
const BYTES_PER_ENTRY = 64;

/** The size of a block is computed after as many values at the latest. */
const MOST_UNSEEN = 1000;

/** Values that are checked in place nest no deeper. */
const LEAST_DEPTH = 256;

/** The options of a `Writer`. */
export interface WriteOptions extends ValueOptions {
  readonly profile?: Profile;
  readonly metadata?: Readonly<{ [key: string]: string }> | Iterable<readonly [string, string]>;
  /** A block is written when its values take that many bytes before encoding; 1 MiB by default. */
  readonly blockBytes?: number;
  /** The most values of a block; by default as many as `blockBytes` permits. */
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
  private readonly blockBytes: number;
  private readonly blockRows: number;
  /** At how many values the size of the block is computed next. */
  private nextLook = 1;
  private shredder: Shredder;
  private schema: Uint8Array | undefined = undefined;
  private fingerprint = 0n;
  private blocks = 0;
  /** What is still to go to the sink, in order. */
  private pending: Promise<void>;
  private isClosed = false;

  constructor(target: unknown, options: WriteOptions = {}) {
    const {
      profile = "balanced",
      metadata,
      blockBytes = 2 ** 20,
      blockRows = Number.POSITIVE_INFINITY,
      sync,
    } = options;
    check("profile", profile, "fast", "balanced", "small");
    if (!(blockBytes >= 1)) throw new TypeError(`blockBytes must be 1 or more, not ${blockBytes}`);
    if (!(blockRows >= 1)) throw new TypeError(`blockRows must be 1 or more, not ${blockRows}`);
    const before = target instanceof Continued ? target : undefined;
    this.sink = before?.sink ?? sinkOf(target);
    this.frames = before?.frames ?? new FrameWriter(sync ?? crypto.getRandomValues(new Uint8Array(8)));
    this.options = { ...shredOptions(options), copies: true };
    this.balanced = profile !== "fast";
    this.blockBytes = blockBytes;
    this.blockRows = blockRows;
    this.shredder = new Shredder(this.options);
    this.pending = Promise.resolve();
    if (before !== undefined) return;
    this.emit(this.frames.preamble());
    if (metadata === undefined) return;
    const out = new Output(64);
    writeMetadata(out, Symbol.iterator in metadata ? [...metadata] : Object.entries(metadata));
    this.emit(this.frames.frame(METADATA, out.bytes.subarray(0, out.length)));
  }

  /**
   * Continues the stream in a file that was opened with the flag `r+`, or begins one if it is empty; then the options `metadata`
   * and `sync` apply. It checks the index, or the heads of all frames if there is none, and the last frame; it cuts off the end,
   * or the beginning of a frame that a dead writer left. No lock keeps others from the file.
   */
  static async append(file: AppendedFile, options: WriteOptions = {}): Promise<Writer> {
    const continued = await continueIn(file);
    return new Writer(continued ?? file, options);
  }

  /** Packs a value. A value that cannot be written is an error, and is not in the stream; you can go on. */
  async write(value: unknown): Promise<void> {
    if (this.isClosed) throw new TypeError("the writer is closed");
    // A value that fails must leave nothing in the block, neither rows nor types: it fails here. Most values cannot.
    if (this.options.depth < LEAST_DEPTH || !isPlain(value)) {
      const trial = new Shredder({ ...this.options, copies: false });
      trial.take(value);
      // Objects of a class can have more fields in a block than in each value.
      if (!this.shredder.types.hasRoomFor(trial.types)) this.block();
      trial.types.root.release();
    }
    this.shredder.take(value);
    if (this.isFull()) await this.flush();
  }

  private isFull(): boolean {
    const { roots, types } = this.shredder;
    if (roots >= this.blockRows) return true;
    if (roots < this.nextLook) return false;
    // Each value counts as a byte at least.
    const size = Math.max(sizeOf(types), roots);
    const room = Math.max(0, this.blockBytes - size) / (size / roots);
    this.nextLook = roots + Math.min(Math.max(1, Math.floor(room / 2)), MOST_UNSEEN);
    return size >= this.blockBytes;
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
    this.nextLook = 1;
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
    root.release();
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
