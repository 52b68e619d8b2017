/** The payload of a block's frame (F-85, F-86). */

import { type Block, hasColumns, readBlock, type Starts } from "../block/read.js";
import { rootsOf, type Values } from "../block/values.js";
import { walk } from "../block/walk.js";
import { fault, HoldallError } from "../error.js";
import { Input } from "../kernel/input.js";
import type { ReadOptions } from "../options.js";
import * as T from "../schema/types.js";

/** An entry of the directory: where it is in the payload, and the columns that it is about, in the block. */
export interface Entry {
  readonly place: number;
  readonly at: number;
  readonly size: number;
}

/** What a block says before its columns. */
export interface BlockHead {
  readonly roots: number;
  readonly aligned: boolean;
  /** Where the block begins in the payload: offsets in it count from there. */
  readonly start: number;
  /** The directory; empty if there is none. */
  readonly entries: readonly Entry[];
}

/** Reads the head of a payload, and the numbers of rows of definitions, which may be all of it that there is yet. */
export function readHead(payload: Uint8Array, schema: T.Schema): BlockHead {
  const input = new Input(payload);
  const [roots, flags] = input.head(4);
  if (roots === 0) throw fault("bad_frame", 0);
  const sizes: [number, number][] = [];
  if (flags & 2) for (const type of [schema.root, ...schema.definitions]) addEntries(input, type, sizes);
  const aligned = (flags & 1) !== 0;
  input.aligned = aligned;
  input.skipPadding(8);
  const start = input.pos;
  if (sizes.length > 0) for (let i = 0; i < schema.definitions.length; i++) input.varint();
  let next = input.pos - start;
  const entries = sizes.map(([place, size]) => {
    const at = next;
    next += size;
    return { place, at, size };
  });
  return { roots, aligned, start, entries };
}

function addEntries(input: Input, type: T.Type, sizes: [number, number][]): void {
  if (hasColumns(type)) {
    const at = input.pos;
    sizes.push([at, input.varint()]);
  }
  if (type.code === T.TENSOR || type.code === T.PACKED) return;
  for (const inside of T.typesInside(type)) addEntries(input, inside, sizes);
}

/** The input of a block. */
export function blockInput(payload: Uint8Array, { start, aligned }: BlockHead, options: ReadOptions): Input {
  const input = new Input(payload.subarray(start), options.budget ?? new Input(payload).budget);
  input.aligned = aligned;
  input.decompress = options.zstd;
  return input;
}

/** The columns of a payload. Offsets of faults count from its first byte. */
export function readPayload<R>(
  payload: Uint8Array,
  schema: T.Schema,
  options: ReadOptions,
  use: (block: Block) => R,
): R {
  const head = readHead(payload, schema);
  const input = blockInput(payload, head, options);
  const starts: Starts | undefined = head.entries.length > 0 ? [] : undefined;
  return moved(head.start, () => {
    const block = readBlock(input, schema, head.roots, starts);
    const end = input.pos;
    input.finish(payload.length);
    block.checkUses();
    if (starts !== undefined) checkDirectory(head.entries, starts, end, head.start);
    if (block.definitions.length > 0) walk(block, block.counts);
    return use(block);
  });
}

/** The roots of a payload. */
export function readRoots(payload: Uint8Array, schema: T.Schema, options: ReadOptions): Values {
  return readPayload(payload, schema, options, (block) => rootsOf(block, schema, options));
}

/** The first entry that is not the number of bytes is a fault. */
export function checkDirectory(entries: readonly Entry[], starts: Starts, end: number, origin: number): void {
  let next = 0;
  starts.forEach(([type, at], i) => {
    if (!hasColumns(type)) return;
    const size = (starts[i + 1]?.[2] ?? end) - at;
    const { place, size: stated } = entries[next++]!;
    if (stated !== size) throw fault("bad_directory", place - origin);
  });
}

/** Runs what reads a part of an input; offsets of its faults count from the input's first byte. */
export function moved<R>(by: number, run: () => R): R {
  try {
    return run();
  } catch (error) {
    if (error instanceof HoldallError && error.offset !== undefined) throw error.moved(by);
    throw error;
  }
}
