/** The frames of a stream that can be read at any place: from the index at its end (F-88), or else from their heads. */

import { fault, type HoldallError } from "../error.js";
import { Input } from "../kernel/input.js";
import { wordAt } from "../kernel/numbers.js";
import * as F from "../stream/frame.js";
import { HEAD, joinedBytes, type Source, sliceOf } from "./source.js";

/** A frame as the index has it. */
export interface IndexedFrame {
  readonly at: number;
  readonly end: number;
  readonly sequence: number;
  /** The number of values; 0 if it is no block. */
  readonly roots: number;
}

/** A frame that says where it begins takes 12 bytes at the end. */
const OFFSET_SIZE = 12;
/** The index takes about 5 bytes for each frame; with this, frames of 5 KB or more leave it in one request. */
const BYTES_PER_INDEX_BYTE = 1024;

/** All frames but the end. */
export async function indexedFrames(
  source: Source,
  head: Uint8Array,
  sync: Uint8Array,
  limit: number,
): Promise<IndexedFrame[]> {
  const { byteLength } = source;
  const size = Math.min(byteLength, Math.max(HEAD, Math.ceil(byteLength / BYTES_PER_INDEX_BYTE)));
  let from = byteLength - size;
  let tail = head.length === byteLength ? head.subarray(from) : await sliceOf(source, from, byteLength);
  const at = wordAt(tail, size - OFFSET_SIZE) + wordAt(tail, size - OFFSET_SIZE + 4) * 4294967296;
  if (at >= F.PREAMBLE_SIZE && at + F.HEAD_SIZE <= byteLength - OFFSET_SIZE) {
    if (at < from) {
      tail = joinedBytes(await sliceOf(source, at, from), tail);
      from = at;
    }
    const begin = at - from;
    const isEnd = tail[begin + 8] === F.END && sync.every((byte, i) => tail[begin + i] === byte);
    if (isEnd) return readIndex(tail, begin, from, F.frameAt(tail, begin, sync, limit, from));
  }
  return walkHeads(source, sync, limit);
}

function readIndex(tail: Uint8Array, begin: number, from: number, frame: F.Frame): IndexedFrame[] {
  const end = from + begin;
  if (frame.end !== tail.length) throw fault("trailing_bytes", from + frame.end);
  const input = new Input(tail, undefined, frame.payload, frame.payloadEnd);
  const bad = (at: number): HoldallError => fault("bad_index", from + at);
  const count = input.varint();
  if (count !== frame.sequence) throw bad(frame.payload);
  const places: IndexedFrame[] = [];
  let next = F.PREAMBLE_SIZE;
  for (let sequence = 0; sequence < count; sequence++) {
    const at = input.pos;
    const length = input.varint();
    const roots = input.varint();
    const begins = next;
    next += 8 * length;
    if (length < 5 || next > end) throw bad(at);
    places.push({ at: begins, end: next, sequence, roots });
  }
  const padding = (12 - ((input.pos - frame.payload) % 8)) % 8;
  for (const last = input.pos + padding; input.pos < last; ) {
    const at = input.pos;
    if (input.byte() !== 0) throw fault("nonzero_padding", from + at);
  }
  const at = input.take(8);
  if (input.remaining > 0) throw fault("trailing_bytes", from + input.pos);
  if (next !== end) throw bad(at);
  return places;
}

/** A stream without an end is still being written: its frames up to the first one that is not complete. */
async function walkHeads(source: Source, sync: Uint8Array, limit: number): Promise<IndexedFrame[]> {
  const places: IndexedFrame[] = [];
  const { byteLength } = source;
  for (let at = F.PREAMBLE_SIZE; at + F.HEAD_SIZE <= byteLength; ) {
    const bytes = await sliceOf(source, at, Math.min(byteLength, at + F.HEAD_SIZE + 9));
    const end = at + F.frameSize(bytes, 0, sync, limit, at);
    if (end > byteLength) break;
    const late = F.sequenceAt(bytes, 0) - places.length;
    if (late !== 0) throw fault(late < 0 ? "repeated_frame" : "missing_frames", at + 15);
    if (bytes[8] === F.END) break;
    let roots = 0;
    if (bytes[8] === F.BLOCK) {
      const flags = new Input(bytes, undefined, F.HEAD_SIZE).varint();
      roots = (flags - (flags % 4)) / 4;
    }
    places.push({ at, end, sequence: places.length, roots });
    at = end;
  }
  return places;
}
