/** The storage of each kind of logical types (F-72). */

import * as K from "./logical.js";
import * as T from "./types.js";

function isTuple(type: T.Type, ...codes: number[][]): boolean {
  return (
    type.code === T.TUPLE &&
    type.items.length === codes.length &&
    codes.every((allowed, i) => allowed.includes(type.items[i]!.code))
  );
}

function isFixed(type: T.Type | undefined, size: number): boolean {
  return type?.code === T.FIXED && type.size === size;
}

const WHOLE = [T.INT, T.I64] as number[];
const INT = [T.INT];

/** Whether a type is the storage that the table states for a kind below E0 and its parameters. */
export function hasStorage(kind: number, parameters: Uint8Array, type: T.Type): boolean {
  const { code } = type;
  switch (kind) {
    case K.TIMESTAMP:
      if (parameters[1] === 2) return isTuple(type, WHOLE, [T.I32]);
      if (parameters[1] === 3) return isTuple(type, WHOLE, [T.STRING]);
      return WHOLE.includes(code);
    case K.DATE:
    case K.TIME:
    case K.DURATION:
      return WHOLE.includes(code);
    case K.DECIMAL:
      return isTuple(type, [T.U8], INT, INT);
    case K.RATIONAL:
      return isTuple(type, INT, INT);
    case K.COMPLEX: {
      const item = [parameters[0] === 4 ? T.F32 : T.F64];
      return isTuple(type, item, item);
    }
    case K.UUID:
      return isFixed(type, 16);
    case K.CHAR:
      return code === T.U32;
    case K.SET:
    case K.FROZEN_SET:
    case K.LONG_TUPLE:
      return code === T.LIST;
    case K.BYTE_ARRAY:
    case K.WTF8:
      return code === T.BYTES;
    case K.ORDERED_MAP:
      return code === T.MAP;
    case K.BIT_VECTOR:
      return code === T.LIST && (type.item.code === T.BOOL || type.item.code === T.NEVER);
    case K.PATH:
      return code === (parameters[1] === 0 ? T.STRING : T.BYTES);
    case K.IP_ADDRESS:
      return isFixed(type, parameters[0] === 4 ? 4 : 16);
    case K.IP_NETWORK:
      return isTuple(type, [T.FIXED], [T.U8]) && isFixed((type as T.TupleType).items[0], parameters[0] === 4 ? 4 : 16);
    case K.REGULAR_EXPRESSION:
      return isTuple(type, [T.STRING], [T.STRING]);
    case K.RANGE:
      return isTuple(type, INT, INT, INT);
    default:
      return code === T.STRING;
  }
}
