/** Opens messages and streams: those in memory whole, those of a source by the parts that are asked for. */

import { readBlock, type Starts } from "../block/read.js";
import { Making } from "../block/values.js";
import { fault, HoldallError } from "../error.js";
import { asBytes, type Bytes, Input, LEAST_BUDGET, UNITS_PER_BYTE } from "../kernel/input.js";
import { byFingerprint, readHead, readSchemaOf } from "../message/envelope.js";
import { ALIGNED, DICTIONARY, EXTENDED, MAGIC } from "../message/flags.js";
import { Decoder, schemaOf } from "../message/read.js";
import type { ReadOptions } from "../options.js";
import type { Schema } from "../schema/types.js";
import {
  type BlockHead,
  blockInput,
  checkDirectory,
  moved,
  readHead as readBlockHead,
  readPayload,
} from "../stream/block.js";
import { metadataOfFrame, schemaOfFrame } from "../stream/contents.js";
import * as F from "../stream/frame.js";
import { type IndexedFrame, indexedFrames } from "./frame-index.js";
import type { Row, Rows } from "./rows.js";
import { countColumns, oneColumn, sitePathTo } from "./site-path.js";
import { gapOf, HEAD, joinedBytes, readRanges, type Source, sliceOf } from "./source.js";
import { Part, View } from "./view.js";

/** Texts beside the values, in their order. */
export type Metadata = readonly (readonly [string, string])[] | undefined;

/** A message or stream of which parts are read when they are asked for. */
export interface SourceView {
  /** The metadata in their order, or undefined if there are none. */
  readonly metadata: Metadata;
  /** The number of values of a stream; undefined for a message. */
  readonly length: number | undefined;
  /** The schema of a message, or of the first block of a stream if the beginning has it. */
  readonly schema: Schema | undefined;
  /** The column of a path, as `View.column` has it. */
  column(path: string): Promise<ArrayLike<unknown>>;
  /** The items of a list, or the values of a stream, from `start` up to but without `end`. */
  rows(start?: number, end?: number): Promise<Rows>;
  /** Everything. */
  whole(): Promise<View>;
}

/** Opens bytes at once, and a source without reading more than its beginning and the index at its end. */
export function open(source: Bytes, options?: ReadOptions): View;
export function open(source: Source, options?: ReadOptions): Promise<SourceView>;
export function open(source: Bytes | Source, options: ReadOptions = {}): View | Promise<SourceView> {
  for (const option of ["schema", "validate"] as const) {
    if (options[option] === undefined) continue;
    throw new HoldallError("unsupported", { got: `open with the option ${option}`, help: "use loads" });
  }
  const isBytes = source instanceof ArrayBuffer || ArrayBuffer.isView(source) || isShared(source);
  return isBytes ? openBytes(asBytes(source as Bytes), options) : openSource(source as Source, options);
}

/** Pages without isolation have no SharedArrayBuffer. */
function isShared(source: unknown): boolean {
  return typeof SharedArrayBuffer === "function" && source instanceof SharedArrayBuffer;
}

function isStreamHead(bytes: Uint8Array): boolean {
  return bytes[0] === MAGIC && bytes[1] === F.PREAMBLE[1];
}

function openBytes(bytes: Uint8Array, options: ReadOptions): View {
  if (isStreamHead(bytes)) return new StreamFile(undefined, bytes, options).openWhole();
  const { schema, block } = new Decoder(options).block(bytes);
  const { metadata } = readHead(new Input(bytes), false);
  return new View([new Part(schema, block, new Making(options))], false, metadata);
}

async function openSource(source: Source, options: ReadOptions): Promise<SourceView> {
  const head = await sliceOf(source, 0, Math.min(HEAD, source.byteLength));
  if (!isStreamHead(head)) return openMessage(source, head, options);
  const stream = new StreamFile(source, head, options);
  await stream.findFrames();
  return stream;
}

/** Part of the rows. */
function sliced(rows: Rows, start: number, end: number): Rows {
  const length = Math.max(0, Math.min(end, rows.length) - start);
  const at = (row: number): Row | undefined => (row >= 0 && row < length ? rows.at(start + row) : undefined);
  return {
    length,
    at,
    *[Symbol.iterator]() {
      for (let row = 0; row < length; row++) yield at(row)!;
    },
  };
}

