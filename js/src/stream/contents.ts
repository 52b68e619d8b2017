/** What frames other than blocks and the end contain (F-84). */

import { fault } from "../error.js";
import { Input } from "../kernel/input.js";
import { fingerprint, readMetadata } from "../message/envelope.js";
import { readSchema } from "../schema/read.js";
import type { Schema } from "../schema/types.js";
import { moved } from "./block.js";
import type { Frame } from "./frame.js";

/** Reads a payload, which must end where its contents do. `origin` is the offset of the bytes that have the frame. */
export function readContents<R>(bytes: Uint8Array, frame: Frame, origin: number, read: (input: Input) => R): R {
  return moved(origin + frame.payload, () => {
    const input = new Input(bytes.subarray(frame.payload, frame.payloadEnd));
    const result = read(input);
    if (input.remaining > 0) throw fault("trailing_bytes", input.pos);
    return result;
  });
}

export function metadataOfFrame(bytes: Uint8Array, frame: Frame, origin: number): [string, string][] {
  if (frame.sequence !== 0) throw fault("bad_frame", origin + frame.at + 8);
  if (frame.schema !== 0n) throw fault("bad_frame", origin + frame.at + 20);
  return readContents(bytes, frame, origin, readMetadata);
}

export function schemaOfFrame(bytes: Uint8Array, frame: Frame, origin: number): Schema {
  const schema = readContents(bytes, frame, origin, (input) => readSchema(input, true, true));
  if (fingerprint(schema) !== frame.schema) throw fault("bad_frame", origin + frame.at + 20);
  return schema;
}
