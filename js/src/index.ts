/** The package: everything that reads and writes, with zstd. */

import { type Bytes, Decoder as PlainDecoder } from "./message/read.js";
import type { ReadAs, ReadOptions } from "./options.js";
import { open as plainOpen } from "./view/open.js";
import type { Source, SourceView, View } from "./view.js";
import { decompress } from "./zstd.js";

export { dumps, type EncodeLimits, type EncodeOptions, Encoder, type Profile, type ValueOptions } from "./encoder.js";
export { CODES } from "./error.js";
export { Exact, type ExactType } from "./exact.js";
export * from "./read.js";
export { schemaText } from "./schema/text.js";
export {
  type FileHandle,
  fileSource,
  type Metadata,
  type Row,
  type Rows,
  type Source,
  type SourceView,
  type UrlOptions,
  urlSource,
  View,
} from "./view.js";
export { Dictionary } from "./zstd.js";

/** Returns the value of a message. */
export function loads<O extends ReadOptions>(source: Bytes, options?: O): ReadAs<O> {
  return (options === undefined ? (plain ??= new Decoder()) : new Decoder(options)).loads(source) as ReadAs<O>;
}

/** The decoder of `loads` without options. */
let plain: Decoder | undefined;

/** Opens bytes at once, and a source without reading more than its beginning and the index at its end. */
export function open(source: Bytes, options?: ReadOptions): View;
export function open(source: Source, options?: ReadOptions): Promise<SourceView>;
export function open(source: Bytes | Source, options: ReadOptions = {}): View | Promise<SourceView> {
  return plainOpen(source as Bytes, { zstd: decompress, ...options });
}

/** Reads messages, and keeps the last of their schemas: the same schema is not read again. */
export class Decoder<O extends ReadOptions = ReadOptions> extends PlainDecoder<O> {
  constructor(options: O = {} as O) {
    super({ zstd: decompress, ...options });
  }
}
