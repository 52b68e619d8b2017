/** The types of a schema (F-14), and the codes of each. */

export const NEVER = 0x00;
export const NULL = 0x01;
export const BOOL = 0x02;
export const INT = 0x03;
export const U8 = 0x04;
export const U16 = 0x05;
export const U32 = 0x06;
export const U64 = 0x07;
export const U128 = 0x08;
export const I8 = 0x09;
export const I16 = 0x0a;
export const I32 = 0x0b;
export const I64 = 0x0c;
export const I128 = 0x0d;
export const F16 = 0x0e;
export const BF16 = 0x0f;
export const F32 = 0x10;
export const F64 = 0x11;
export const STRING = 0x12;
export const BYTES = 0x13;
export const FIXED = 0x14;
export const OPTION = 0x15;
export const LIST = 0x16;
export const ARRAY = 0x17;
export const TUPLE = 0x18;
export const STRUCT = 0x19;
export const RECORD = 0x1a;
export const MAP = 0x1b;
export const UNION = 0x1c;
export const TENSOR = 0x1d;
export const PACKED = 0x1e;
export const DEF = 0x1f;
export const SHARED = 0x20;
export const LOGICAL = 0x22;
export const EXTENSION = 0x23;
/** Types and kinds of logical types from here on belong to later versions (F-73). */
export const LATER = 0xe0;

/** The names of the scalar types, by code. */
export const SCALAR_NAMES = [
  "never",
  "null",
  "bool",
  "int",
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "i8",
  "i16",
  "i32",
  "i64",
  "i128",
  "f16",
  "bf16",
  "f32",
  "f64",
  "string",
  "bytes",
] as const;

export type ScalarName = (typeof SCALAR_NAMES)[number];

/** Codes `00` to `13`: a type without parameters. */
export interface ScalarType {
  readonly code:
    | 0x00
    | 0x01
    | 0x02
    | 0x03
    | 0x04
    | 0x05
    | 0x06
    | 0x07
    | 0x08
    | 0x09
    | 0x0a
    | 0x0b
    | 0x0c
    | 0x0d
    | 0x0e
    | 0x0f
    | 0x10
    | 0x11
    | 0x12
    | 0x13;
}

/** fixed(size): byte strings of that many bytes. */
export interface FixedType {
  readonly code: typeof FIXED;
  readonly size: number;
  /** The size where a number does not hold it; such a type has no rows. */
  readonly exact?: bigint;
}

/** option(item), list(item), tensor(item), packed(item). */
export interface ItemType {
  readonly code: typeof OPTION | typeof LIST | typeof TENSOR | typeof PACKED;
  readonly item: Type;
}

/** array(size, item): lists of that many items. */
export interface ArrayType {
  readonly code: typeof ARRAY;
  readonly size: number;
  /** The size where a number does not hold it; such a type has no rows, or items of no rows. */
  readonly exact?: bigint;
  readonly item: Type;
}

/** tuple(items). */
export interface TupleType {
  readonly code: typeof TUPLE;
  readonly items: readonly Type[];
}

/** A field of a record or struct, or a variant of a union; those of unnamed unions have the name "". */
export interface NamedType {
  readonly name: string;
  readonly type: Type;
}

/** The form of shapes (F-18): every row has all fields; several shapes; each row stores its shape. */
export const FORM_ALL = 0;
export const FORM_SHAPES = 1;
export const FORM_SPARSE = 2;

/** record(fields), and struct(name, fields). The name of a record is "". */
export interface RecordType {
  readonly code: typeof RECORD | typeof STRUCT;
  readonly name: string;
  readonly fields: readonly NamedType[];
  readonly form: 0 | 1 | 2;
  /** The numbers of the fields of each shape; of form 1 alone. */
  readonly shapes: readonly (readonly number[])[];
}

/** map(key, value). */
export interface MapType {
  readonly code: typeof MAP;
  readonly key: Type;
  readonly value: Type;
}

/** union(variants), named or not. */
export interface UnionType {
  readonly code: typeof UNION;
  readonly named: boolean;
  readonly variants: readonly NamedType[];
}

/** def(index) and shared(index). */
export interface DefinitionType {
  readonly code: typeof DEF | typeof SHARED;
  readonly index: number;
}

/** logical(kind, parameters, storage). */
export interface LogicalType {
  readonly code: typeof LOGICAL;
  readonly kind: number;
  readonly parameters: Uint8Array;
  readonly storage: Type;
}

/** extension(name, item). */
export interface ExtensionType {
  readonly code: typeof EXTENSION;
  readonly name: string;
  readonly item: Type;
}

/** A type of a later version (F-73), whose code is `E0` or more. */
export interface UnknownType {
  readonly code: typeof LATER;
  /** The code in the schema's bytes. */
  readonly actual: number;
  readonly parameters: Uint8Array;
}

export type Type =
  | ScalarType
  | FixedType
  | ItemType
  | ArrayType
  | TupleType
  | RecordType
  | MapType
  | UnionType
  | DefinitionType
  | LogicalType
  | ExtensionType
  | UnknownType;

/** A schema: the type of the root, and the definitions (F-13). */
export interface Schema {
  readonly root: Type;
  readonly definitions: readonly Type[];
  /** Its bytes with the number of definitions (F-22). */
  readonly bytes: Uint8Array;
}

/** The types directly inside a type, in the order of the schema's bytes. */
export function typesInside(type: Type): readonly Type[] {
  switch (type.code) {
    case OPTION:
    case LIST:
    case ARRAY:
    case TENSOR:
    case PACKED:
    case EXTENSION:
      return [type.item];
    case TUPLE:
      return type.items;
    case RECORD:
    case STRUCT:
      return type.fields.map((field) => field.type);
    case MAP:
      return [type.key, type.value];
    case UNION:
      return type.variants.map((variant) => variant.type);
    case LOGICAL:
      return [type.storage];
    default:
      return [];
  }
}
