/** Streams: any number of values in one file, pipe or socket. */
export { type WriteOptions, Writer } from "./stream/writer.js";
