/** Values of packable types from their bytes (F-70). */

import { fromBf16, fromF16 } from "../kernel/numbers.js";
import { SCALAR_WIDTHS, valueWidth } from "../schema/packable.js";
import * as T from "../schema/types.js";
import { Tuple } from "../values.js";
import { setOwn } from "./objects.js";
import type { Making } from "./values.js";

/** The value at an offset. It recurses on the nesting of the schema. */
export function unpack(type: T.Type, view: DataView, at: number, making: Making): unknown {
  const { code } = type;
  if (code <= T.BYTES) return unpackScalar(code, view, at, making);
  switch (code) {
    case T.FIXED:
      return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + at, type.size).slice();
    case T.LOGICAL:
      return making.logical(type, unpack(type.storage, view, at, making));
    case T.EXTENSION:
      return making.extension(type.name, unpack(type.item, view, at, making));
    case T.ARRAY: {
      const width = valueWidth(type.item);
      return Array.from({ length: type.size }, (_, i) => unpack(type.item, view, at + i * width, making));
    }
  }
  const parts: unknown[] = [];
  let place = at;
  for (const inside of T.typesInside(type)) {
    parts.push(unpack(inside, view, place, making));
    place += valueWidth(inside);
  }
  if (code === T.TUPLE) return Tuple.from(parts);
  const { fields, name } = type as T.RecordType;
  const object: { [key: string]: unknown } = {};
  fields.forEach((field, i) => {
    setOwn(object, field.name, parts[i]);
  });
  return code === T.STRUCT ? making.struct(name, object) : object;
}

function unpackScalar(code: number, view: DataView, at: number, making: Making): unknown {
  switch (code) {
    case T.BOOL:
      return view.getUint8(at) === 1;
    case T.F16:
      return fromF16(view.getUint16(at, true));
    case T.BF16:
      return fromBf16(view.getUint16(at, true));
    case T.F32:
      return view.getFloat32(at, true);
    case T.F64:
      return view.getFloat64(at, true);
  }
  const width = SCALAR_WIDTHS[code]!;
  let value = 0n;
  for (let i = width - 1; i >= 0; i--) value = (value << 8n) | BigInt(view.getUint8(at + i));
  return making.int(code >= T.I8 ? BigInt.asIntN(8 * width, value) : value);
}
