/** The package: everything that reads and writes, with zstd. */

import { type Bytes, Decoder as PlainDecoder } from "./message/read.js";
import type { ReadOptions } from "./options.js";
import type { View } from "./view.js";
import { decompress } from "./zstd.js";

export { dumps, type EncodeLimits, type EncodeOptions, Encoder, type Profile, type ValueOptions } from "./encoder.js";
export { Exact, type ExactType } from "./exact.js";
export * from "./read.js";
export { schemaText } from "./schema/text.js";

/** Returns the value of a message. */
export function loads(source: Bytes, options?: ReadOptions): unknown {
  return (options === undefined ? (plain ??= new Decoder()) : new Decoder(options)).loads(source);
}

/** The decoder of `loads` without options. */
let plain: Decoder | undefined;

/** Opens a message: columns and rows are made when they are asked for. */
export function open(source: Bytes, options: ReadOptions = {}): View {
  return new Decoder(options).open(source);
}

/** Reads messages, and keeps the last of their schemas: the same schema is not read again. */
export class Decoder extends PlainDecoder {
  constructor(options: ReadOptions = {}) {
    super({ zstd: decompress, ...options });
  }
}
