/** Streams (chapter 14): any number of values in one file, pipe or socket. */
export type { AppendedFile } from "./stream/append.js";
export { type Damage, type ReadableFile, Reader, type StreamOptions, type StreamSource } from "./stream/reader.js";
export { type WriteOptions, Writer } from "./stream/writer.js";
