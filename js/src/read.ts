/** Reading: `loads`, `Decoder` and the values that they return. */
export type { Decompress } from "./column/read/encoded.js";
export { type ErrorCode, type ErrorDetails, HoldallError } from "./error.js";
export {
  type Bytes,
  Decoder,
  fingerprint,
  loads,
  metadataOf,
  parseSchema,
  schemaOf,
} from "./message/read.js";
export type { ReadAs, ReaderSchema, ReadOptions, ReadTemporal } from "./options.js";
export { type Class, type Registration, register } from "./registry.js";
export type {
  ArrayType,
  DefinitionType,
  ExtensionType,
  FixedType,
  ItemType,
  LogicalType,
  MapType,
  NamedType,
  RecordType,
  ScalarName,
  ScalarType,
  Schema,
  TupleType,
  Type,
  UnionType,
  UnknownType,
} from "./schema/types.js";
export type { Issue, Validation, Validator } from "./validate.js";
export * from "./values.js";
