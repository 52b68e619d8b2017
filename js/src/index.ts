/** The package: everything that reads and writes. */
export { dumps, type EncodeLimits, type EncodeOptions, Encoder, type Profile, type ValueOptions } from "./encoder.js";
export { Exact, type ExactType } from "./exact.js";
export * from "./read.js";
export { type Class, type Registration, register } from "./registry.js";