async function openMessage(source: Source, head: Uint8Array, options: ReadOptions): Promise<SourceView> {
  if (hasDictionary(head)) {
    // Nothing in it can be found without all of it.
    const bytes = joinedBytes(head, await sliceOf(source, head.length, source.byteLength));
    const known = { ...options, dictionaries: [...(options.dictionaries ?? [])] };
    return new WholeMessage(openBytes(bytes, known), schemaOf(bytes, known));
  }
  try {
    return new MessageFile(source, head, options);
  } catch (error) {
    if (!isTruncated(error) || head.length === source.byteLength) throw error;
    // Metadata and schema are longer than what was read.
    const rest = await sliceOf(source, head.length, source.byteLength);
    return new MessageFile(source, joinedBytes(head, rest), options);
  }
}

function isTruncated(error: unknown): boolean {
  return error instanceof HoldallError && error.code === "truncated";
}

/** Whether a message is compressed with a dictionary. */
function hasDictionary(head: Uint8Array): boolean {
  return head[0] === MAGIC && ((head[1] ?? 0) & EXTENDED) !== 0 && ((head[2] ?? 0) & DICTIONARY) !== 0;
}

/** A message that was read whole. */
class WholeMessage implements SourceView {
  readonly length = undefined;

  constructor(
    private readonly view: View,
    readonly schema: Schema,
  ) {}

  get metadata(): Metadata {
    return this.view.metadata;
  }

  async column(path: string): Promise<ArrayLike<unknown>> {
    return this.view.column(path);
  }

  async rows(start = 0, end = Number.POSITIVE_INFINITY): Promise<Rows> {
    return sliced(this.view.rows, start, end);
  }

  async whole(): Promise<View> {
    return this.view;
  }
}

/** How many times the bytes before are read, as long as a column of a message does not end in them. */
const GROWTH = 16;

/** A message of a source. Only by reading columns it is known where they end, so its bytes are read from the first on. */
class MessageFile implements SourceView {
  readonly length = undefined;
  readonly schema: Schema;
  readonly metadata: Metadata;
  private readonly aligned: boolean;
  private readonly start: number;

  constructor(
    private readonly source: Source,
    private bytes: Uint8Array,
    private readonly options: ReadOptions,
  ) {
    const input = new Input(bytes);
    const { flags, metadata } = readHead(input, false);
    this.schema = readSchemaOf(input, flags, byFingerprint(options.schemas));
    this.metadata = metadata;
    this.aligned = (flags & ALIGNED) !== 0;
    this.start = input.pos;
  }

  async column(path: string): Promise<ArrayLike<unknown>> {
    const { schema, source } = this;
    const sitePath = sitePathTo(schema.root, path, false);
    const one = oneColumn(schema, sitePath, []);
    // Bytes of a checksum can be read as columns only where the message is cut off, which `whole` notices.
    while (one !== undefined && this.bytes.length < source.byteLength) {
      try {
        return this.prefix(one.schema).column(path);
      } catch (error) {
        if (!isTruncated(error)) throw error;
        await this.read(this.bytes.length > HEAD ? source.byteLength : GROWTH * this.bytes.length);
      }
    }
    return (await this.whole()).column(path);
  }

  async rows(start = 0, end = Number.POSITIVE_INFINITY): Promise<Rows> {
    return sliced((await this.whole()).rows, start, end);
  }

  async whole(): Promise<View> {
    await this.read(this.source.byteLength);
    return openBytes(this.bytes, this.options);
  }

  /** The columns of a schema of which the rest is left out, from the bytes read so far. */
  private prefix(schema: Schema): View {
    const { options, source, start } = this;
    const budget = options.budget ?? Math.max(LEAST_BUDGET, UNITS_PER_BYTE * source.byteLength);
    const input = new Input(this.bytes, budget, start);
    input.aligned = this.aligned;
    input.decompress = options.zstd;
    input.skipPadding(64);
    const { root } = readBlock(input, schema, 1);
    return new View([new Part(schema, { root, definitions: [] }, new Making(options))], false, this.metadata);
  }

  /** Reads up to an offset. */
  private async read(wanted: number): Promise<void> {
    const { source } = this;
    const end = Math.min(wanted, source.byteLength);
    const from = this.bytes.length;
    if (from >= end) return;
    const more = await sliceOf(source, from, end);
    // Another call may have read more since.
    if (this.bytes.length !== from) return;
    this.bytes = joinedBytes(this.bytes, more);
  }
}

/** A stream, in memory or of a source. */
class StreamFile implements SourceView {
  metadata: Metadata;
  private readonly sync: Uint8Array;
  private readonly limit = F.LARGEST_PAYLOAD;
  private readonly known: Map<bigint, Schema>;
  private first: Schema | undefined = undefined;
  private places: readonly IndexedFrame[] = [];
  /** Frames that are no blocks and were read. */
  private readonly wasRead = new Set<IndexedFrame>();

  constructor(
    private readonly source: Source | undefined,
    private readonly head: Uint8Array,
    private readonly options: ReadOptions,
  ) {
    F.checkPreamble(head);
    this.sync = head.slice(8, F.PREAMBLE_SIZE);
    this.known = byFingerprint(options.schemas);
  }

