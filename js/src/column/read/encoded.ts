/** What all columns share: encoding bytes of later versions (F-77), the marker, and zstd around a column (F-60). */

import { fault, HoldallError, inRow, rowOf } from "../../error.js";
import { asBytes, Input } from "../../kernel/input.js";

/** Decompresses one zstd frame of `size` bytes; undefined if the payload is not such a frame (F-60). */
export type Decompress = (payload: Uint8Array, size: number) => Uint8Array | undefined;

/** What follows an encoding byte at an offset; undefined if no such encoding exists for the kind of column. */
export type ReadRest<R> = (input: Input, encoding: number, at: number) => R | undefined;

const ZSTD = 0x70;
const LATER = 0xe0;
const TEMPLATES = 0x62;

/** Reads a column from its encoding byte on. */
export function readEncoded<R>(input: Input, rest: ReadRest<R>): R {
  const at = input.pos;
  const encoding = input.byte();
  if (encoding === ZSTD) return readZstd(input, rest, at);
  const column = rest(input, encoding, at);
  if (column === undefined) throw fault(encoding < LATER ? "unknown_encoding" : "unsupported", at);
  return column;
}

function readZstd<R>(input: Input, rest: ReadRest<R>, at: number): R {
  const sizeAt = input.pos;
  const size = input.varint();
  const length = input.varint();
  if (size < 256 || length >= size) throw fault("bad_zstd", sizeAt);
  const payloadAt = input.take(length);
  input.charge(size, payloadAt);
  if (input.decompress === undefined) {
    throw fault("unsupported", at, { got: "a column in zstd", help: "pass `zstd` of holdall/zstd as an option" });
  }
  const content = input.decompress(input.bytes.subarray(payloadAt, input.pos), size);
  if (content === undefined || content.length !== size) throw fault("bad_zstd", payloadAt);
  const inside = new Input(asBytes(content), input.budget);
  let column: R | undefined;
  try {
    const encoding = inside.byte();
    if (encoding === TEMPLATES || encoding === ZSTD || encoding >= LATER) throw fault("bad_inner_encoding", at);
    column = rest(inside, encoding, 0);
    if (column === undefined) throw fault("unknown_encoding", at);
  } catch (error) {
    // F-60: a fault inside has the place of the outer encoding byte.
    if (error instanceof HoldallError && error.offset !== undefined) throw inRow(fault(error.code, at), rowOf(error));
    throw error;
  }
  if (inside.remaining > 0) throw fault("bad_zstd", payloadAt);
  input.budget = inside.budget;
  return column;
}

/** Moves past a marker (chapter 6), and returns whether there was one. */
export function skipMarker(input: Input): boolean {
  if (!input.isAtMarker()) return false;
  input.pos += 2;
  return true;
}

/** Moves past a column of values whose encoding is of a later version (F-77), and returns whether it was one. */
export function skipLater(input: Input, behindMarker: boolean): boolean {
  const start = input.pos;
  if ((!behindMarker || skipMarker(input)) && input.remaining > 0 && input.bytes[input.pos]! >= LATER) {
    input.pos++;
    input.take(input.varint());
    return true;
  }
  input.pos = start;
  return false;
}
