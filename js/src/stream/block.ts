/** The payload of a block's frame (F-85, F-86). */

import { hasColumns, readBlock, type Starts } from "../block/read.js";
import { rootsOf, type Values } from "../block/values.js";
import { walk } from "../block/walk.js";
import { fault, HoldallError } from "../error.js";
import { Input } from "../kernel/input.js";
import type { ReadOptions } from "../options.js";
import * as T from "../schema/types.js";

/** What a block says before its columns. */
interface BlockHead {
  readonly roots: number;
  readonly aligned: boolean;
  /** The entries of the directory, each with its offset. */
  readonly entries: [at: number, size: number][];
}

function readHead(input: Input, schema: T.Schema): BlockHead {
  const at = input.pos;
  const head = input.varint();
  const flags = head % 4;
  const roots = (head - flags) / 4;
  if (roots === 0) throw fault("bad_frame", at);
  const entries: [number, number][] = [];
  if (flags & 2) {
    for (const type of [schema.root, ...schema.definitions]) addEntries(input, type, entries);
  }
  const aligned = (flags & 1) !== 0;
  input.aligned = aligned;
  input.skipPadding(8);
  return { roots, aligned, entries };
}

function addEntries(input: Input, type: T.Type, entries: [number, number][]): void {
  if (hasColumns(type)) {
    const at = input.pos;
    entries.push([at, input.varint()]);
  }
  if (type.code === T.TENSOR || type.code === T.PACKED) return;
  for (const inside of T.typesInside(type)) addEntries(input, inside, entries);
}

/** The roots of a payload. Offsets of faults count from its first byte. */
export function readRoots(payload: Uint8Array, schema: T.Schema, options: ReadOptions): Values {
  const outer = new Input(payload, options.budget);
  const { roots, aligned, entries } = readHead(outer, schema);
  // In an aligned block, offsets count from the block's first byte.
  const start = outer.pos;
  const input = new Input(payload.subarray(start), outer.budget);
  input.aligned = aligned;
  input.decompress = options.zstd;
  const starts: Starts | undefined = entries.length > 0 ? [] : undefined;
  return moved(start, () => {
    const block = readBlock(input, schema, roots, starts);
    const end = input.pos;
    input.finish(payload.length);
    block.checkUses();
    if (starts !== undefined) checkDirectory(entries, starts, end, start);
    if (block.definitions.length > 0) walk(block, block.counts);
    return rootsOf(block, schema, options);
  });
}

/** The first entry that is not the number of bytes is a fault. */
function checkDirectory(entries: [number, number][], starts: Starts, end: number, origin: number): void {
  let next = 0;
  starts.forEach(([type, at], i) => {
    if (!hasColumns(type)) return;
    const size = (starts[i + 1]?.[1] ?? end) - at;
    const [place, entry] = entries[next++]!;
    if (entry !== size) throw fault("bad_directory", place - origin);
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
