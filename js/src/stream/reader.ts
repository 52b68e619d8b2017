/** Reads the values of a stream, block by block (chapter 14). */

import { fault, HoldallError } from "../error.js";
import type { Input } from "../kernel/input.js";
import { wordAt } from "../kernel/numbers.js";
import { byFingerprint, fingerprint } from "../message/envelope.js";
import type { ReadAs, ReadOptions } from "../options.js";
import type { Schema } from "../schema/types.js";
import { moved, readRoots } from "./block.js";
import { metadataOfFrame, readContents, schemaOfFrame } from "./contents.js";
import * as F from "./frame.js";
import { chunksOf, Received, type StreamSource } from "./source.js";

export type { ReadableFile, StreamSource } from "./source.js";

/** A fault after which the reader continued. */
export interface Damage {
  readonly error: HoldallError;
}

export interface StreamOptions extends ReadOptions {
  /** The largest payload of a frame. Default: 2^31. */
  frameLimit?: number | undefined;
  /** Continues after faults, and calls this for each. Without it, the first fault is thrown. */
  onDamage?: ((damage: Damage) => void) | undefined;
}

/**
 * The values of a stream, in order: `for await (const value of new Reader(source))`. A value is returned only if its block
 * has no fault.
 */
export class Reader<O extends StreamOptions = StreamOptions> implements AsyncIterable<ReadAs<O>> {
  /** The stream's metadata, once its first frame was read. */
  metadata: [string, string][] | undefined = undefined;
  /** The schemas read so far. */
  readonly schemas: Schema[] = [];
  private readonly received: Received;
  private readonly given: Map<bigint, Schema>;
  private sync: Uint8Array = new Uint8Array(8);
  private due = 0;
  /** The length and roots of each frame, until a fault. */
  private index: [number, number][] | undefined = [];