  get schema(): Schema | undefined {
    return this.first;
  }

  get length(): number {
    return this.places.reduce((sum, place) => sum + place.roots, 0);
  }

  /** All frames of a stream in memory, up to the first one that is not complete. */
  openWhole(): View {
    const { head, limit, sync } = this;
    const parts: Part[] = [];
    for (let at = F.PREAMBLE_SIZE, sequence = 0; at + F.HEAD_SIZE <= head.length; sequence++) {
      if (at + F.frameSize(head, at, sync, limit) > head.length) break;
      const frame = F.frameAt(head, at, sync, limit);
      this.checkSequence(frame, sequence, at);
      at = frame.end;
      if (frame.kind === F.END) {
        if (at < head.length) throw fault("trailing_bytes", at);
        break;
      }
      const part = this.contents(head, frame, 0);
      if (part !== undefined) parts.push(part);
    }
    return new View(parts, true, this.metadata);
  }

  private checkSequence(frame: F.Frame, sequence: number, at: number): void {
    if (frame.sequence === sequence) return;
    throw fault(frame.sequence < sequence ? "repeated_frame" : "missing_frames", at + 15);
  }

  /** Reads a frame. `origin` is the offset of the bytes that have it. */
  private contents(bytes: Uint8Array, frame: F.Frame, origin: number): Part | undefined {
    if (frame.kind === F.METADATA) this.metadata = metadataOfFrame(bytes, frame, origin);
    else if (frame.kind === F.SCHEMA) {
      const schema = schemaOfFrame(bytes, frame, origin);
      this.known.set(frame.schema, schema);
      this.first ??= schema;
    } else if (frame.kind === F.STATISTICS && frame.schema !== 0n) {
      throw fault("bad_frame", origin + frame.at + 20);
    } else if (frame.kind === F.BLOCK) {
      const schema = this.schemaOf(frame.schema, origin + frame.at + 20);
      const payload = bytes.subarray(frame.payload, frame.payloadEnd);
      return moved(origin + frame.payload, () =>
        readPayload(payload, schema, this.options, (block) => new Part(schema, block, new Making(this.options))),
      );
    }
    return undefined;
  }

  private schemaOf(number: bigint, at: number): Schema {
    const schema = this.known.get(number);
    if (schema === undefined) throw fault("unknown_fingerprint", at, { help: "pass it in `schemas`" });
    return schema;
  }

  /** Reads the index, and the frames before the first block. */
  async findFrames(): Promise<void> {
    const { head, limit, sync } = this;
    this.places = await indexedFrames(this.source!, head, sync, limit);
    for (const place of this.places) {
      if (place.roots > 0 || place.end > head.length) break;
      this.contents(head, F.frameAt(head, place.at, sync, limit), 0);
      this.wasRead.add(place);
    }
  }

  async column(path: string): Promise<ArrayLike<unknown>> {
    const places = this.places.filter((place) => place.roots > 0);
    const size = this.headSize();
    const heads = await this.readFrames(places, ({ at, end }) => (end - at <= size ? end : at + size));
    const plans = places.map((place, i) => this.plan(place, heads[i]!, path));
    const read = await this.read(plans.flatMap((plan) => plan.ranges));
    let next = 0;
    const parts = plans.map((plan) => plan.read(read.slice(next, (next += plan.ranges.length))));
    return new View(parts, true, this.metadata).column(path);
  }

  async rows(start = 0, end = this.length): Promise<Rows> {
    let first = 0;
    let skipped = 0;
    const places: IndexedFrame[] = [];
    for (const place of this.places) {
      const isInside = first < end && first + place.roots > start && place.roots > 0;
      if (isInside && places.length === 0) skipped = first;
      if (isInside) places.push(place);
      first += place.roots;
    }
    const frames = await this.readFrames(places, (place) => place.end);
    const parts = places.map((place, i) => this.wholePart(place, frames[i]!));
    return sliced(new View(parts, true, this.metadata).rows, start - skipped, end - skipped);
  }

