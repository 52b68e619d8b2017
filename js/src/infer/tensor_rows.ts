/** Tensors (F-76): typed arrays, and the class `Tensor`. */

import { asBytes } from "../kernel/input.js";
import { badBool, isPackableCode, valueWidth } from "../schema/packable.js";
import type { Type } from "../schema/types.js";
import * as codes from "../schema/types.js";
import type { Tensor } from "../values.js";
import { refused, type Shredder } from "./shredder.js";
import type { RowKind, Site } from "./sites.js";

const MOST_DIMENSIONS = 32;
/** F-74: a type at level 96 then ends at level 128. */
const DEEPEST = 32;
const WIDEST = 2 ** 20;

/** The elements of typed arrays, by the names of their classes. */
export const TYPED_ARRAYS: { readonly [name: string]: number } = {
  Int8Array: codes.I8,
  Int16Array: codes.I16,
  Uint16Array: codes.U16,
  Int32Array: codes.I32,
  Uint32Array: codes.U32,
  BigInt64Array: codes.I64,
  BigUint64Array: codes.U64,
  Float16Array: codes.F16,
  Float32Array: codes.F32,
  Float64Array: codes.F64,
};

/** The kinds of typed arrays: to make one takes as long as to write 500 bytes. */
const kinds = new Map<number, RowKind>();

function arrayKind(code: codes.ScalarType["code"]): RowKind {
  let kind = kinds.get(code);
  if (kind === undefined) kinds.set(code, (kind = kindOf({ code })));
  return kind;
}

function kindOf(element: Type): RowKind {
  const text = JSON.stringify(element, (_, value) => (value instanceof Uint8Array ? Array.from(value) : value));
  return { kind: "tensor", key: `x${text}`, element };
}

function pushTensor(
  shredder: Shredder,
  site: Site,
  kind: RowKind,
  shape: readonly number[],
  isColumn: boolean,
  bytes: Uint8Array,
): void {
  const type = shredder.row(site, kind, shape.length);
  const { dimensions, orders, elements } = type.tensors!;
  for (const size of shape) dimensions.push(size);
  // F-76: of rank 0 or 1 a writer gives order 0.
  orders.push(isColumn && shape.length > 1 ? 1 : 0);
  elements.push(shredder.kept(bytes));
}

export function writeTypedArray(shredder: Shredder, site: Site, array: ArrayBufferView): void {
  const code = TYPED_ARRAYS[Object.prototype.toString.call(array).slice(8, -1)] as codes.ScalarType["code"];
  const bytes = asBytes(array);
  pushTensor(shredder, site, arrayKind(code), [(array as Int8Array).length], false, bytes);
}

export function writeTensor(shredder: Shredder, site: Site, tensor: Tensor): void {
  const { element, shape, bytes, order } = tensor;
  if (!isElement(element, 1)) throw refused(tensor, "a tensor of a type that it cannot have");
  if (shape.length > MOST_DIMENSIONS) throw refused(tensor, `a tensor of rank ${shape.length}`);
  if (!areSizes(shape)) throw refused(tensor, `dimensions ${shape}`);
  const count = shape.reduce((product, size) => product * BigInt(size), 1n);
  if (count * BigInt(valueWidth(element)) !== BigInt(bytes.length))
    throw refused(tensor, "another number of elements than the dimensions say");
  if (badBool(element, bytes) >= 0) throw refused(tensor, "a bool that is neither 0 nor 1");
  pushTensor(shredder, site, kindOf(element), shape, order === "column", bytes);
}

function areSizes(shape: readonly (number | bigint)[]): shape is readonly number[] {
  return shape.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/** Whether a type is packable (F-70), and no wider or deeper than elements may be. */
function isElement(type: Type, level: number): boolean {
  const isSparse = (type.code === codes.RECORD || type.code === codes.STRUCT) && type.form !== codes.FORM_ALL;
  if (isSparse || level > DEEPEST || !isPackableCode(type.code)) return false;
  if (!codes.typesInside(type).every((each) => isElement(each, level + 1))) return false;
  const width = valueWidth(type);
  return width >= 1 && width <= WIDEST;
}