  constructor(
    source: StreamSource,
    private readonly options: O = {} as O,
  ) {
    this.received = new Received(chunksOf(source));
    this.given = byFingerprint(options.schemas);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadAs<O>> {
    for await (const block of this.blocks()) for (let i = 0; i < block.length; i++) yield block[i] as ReadAs<O>;
  }

  /** The values, in arrays of one block each: fewer waits than value by value. */
  async *blocks(): AsyncGenerator<ArrayLike<ReadAs<O>>> {
    const { received } = this;
    try {
      await received.fill(F.PREAMBLE_SIZE);
      F.checkPreamble(received.bytes);
      this.sync = received.bytes.slice(8, F.PREAMBLE_SIZE);
      received.consume(F.PREAMBLE_SIZE);
      for (let ended = false; !ended; ) {
        const frame = await this.nextFrame();
        if (frame === undefined) return;
        ended = frame.kind === F.END && frame.sequence >= this.due;
        const roots = this.read(frame);
        received.consume(frame.end);
        if (roots !== undefined) yield roots as ArrayLike<ReadAs<O>>;
      }
      // A pipe's bytes after the end are not the stream's; bytes that are there already are checked.
      if (received.bytes.length > 0 || (await received.fill(1))) this.damage(fault("trailing_bytes", received.origin));
    } finally {
      await received.close();
    }
  }

  private damage(error: unknown): void {
    this.index = undefined;
    if (!(error instanceof HoldallError) || error.offset === undefined || this.options.onDamage === undefined)
      throw error;
    this.options.onDamage({ error });
  }

  /** The next frame without a fault of F-82, at the beginning of the received bytes; undefined after a fault without one. */
  private async nextFrame(): Promise<F.Frame | undefined> {
    const { received } = this;
    if (!(await received.fill(1))) {
      this.damage(fault("truncated", received.origin));
      return undefined;
    }
    try {
      return await this.frame();
    } catch (error) {
      this.damage(error);
    }
    // F-89: at the next offset at which a frame begins without such a fault.
    for (;;) {
      received.consume(1);
      if (!(await received.fill(F.HEAD_SIZE))) return undefined;
      const at = indexOf(received.bytes, this.sync);
      if (at !== 0) {
        received.consume(at < 0 ? received.bytes.length - 8 : at - 1);
        continue;
      }
      try {
        const frame = await this.frame();
        if (frame.sequence > this.due) this.due = frame.sequence;
        return frame;
      } catch (error) {
        if (!(error instanceof HoldallError)) throw error;
      }
    }
  }

  private async frame(): Promise<F.Frame> {
    const { received } = this;
    const limit = this.options.frameLimit ?? F.LARGEST_PAYLOAD;
    await received.fill(F.HEAD_SIZE);
    await received.fill(F.frameSize(received.bytes, 0, this.sync, limit, received.origin));
    return F.frameAt(received.bytes, 0, this.sync, limit, received.origin);
  }

  /** Reads the contents of a frame (F-84), and returns the roots of a block. */
  private read(frame: F.Frame): ArrayLike<unknown> | undefined {
    const { origin } = this.received;
    if (frame.sequence < this.due) {
      this.damage(fault("repeated_frame", origin + 15));
      return undefined;
    }
    let roots: ArrayLike<unknown> | undefined;
    try {
      if (frame.sequence > this.due) this.damage(fault("missing_frames", origin + 15));
      this.due = frame.sequence + 1;
      roots = this.contents(frame, origin);
      this.index?.push([(frame.end - frame.at) / 8, roots?.length ?? 0]);
    } catch (error) {
      this.damage(error);
    }
    return roots;
  }

  private contents(frame: F.Frame, origin: number): ArrayLike<unknown> | undefined {
    const { bytes } = this.received;
    const payload = bytes.subarray(frame.payload, frame.payloadEnd);
    switch (frame.kind) {
      case F.METADATA:
        this.metadata = metadataOfFrame(bytes, frame, origin);
        return undefined;
      case F.SCHEMA:
        this.schemas.push(schemaOfFrame(bytes, frame, origin));
        return undefined;
      case F.BLOCK: {
        const last = this.schemas[this.schemas.length - 1];
        const schema = last && fingerprint(last) === frame.schema ? last : this.given.get(frame.schema);
        if (schema === undefined) throw fault("unknown_fingerprint", origin + 20);
        return moved(origin + frame.payload, () => readRoots(payload, schema, this.options));
      }
      case F.STATISTICS:
      case F.END: {
        if (frame.schema !== 0n) throw fault("bad_frame", origin + 20);
        const { index } = this;
        if (index === undefined || frame.kind !== F.END) return undefined;
        readContents(bytes, frame, origin, (input) => checkIndex(input, frame.sequence, index, origin));
      }
    }
    return undefined;
  }
}

/** F-88. */
function checkIndex(input: Input, sequence: number, index: [number, number][], origin: number): void {
  let at = input.pos;
  if (input.varint() !== sequence) throw fault("bad_index", at);
  for (const [length, roots] of index) {
    at = input.pos;
    const stored = input.varint();
    if (input.varint() !== roots || stored !== length) throw fault("bad_index", at);
  }
  const start = input.take((12 - (input.pos % 8)) % 8);
  for (at = start; at < input.pos; at++) if (input.bytes[at] !== 0) throw fault("nonzero_padding", at);
  at = input.take(8);
  if (wordAt(input.bytes, at) + wordAt(input.bytes, at + 4) * 4294967296 !== origin) throw fault("bad_index", at);
}

/** Where a sync begins first, or -1. */
function indexOf(bytes: Uint8Array, sync: Uint8Array): number {
  for (let at = bytes.indexOf(sync[0]!); at >= 0 && at + 8 <= bytes.length; at = bytes.indexOf(sync[0]!, at + 1)) {
    let i = 1;
    while (i < 8 && bytes[at + i] === sync[i]) i++;
    if (i === 8) return at;
  }
  return -1;
}
