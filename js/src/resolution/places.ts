/** The types of two schemas without def, shared and packed around them, and when they are equal (F-78). */

import { SCALAR_WIDTHS } from "../schema/packable.js";
import { nameText } from "../schema/text.js";
import * as T from "../schema/types.js";

/** The definitions of one of the two schemas. */
export interface Side {
  readonly definitions: readonly T.Type[];
}

/** A type other than def, shared and packed, and the schema that has its definitions. */
export interface Place {
  readonly type: T.Type;
  readonly side: Side;
}

export const NULL_TYPE: T.Type = { code: T.NULL };
export const U8_TYPE: T.Type = { code: T.U8 };

/** F-78: def and shared count as what they stand for, packed(T) as T. */
export function placeOf(type: T.Type, side: Side): Place {
  let each = type;
  for (;;) {
    if (each.code === T.PACKED) each = each.item;
    else if (each.code === T.DEF || each.code === T.SHARED) each = side.definitions[each.index]!;
    else return { type: each, side };
  }
}

export function inside(place: Place, type: T.Type): Place {
  return placeOf(type, place.side);
}

/** Whether two types are the same but for forms and shapes, all the way down. */
export function equalTypes(left: Place, right: Place): boolean {
  const met = new Map<T.Type, Set<T.Type>>();
  const stack: [Place, Place][] = [[left, right]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [a, b] = next;
    if (a.type === b.type && a.side === b.side) continue;
    let others = met.get(a.type);
    if (others === undefined) met.set(a.type, (others = new Set()));
    if (others.has(b.type)) continue;
    others.add(b.type);
    if (headOf(a.type) !== headOf(b.type)) return false;
    const types = T.typesInside(b.type);
    T.typesInside(a.type).forEach((type, i) => {
      stack.push([inside(a, type), inside(b, types[i]!)]);
    });
  }
  return true;
}

/** What a type is but for its form, its shapes and the types inside it; with their number. */
function headOf(type: T.Type): string {
  const names = (list: readonly T.NamedType[]): string[] => list.map((each) => each.name);
  switch (type.code) {
    case T.FIXED:
    case T.ARRAY:
      return `${type.code}:${type.exact ?? type.size}`;
    case T.TUPLE:
      return `${type.code}:${type.items.length}`;
    case T.RECORD:
    case T.STRUCT:
      return `${type.code}:${JSON.stringify([type.name, names(type.fields)])}`;
    case T.UNION:
      return `${type.code}:${JSON.stringify([type.named, names(type.variants)])}`;
    case T.LOGICAL:
      return `${type.code}:${type.kind}:${type.parameters.join()}`;
    case T.EXTENSION:
      return `${type.code}:${type.name}`;
    case T.LATER:
      return `${type.code}:${type.actual}`;
    default:
      return String(type.code);
  }
}

/** F-41: the step of a path to a field. */
export function fieldStep(name: string): string {
  const text = nameText(name);
  return text.startsWith('"') ? `[${text}]` : `.${text}`;
}

export function isInteger(type: T.Type): boolean {
  return type.code >= T.INT && type.code <= T.I128;
}

export function isFloat(type: T.Type): boolean {
  return type.code >= T.F16 && type.code <= T.F64;
}

/** F-79: whether a type is null or an option. */
export function takesNull({ type }: Place): boolean {
  return type.code === T.OPTION || type.code === T.NULL;
}

export function hasNoValues({ type }: Place): boolean {
  return type.code === T.NEVER || (type.code === T.UNION && type.variants.length === 0);
}

/** F-78, line 6: all integers count as one code, and so do all floats. */
export function unionCode({ type }: Place): number {
  return isInteger(type) ? T.INT : isFloat(type) ? T.F64 : type.code;
}

/** The payload of the variant `Some` of a named union. */
export function payloadOfSome({ type }: Place): T.Type | undefined {
  if (type.code !== T.UNION || !type.named) return undefined;
  return type.variants.find((each) => each.name === "Some")?.type;
}

/** F-97: whether a variant `Some` says that an option is present. */
export function isExplicitSome(place: Place): boolean {
  const payload = payloadOfSome(place);
  if (payload === undefined) return false;
  let each = inside(place, payload);
  if (each.type.code === T.NULL) return true;
  if (each.type.code === T.OPTION) each = inside(each, each.type.item);
  const { type } = each;
  return type.code === T.UNION && type.named && type.variants.length === 1 && type.variants[0]!.name === "Some";
}

/** Whether an option's values may be of such a variant. */
export function hasSome(place: Place): boolean {
  const { type } = place;
  if (type.code === T.UNION && !type.named) {
    return type.variants.some((each) => isExplicitSome(inside(place, each.type)));
  }
  return isExplicitSome(place);
}

/** Whether a pair is of line 5, 6, 11 or 15, w being of none of the lines 1 to 4. */
export function leadsOnward(w: Place, r: Place): boolean {
  switch (r.type.code) {
    case T.UNION:
      return !r.type.named;
    case T.EXTENSION:
      return w.type.code !== T.EXTENSION;
    case T.LOGICAL:
      return w.type.code !== T.EXTENSION && w.type.code !== T.LOGICAL;
    default:
      return r.type.code === T.OPTION;
  }
}

export function isBytes({ type }: Place): boolean {
  return type.code === T.FIXED || type.code === T.BYTES;
}

/** Whether a type is a scalar that tensors can have: bool, an integer but int, a float. */
export function isElement({ type }: Place): boolean {
  return (SCALAR_WIDTHS[type.code] ?? 0) > 0;
}

export function isSequence(place: Place): boolean {
  return ([T.LIST, T.ARRAY, T.TUPLE, T.TENSOR] as number[]).includes(place.type.code) || isBytes(place);
}

/** The number of items that a type fixes for all its values. */
export function sequenceSize({ type }: Place): number | bigint | undefined {
  if (type.code === T.ARRAY || type.code === T.FIXED) return type.exact ?? type.size;
  return type.code === T.TUPLE ? type.items.length : undefined;
}

export function itemType(place: Place, number: number): Place {
  const { type } = place;
  if (type.code === T.TUPLE) return inside(place, type.items[number]!);
  if (type.code === T.LIST || type.code === T.ARRAY || type.code === T.TENSOR) return inside(place, type.item);
  return inside(place, U8_TYPE);
}

/** Whether the format compares keys of a type (F-35), def and shared standing for their types. */
export function isComparedKey(place: Place): boolean {
  const isScalar = ({ type }: Place): boolean => type.code >= T.NULL && type.code <= T.FIXED;
  const isSimple = (each: Place): boolean => {
    const { type } = each;
    if (type.code !== T.UNION) return isScalar(each);
    return !type.named && type.variants.every((variant) => isScalar(inside(each, variant.type)));
  };
  return isSimple(place.type.code === T.OPTION ? inside(place, place.type.item) : place);
}