  /** Reads blocks, and with them the frames that have their schemas: those before them that are no blocks. */
  private async readFrames(
    places: readonly IndexedFrame[],
    endOf: (place: IndexedFrame) => number,
  ): Promise<Uint8Array[]> {
    const others = new Set<IndexedFrame>();
    for (const { sequence } of places) {
      let before = sequence - 1;
      while (before >= 0 && this.places[before]!.roots > 0) before--;
      for (; before >= 0 && this.places[before]!.roots === 0; before--) {
        const place = this.places[before]!;
        if (others.has(place) || this.wasRead.has(place)) break;
        others.add(place);
      }
    }
    const schemas = [...others].sort((a, b) => a.at - b.at);
    const read = await this.read([
      ...schemas.map(({ at, end }) => [at, end] as const),
      ...places.map((place) => [place.at, endOf(place)] as const),
    ]);
    schemas.forEach((place, i) => {
      const frame = F.frameAt(read[i]!, 0, this.sync, this.limit, place.at);
      this.checkSequence(frame, place.sequence, place.at);
      this.contents(read[i]!, frame, place.at);
      this.wasRead.add(place);
    });
    return read.slice(schemas.length);
  }

  async whole(): Promise<View> {
    const all = await this.read([[0, this.places.at(-1)?.end ?? F.PREAMBLE_SIZE]]);
    return openBytes(all[0]!, this.options);
  }

  /** What the head has is not read again. */
  private async read(ranges: readonly (readonly [start: number, end: number])[]): Promise<Uint8Array[]> {
    const { head } = this;
    const left = ranges.filter(([, end]) => end > head.length);
    const read = await readRanges(this.source!, left);
    return ranges.map(([start, end]) => (end > head.length ? read.shift()! : head.subarray(start, end)));
  }

  /** How many bytes of a block are read at first: of a large one what its directory takes. */
  private headSize(): number {
    const columns = this.first === undefined ? 100 : countColumns(this.first.root);
    return Math.max(gapOf(this.source!), F.HEAD_SIZE + 64 + 4 * columns);
  }

  private wholePart(place: IndexedFrame, bytes: Uint8Array): Part {
    const frame = F.frameAt(bytes, 0, this.sync, this.limit, place.at);
    this.checkSequence(frame, place.sequence, place.at);
    const part = this.contents(bytes, frame, place.at);
    if (part === undefined || part.block.root.n !== place.roots) throw this.badIndex();
    return part;
  }

  /** Which ranges of a block a column needs, and what reads them. */
  private plan(place: IndexedFrame, bytes: Uint8Array, path: string): ColumnPlan {
    const isWhole = bytes.length === place.end - place.at;
    const whole: ColumnPlan = isWhole
      ? { ranges: [], read: () => this.wholePart(place, bytes) }
      : { ranges: [[place.at, place.end]], read: ([frame]) => this.wholePart(place, frame!) };
    F.frameSize(bytes, 0, this.sync, this.limit, place.at);
    const schema = this.schemaOf(F.schemaAt(bytes, 0), place.at + 20);
    const sitePath = sitePathTo(schema.root, path, true);
    const payload = place.at + F.HEAD_SIZE;
    const payloadSize = F.payloadSize(bytes, 0);
    const begin = bytes.subarray(F.HEAD_SIZE, F.HEAD_SIZE + payloadSize);
    let head: BlockHead;
    try {
      head = moved(payload, () => readBlockHead(begin, schema));
    } catch (error) {
      // The directory is longer than what was read of it.
      if (isTruncated(error)) return whole;
      throw error;
    }
    const one = head.entries.length > 0 ? oneColumn(schema, sitePath, head.entries) : undefined;
    if (one === undefined) return whole;
    if (isWhole) this.checkSequence(F.frameAt(bytes, 0, this.sync, this.limit, place.at), place.sequence, place.at);
    if (head.roots !== place.roots) throw this.badIndex();
    const start = payload + head.start;
    const beyond = one.entries.find(({ at, size }) => head.start + at + size > payloadSize);
    if (beyond !== undefined) throw fault("bad_directory", payload + beyond.place);
    return {
      ranges: isWhole ? [] : one.entries.map(({ at, size }) => [start + at, start + at + size]),
      read: (parts) => {
        // Columns stay where they are in the block, and with them padding and the offsets of faults.
        const block = isWhole ? begin : new Uint8Array(payloadSize);
        if (!isWhole) block.set(begin);
        parts.forEach((part, i) => {
          block.set(part, head.start + one.entries[i]!.at);
        });
        return moved(start, () => {
          const input = blockInput(block, head, this.options);
          const starts: Starts = [];
          const { root } = readBlock(input, one.schema, head.roots, starts, one.jumps);
          checkDirectory(one.entries, starts, input.pos, head.start);
          return new Part(one.schema, { root, definitions: [] }, new Making(this.options));
        });
      },
    };
  }

  private badIndex(): HoldallError {
    return fault("bad_index", this.places.at(-1)!.end);
  }
}

/** Ranges of a block in ascending order, and what reads a column from their bytes. */
interface ColumnPlan {
  readonly ranges: readonly (readonly [start: number, end: number])[];
  read(parts: readonly Uint8Array[]): Part;
}
