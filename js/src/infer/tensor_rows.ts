/** Tensors (F-76): typed arrays, and the class `Tensor`. */

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

function tensorOf(element: Type): RowKind {
  const text = JSON.stringify(element, (_, value) => (value instanceof Uint8Array ? Array.from(value) : value));
  return { kind: "tensor", key: `x${text}`, element };
}

function pushTensor(
  shredder: Shredder,
  site: Site,
  element: Type,
  shape: readonly number[],
  isColumn: boolean,
  bytes: Uint8Array,
): void {
  const type = shredder.row(site, tensorOf(element), shape.length);
  const { dimensions, orders, elements } = type.tensors!;
  for (const size of shape) dimensions.push(size);
  // F-76: of rank 0 or 1 a writer gives order 0.
  orders.push(isColumn && shape.length > 1 ? 1 : 0);
  elements.push(shredder.kept(bytes));
}

export function writeTypedArray(shredder: Shredder, site: Site, array: ArrayBufferView): void {
  const code = TYPED_ARRAYS[Object.prototype.toString.call(array).slice(8, -1)] as codes.ScalarType["code"];
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  pushTensor(shredder, site, { code }, [(array as Int8Array).length], false, bytes);
}

export function writeTensor(shredder: Shredder, site: Site, tensor: Tensor): void {
  const { element, shape, bytes, order } = tensor;
  const width = widthOf(element, 1, tensor);
  if (shape.length > MOST_DIMENSIONS) throw refused(tensor, `a tensor of rank ${shape.length}`);
  if (!areSizes(shape)) throw refused(tensor, `dimensions ${shape}`);
  const count = shape.reduce((product, size) => product * BigInt(size), 1n);
  if (count * BigInt(width) !== BigInt(bytes.length))
    throw refused(tensor, "another number of elements than the dimensions say");
  const bools = boolsOf(element, 0);
  for (let i = 0; i < bytes.length; i += width) {
    for (const at of bools) if (bytes[i + at]! > 1) throw refused(tensor, "a bool that is neither 0 nor 1");
  }
  pushTensor(shredder, site, element, shape, order === "column", bytes);
}

function areSizes(shape: readonly (number | bigint)[]): shape is readonly number[] {
  return shape.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/** The bytes of a packable type (F-70). */
function widthOf(type: Type, level: number, tensor: Tensor): number {
  let width = Number.NaN;
  if (type.code >= codes.BOOL && type.code <= codes.F64 && type.code !== codes.INT) width = SCALAR_BYTES[type.code]!;
  else if (type.code === codes.FIXED) width = type.size;
  else if (type.code === codes.ARRAY) width = type.size * widthOf(type.item, level + 1, tensor);
  else if (isComposite(type)) {
    width = codes.typesInside(type).reduce((sum, each) => sum + widthOf(each, level + 1, tensor), 0);
  }
  if (!(width >= 1 && width <= WIDEST) || level > DEEPEST)
    throw refused(tensor, "a tensor of a type that it cannot have");
  return width;
}

function isComposite(type: Type): boolean {
  if (type.code === codes.RECORD || type.code === codes.STRUCT) return type.form === codes.FORM_ALL;
  return type.code === codes.TUPLE || type.code === codes.LOGICAL || type.code === codes.EXTENSION;
}

/** By code. */
const SCALAR_BYTES = [0, 0, 1, 0, 1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 2, 2, 4, 8];

function sizeOf(type: Type): number {
  if (type.code <= codes.F64) return SCALAR_BYTES[type.code]!;
  if (type.code === codes.FIXED) return type.size;
  if (type.code === codes.ARRAY) return type.size * sizeOf(type.item);
  return codes.typesInside(type).reduce((sum, each) => sum + sizeOf(each), 0);
}

/** The offsets of the bools in an element. */
function boolsOf(type: Type, at: number): number[] {
  if (type.code === codes.BOOL) return [at];
  if (type.code === codes.ARRAY) {
    const size = sizeOf(type.item);
    const inside = boolsOf(type.item, 0);
    return inside.length === 0
      ? []
      : Array.from({ length: type.size }, (_, i) => inside.map((each) => at + i * size + each)).flat();
  }
  const found: number[] = [];
  let offset = at;
  for (const each of codes.typesInside(type)) {
    found.push(...boolsOf(each, offset));
    offset += sizeOf(each);
  }
  return found;
}
